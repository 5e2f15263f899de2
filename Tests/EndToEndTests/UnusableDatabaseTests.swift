import OperatingSystem
import TestSupport
import Testing

/// No till may take money with such a database: it exits with 9, names the error, and leaves the
/// tag unchanged.
@Suite("An unusable database", .ownThread)
struct UnusableDatabaseTests {
    @Test(
        "An unusable database stops a till before it writes to a tag",
        arguments: Thoroughness.some(
            [
                ("UPDATE opening SET server = 'another'", "ledger-undeclared"),
                ("UPDATE setting SET schema = 99, oldest_writer = 99", "ledger-newer"),
                ("UPDATE setting SET currency = 'EUR'", "ledger-currency"),
                ("UPDATE setting SET currency = 'XXX'", "ledger-corrupt"),
                ("UPDATE station SET revoked_at = 1", "ledger-unavailable"),
                ("DROP TABLE setting", "ledger-unavailable"),
            ], of: 4))
    func stops(_ change: String, _ word: String) throws {
        try TestIssuer.opened { owner, server, name in
            let till = try owner.station(1)
            try till.step("demo")
            try till.step("add 20")
            _ = try server.answer(to: change, in: name)
            let tags = DurableFile("\(owner.home)/tags.txt")
            let before = try tags.read()
            for line in ["pay 1", "add 1", "refund 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"] {
                let ended = try till.till.run(
                    till.words(of: line + " --json"), with: ["TAPCARD_CURRENCY": "USD"])
                #expect(ended.status == 9, "\(line): \(ended.output) \(ended.errors)")
                #expect(ended.output.contains(#""error":"\#(word)""#), "\(line): \(ended.output)")
                #expect(try tags.read() == before, "\(line)")
            }
        }
    }
}
