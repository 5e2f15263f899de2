import TestSupport
import Testing

@Suite("The services over TLS", .ownThread)
struct ProtectedServiceTests {
    @Test("All three services are trusted through the configured certificate file")
    func believed() throws {
        let (till, code) = try ActivationStoryTests.scratched()
        let services = try PlayedServices(till, certificate: try Certificate(till))
        #expect(services.address.hasPrefix("https://127.0.0.1:"))
        #expect(try services.step("draws").contains("\"id\":\"draw-1\""))
        #expect(try services.step("activate").contains("\"state\":\"activated\""))
        #expect(try services.codes == [code])
        try services.step("mastermind login amanda")
        try services.step("mastermind start --slots 4")
        try services.stop()
    }

    @Test("Nothing is sent to a service whose certificate is not trusted")
    func refused() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        let services = try PlayedServices(till, certificate: try Certificate(till))
        let other = try Certificate(till, "other")
        for file in [nil, other.path] {
            for line in ["draws", "mastermind login amanda"] {
                let ended = try services.run(line, with: ["TAPCARD_CA_FILE": file])
                #expect(ended.status == 8)
                #expect(
                    ended.output.contains("\"error\":\"service-bad-certificate\""),
                    "\(ended.output)")
            }
        }
        #expect(try services.curl("/sandbox").contains("\"requests\":[]"))
        try services.stop()
    }

    @Test("A command makes both of its requests over one connection", arguments: [false, true])
    func oneConnection(isProtected: Bool) throws {
        let till = try Till()
        let services = try PlayedServices(
            till, certificate: isProtected ? try Certificate(till) : nil)
        let port = try #require(services.address.split(separator: ":").last.flatMap { UInt16($0) })
        try Relay.serving(port) { relay in
            let address = services.address.replacing(":\(port)", with: ":\(relay.port)")
            let ended = try services.run(
                "tickets", with: ["TAPCARD_LOTTERY_URL": "\(address)/lottery"])
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(relay.connections == 1)
        }
        let asked = try services.curl("/sandbox")
        for name in ["StubLottoResultsData", "StubMyTicketsData"] {
            #expect(
                asked.contains("\"request\":\"GET /lottery/\(name).json\",\"count\":1,"), "\(asked)"
            )
        }
        try services.stop()
    }
}
