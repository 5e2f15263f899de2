import Glibc
import OperatingSystem
import TestSupport
import Testing

/// Stations that share a ledger move from one key to the next.
@Suite("Key rotation among stations", .ownThread) struct KeysOfStationsTests {
    /// An owner with the keys of the issuer, and two tills.
    private static func issuer(
        _ body: (_ owner: TestIssuer, _ first: TestIssuer, _ second: TestIssuer) throws -> Void
    ) throws {
        let server = try PrivatePostgreSQL.shared.get()
        let name = "keys_\(UInt32.random(in: 0...UInt32.max))"
        let address = try server.database(name)
        defer { try? server.remove(name) }
        let owner = try TestIssuer(address)
        try owner.step("ledger init --currency EUR")
        let (first, second) = (try owner.station(1), try owner.station(2))
        try first.step("demo")
        try first.step("keys export ~/keys.json")
        for issuer in [owner, second] { try issuer.step("keys import \(first.home)/keys.json") }
        try first.step("add 20")
        try body(owner, first, second)
    }

    private static let lacking =
        "This machine does not have sealing key 2, which other servers of this ledger already "
        + "use, so it cannot write cards. Nothing was changed, and no money moved. Run tapcard "
        + "keys export FILE on the other server, then import the file here: tapcard keys import "
        + "FILE"

    @Test("A new key seals at every station once all of them have imported it")
    func rotation() throws {
        try Self.issuer { owner, first, second in
            let told = try owner.step("keys rotate")
            #expect(
                told.hasPrefix(
                    "Key 2 created and announced; key 1 seals records until every server has"))
            #expect(told.contains("\n  \(first.name), last seen "))
            try owner.step("keys export ~/new.json")
            #expect(try first.step("pay 1").hasPrefix("Paid €1.00, €19.00 left"))
            #expect(
                try first.step("keys import \(owner.home)/new.json")
                    == "Keys imported: 1; new records are sealed with key 1")
            #expect(try owner.status("keys rotate") == 4)
            let list = try owner.step("keys list")
            let lacking = "Key 2 is the next sealing key, but these servers do not have it yet:"
            #expect(list.contains(lacking))
            #expect(list.contains("\n  \(second.name), last seen "))
            #expect(!list.contains("  \(first.name), last seen "))
            // Twice does no harm.
            for count in [1, 0] {
                #expect(
                    try second.step("keys import \(owner.home)/new.json")
                        == "Keys imported: \(count); new records are sealed with key 1")
            }
            #expect(try owner.step("ledger status").contains("every server has it."))
            let sealed = try owner.step("keys rotate")
            #expect(sealed.hasPrefix("Records are now sealed with key 2 on every server"))
            #expect(try first.step("pay 1").hasPrefix("Paid €1.00, €18.00 left"))
            #expect(try second.step("pay 1").hasPrefix("Paid €1.00, €17.00 left"))
            #expect(try first.step("keys list").contains("key 2  active "))
            try owner.step("keys retire 1 --for-ever")
            #expect(try second.step("pay 1").hasPrefix("Paid €1.00, €16.00 left"))
            try first.step("audit")
        }
    }

    @Test("Only the owner rotates keys, and a station with old keys is told how to catch up")
    func oldFile() throws {
        try Self.issuer { owner, first, second in
            #expect(try first.status("keys rotate") == 9)
            #expect(try first.step("keys list").split(separator: "\n").count == 1)
            try owner.step("keys rotate --now")
            try owner.step("keys export ~/new.json")
            try first.step("keys import \(owner.home)/new.json")
            try first.step("pay 1")
            try second.expect("pay 1", status: 9, complains: Self.lacking)
            let ended = try second.till.run(
                second.till.words(of: "--ledger \(second.place) --json pay 1"))
            #expect(ended.output.contains(#""error":"keys-behind""#))
            #expect(ended.output.contains(#""next":[{"step":"import-keys"}]"#))
            #expect(try owner.status("keys retire 1 --for-ever") == 4)
            try owner.step("keys retire 1 --for-ever --now")
            // A backup of the keys is older, and says so.
            let old = try second.step("keys import \(first.home)/keys.json")
            #expect(old.contains("This machine lacks key 2, which seals the records;"))
            try second.expect("pay 1", status: 9, complains: Self.lacking)
            let brought = try second.step("keys import \(owner.home)/new.json")
            #expect(brought.hasPrefix("Keys imported: 1; new records are sealed with key 2"))
            #expect(try second.step("pay 1").hasPrefix("Paid €1.00, €18.00 left"))
        }
    }

    @Test("An announced key that was lost can be retired, and its number is not reused")
    func lostAnnouncement() throws {
        try Self.issuer { owner, first, second in
            try owner.step("keys rotate")
            // The owner's machine is gone, and with it the only copy of key 2.
            try owner.till.write(
                try owner.till.text(of: "\(first.home)/keys.json"), to: owner.till.keys)
            let before = try owner.till.text(of: owner.till.keys)
            try owner.expect(
                "keys rotate", status: 9,
                complains:
                    "The key file ~/.local/share/tapcard/keys.json lacks key 2, which has been "
                    + "announced to the servers of this ledger. The key file was not changed. Run "
                    + "tapcard keys export FILE on the other server, then import the file here: "
                    + "tapcard keys import FILE. If no machine has key 2, retire it: tapcard keys "
                    + "retire 2 --for-ever")
            #expect(try owner.till.text(of: owner.till.keys) == before)
            #expect(try owner.status("keys retire 2") == 2)
            try owner.step("keys retire 2 --for-ever")
            #expect(try owner.step("keys rotate").hasPrefix("Key 3 created and announced; "))
            #expect(try second.step("pay 1").hasPrefix("Paid €1.00, €19.00 left"))
        }
    }

    @Test("Listing keys creates none and says which are missing, and doctor finds a wrong key 1")
    func list() throws {
        try Self.issuer { owner, first, _ in
            let third = try owner.station(3)
            let told = try third.step("keys list")
            #expect(
                told
                    == "This machine has no keys; the other servers seal with key 1\nRun tapcard "
                    + "keys export FILE on one of them, then import the file here: tapcard keys "
                    + "import FILE")
            #expect(try DurableFile(third.till.keys).read() == nil)
            #expect(try third.step("keys list --json").contains(#""keys":[],"#))
            let other = try Till()
            try other.step("keys list")
            try third.till.write(try other.text(of: other.keys), to: third.till.keys)
            let doctor = try third.till.run(third.words(of: "doctor"))
            #expect(doctor.output.contains("This machine's key 1 differs from"), "\(doctor)")
            #expect(doctor.output.contains("keys.json-before"))
            let sound = try first.till.run(first.words(of: "doctor")).output
            #expect(!sound.contains("differs from"), "\(sound)")
        }
    }

    /// A page runs for days, and the key may be rotated and imported in the meantime.
    @Test("A running till page stops at a key that it lacks and resumes once it is imported")
    func page() throws {
        try Self.issuer { owner, _, second in
            let page = try CashierPage(second.till, ["--ledger", second.place])
            let token = try page.token()
            let body = #"{"amount":"1","again":true}"#
            #expect(try page.post("/api/v1/pay", body, token).contains(#""balance":"19.00""#))
            try owner.step("keys rotate --now")
            try owner.step("keys export ~/new.json")
            let refused = try page.post("/api/v1/pay", body, token)
            #expect(refused.contains(#""error":"keys-behind""#), "\(refused)")
            let health = try page.get("/api/v1/health", token)
            #expect(health.contains(#""status":"no-ledger""#), "\(health)")
            #expect(health.contains(#""error":"keys-behind""#), "\(health)")
            try second.step("keys import \(owner.home)/new.json")
            #expect(try page.post("/api/v1/pay", body, token).contains(#""balance":"18.00""#))
            #expect(try page.get("/api/v1/health", token).contains(#""status":"ok""#))
            try page.stop()
        }
    }
}
