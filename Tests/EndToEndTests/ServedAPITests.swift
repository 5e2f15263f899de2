import Glibc
import OtherClients
import TestSupport
import Testing

@Suite("The API and its OpenAPI document", .ownThread, .timeLimit(.minutes(30)))
struct ServedAPITests {
    /// The number of examples per call.
    private static let examples = Thoroughness.asked == .prove ? "200" : "4"
    private static let secondsLimit: Int32 = 1_500

    /// Serves a till with a card on its reader for as long as the body runs.
    private func withServer(_ body: (_ address: String) throws -> Void) throws {
        let till = try Till()
        let services = try PlayedServices(till)
        try till.step("issue --name Amanda --balance 50")
        let server = try till.start(
            ["--timeout", "0", "serve"], with: services.addresses)
        try server.wait("it is served") { try server.output.hasSuffix("press Ctrl-C\n") }
        let line = try server.output.split(separator: "\n").first
        let address = String(try #require(line?.split(separator: " ").last))
        try body(address)
        // It has lived through all of that, and the ledger, too.
        server.signal(SIGTERM)
        #expect(try server.end().status == 0)
        let audit = try till.step("audit")
        #expect(audit.contains("rules: all hold"), "\(audit)")
        try services.stop()
    }

    @Test("Every call answers as the OpenAPI document says")
    func story() throws {
        try withServer { address in
            let client = try Client.schemathesis(secondsLimit: 50)
            let ended = try client.run([address, "story"])
            #expect(ended.status == 0, "\(ended.text)")
        }
    }

    /// The story above replaces it in `make test`: even with four examples per call, generating
    /// them takes a third of the processor time of all end-to-end tests.
    @Test("Schemathesis finds no answer that the OpenAPI document does not describe", .checkOnly)
    func document() throws {
        try withServer { address in
            // Calls to the simulator take the card away, so they have a run of their own.
            for filter in ["--exclude-path-regex", "--include-path-regex"] {
                let client = try Client.schemathesis(secondsLimit: Self.secondsLimit)
                let ended = try client.run([address, Self.examples, filter, "simulator"])
                #expect(ended.status == 0, "\(ended.text)")
            }
        }
    }
}
