import OperatingSystem
import TestSupport
import Testing

/// The keys of single cards, handed to a station that has no others.
@Suite("The keys table command", .ownThread) struct TableCommandTests {
    /// A station of the issuer with a card on an NTAG 424, and a station without keys on the same
    /// ledger and reader.
    private struct Pair {
        let issuer: Till
        let till: Till
        let place: String

        init() throws {
            issuer = try Till()
            try issuer.step("keys list")
            try issuer.step("sim take")
            try issuer.step("sim put NTAG424")
            try issuer.step("issue --name Ann --balance 20")
            till = try Till(["TAPCARD_READER": "sim:\(issuer.simulation.path)"])
            place = "--ledger \(issuer.ledger)"
        }

        /// Makes a table and returns its passphrase.
        func table(_ name: String) throws -> String {
            let told = try issuer.step("keys table ~/\(name)")
            #expect(told.hasPrefix("Table of card keys for 1 card written to "))
            let words = try #require(told.split(separator: "\n").dropFirst().first)
            return String(try #require(words.split(separator: " ").last))
        }

        func run(_ line: String, _ passphrase: String? = nil) throws -> Ended {
            try till.run(
                till.words(of: "\(place) \(line)"), with: ["TAPCARD_TABLE_PASSPHRASE": passphrase])
        }

        @discardableResult
        func sold(
            _ line: String, _ passphrase: String? = nil,
            at location: SourceLocation = #_sourceLocation
        ) throws -> String {
            let ended = try run(line, passphrase)
            #expect(ended.status == 0, "\(line): \(ended.errors)", sourceLocation: location)
            return ended.output
        }

        /// Expects this status and last message, with varying parts masked.
        func refused(
            _ line: String, _ status: Int32, _ words: String,
            at location: SourceLocation = #_sourceLocation
        ) throws {
            let ended = try run(line)
            #expect(ended.status == status, "\(line): \(ended)", sourceLocation: location)
            let last = till.masked(ended.errors).split(separator: "\n").last ?? ""
            #expect(last == "tapcard: \(words)", "\(line)", sourceLocation: location)
        }
    }

    private static let noMasters =
        "This station has only a table of card keys, not the issuer's keys. Nothing was done. Use "
        + "a station that has the issuer's keys."
    private static let noCredit =
        "This station has only a table of card keys and cannot make cards or top them up. Nothing "
        + "was changed, and no money moved. Use a station that has the issuer's keys."

    @Test("A station with a table takes payments and refuses what needs the issuer's keys")
    func sells() throws {
        let pair = try Pair()
        let passphrase = try pair.table("table.json")
        let path = pair.issuer.file("table.json")
        #expect(
            try pair.sold("keys import \(path)", passphrase)
                == "Card keys imported for 1 card; new records are sealed with key 1\n")
        #expect(try DurableFile(pair.till.keys).permissions() == 0o600)
        #expect(try pair.sold("pay 4.50").hasPrefix("Paid $4.50, $15.50 left\n"))
        #expect(try pair.sold("read").contains("$15.50"))
        #expect(try pair.issuer.step("pay 1").hasPrefix("Paid $1.00, $14.50 left"))
        let ended = try pair.run("keys list")
        let list = pair.till.masked(ended.output)
        #expect(
            list == """
                This station has only a table of card keys for 1 card, not the issuer's keys
                key 1  active        created <date>  cards: 1  protected: 0

                """)
        #expect(try pair.sold("--json keys list").contains(#""table":1}"#))
        let doctor = try pair.run("doctor").output
        #expect(
            doctor.contains(
                "note     This station has only a table of card keys for 1 card (key 1, which "
                    + "seals), not the issuer's keys.\n"
            ), "\(doctor)")
        #expect(doctor.contains("It can read and charge these cards, but not top up"))
        #expect(doctor.contains("\n           tapcard keys table FILE\n"))
        #expect(try !pair.issuer.run(["doctor"]).output.contains("only a table of card keys"))
        for line in [
            "add 5", "issue --balance 5 --reissue", "adopt", "demo --reissue",
            "replace --card 04518DFAA96180",
        ] {
            let before = try pair.issuer.text(of: pair.issuer.simulation.path)
            try pair.refused(line, 4, Self.noCredit)
            #expect(try pair.issuer.text(of: pair.issuer.simulation.path) == before)
        }
        for line in [
            "keys rotate", "keys retire 1 --for-ever", "keys export ~/k", "keys customers ~/k",
            "keys table ~/k",
        ] {
            try pair.refused(line, 4, Self.noMasters)
        }
        #expect(try DurableFile(pair.till.file("k")).read() == nil)
        #expect(try pair.issuer.step("audit").contains("rules: all hold"))
    }

    @Test(
        "A newer table replaces an older one, and only the issuer's keys replace a table")
    func newer() throws {
        let pair = try Pair()
        let first = try pair.table("first.json")
        try pair.sold("keys import \(pair.issuer.file("first.json"))", first)
        try pair.issuer.step("keys rotate")
        #expect(try pair.sold("pay 1").hasPrefix("Paid $1.00, $19.00 left"))
        try pair.issuer.step("pay 1")
        // The card has the new key now.
        try pair.refused(
            "pay 1", 7,
            "This card is not in the station's table of card keys. No key was tried, because the "
                + "card counts wrong keys. Run tapcard keys table FILE at a station that has the "
                + "issuer's keys, then import the file here: tapcard keys import FILE")
        let second = try pair.table("second.json")
        #expect(first != second)
        #expect(
            try pair.sold("keys import \(pair.issuer.file("second.json"))", second)
                == "Card keys imported for 1 card; new records are sealed with key 2\n")
        #expect(try pair.sold("pay 1").hasPrefix("Paid $1.00, $17.00 left"))
        let ended = try pair.issuer.run(
            ["keys", "import", pair.issuer.file("second.json")],
            with: ["TAPCARD_TABLE_PASSPHRASE": second])
        #expect(
            ended.errors
                == "tapcard: This station has the issuer's keys and needs no table. The key "
                + "file was not changed. To list the keys, run: tapcard keys list\n")
        #expect(ended.status == 4)
        try pair.issuer.step("keys export ~/all.json")
        try pair.sold("keys import \(pair.issuer.file("all.json"))")
        #expect(try pair.sold("add 5").hasPrefix("Added $5.00, $22.00 left"))
    }

    /// `SealedTableTests` cuts it at every byte and changes every bit.
    @Test("A table with another passphrase, an altered one, and half of one are refused")
    func files() throws {
        let pair = try Pair()
        let passphrase = try pair.table("table.json")
        let text = try pair.issuer.text(of: pair.issuer.file("table.json"))
        let other = String(passphrase.dropLast()) + (passphrase.hasSuffix("0") ? "1" : "0")
        let sealed = try #require(text.firstRange(of: /[0-9A-F]{64}/))
        let altered = text.replacing(text[sealed], with: text[sealed].reversed())
        let unreadable =
            "The table of card keys in ~/t cannot be read: the passphrase is wrong for this file, "
            + "or the file was altered. The key file was not changed. Check the passphrase"
        for (text, passphrase, words) in [
            (text, other, unreadable), (altered, passphrase, unreadable),
            (String(text.prefix(text.count / 2)), passphrase, "The key file ~/t is damaged: "),
        ] {
            try pair.till.write(text, to: pair.till.file("t"))
            let ended = try pair.run("keys import \(pair.till.file("t"))", passphrase)
            #expect(ended.status == 1, "\(ended.errors)")
            let last = pair.till.masked(ended.errors).split(separator: "\n").last ?? ""
            #expect(last.hasPrefix("tapcard: \(words)"), "\(ended)")
            #expect(try DurableFile(pair.till.keys).read() == nil)
        }
    }

    @Test("A table may be seen by others, and a station that imports it gets no master key")
    func secrets() throws {
        let pair = try Pair()
        let passphrase = try pair.table("table.json")
        let path = pair.issuer.file("table.json")
        #expect(try DurableFile(path).permissions() == 0o600)
        let text = try pair.issuer.text(of: path)
        #expect(!text.contains("04518DFAA96180"))
        // Its carrier may see it: a stick has no owners.
        try pair.till.write(text, to: pair.till.file("t"), mode: 0o644)
        try pair.sold("keys import \(pair.till.file("t"))", passphrase.lowercased())
        let kept = try pair.till.text(of: pair.till.keys)
        #expect(kept.contains("04518DFAA96180"))
        let issuer = try pair.issuer.text(of: pair.issuer.keys)
        let masters = issuer.matches(of: /[0-9A-F]{64}/).map { String($0.output) }
        #expect(masters.count == 2 && !masters.contains { kept.contains($0) })
    }

    @Test("A table can go to standard output, with its passphrase on standard error")
    func pipe() throws {
        let pair = try Pair()
        let ended = try pair.issuer.run(["keys", "table", "-"])
        #expect(ended.status == 0)
        let words = "tapcard: Passphrase (shown only once): "
        #expect(ended.errors.hasPrefix(words))
        let passphrase = ended.errors.dropFirst(words.count).dropLast()
        try pair.till.write(ended.output, to: pair.till.file("t"))
        try pair.sold("keys import \(pair.till.file("t"))", String(passphrase))
        #expect(try pair.run("--json keys table -").status == 2)
    }

    @Test("A station with only a table refuses a card on an NTAG21x and leaves it as it is")
    func others() throws {
        let pair = try Pair()
        let passphrase = try pair.table("table.json")
        try pair.sold("keys import \(pair.issuer.file("table.json"))", passphrase)
        try pair.issuer.step("sim take")
        try pair.issuer.step("sim put \(Till.firstUID)")
        try pair.issuer.step("issue --balance 20")
        let before = try pair.issuer.text(of: pair.issuer.simulation.path)
        for line in ["pay 1", "read", "scratch"] {
            try pair.refused(
                line, 7,
                "This is not an NTAG 424, but this station's table has keys for NTAG 424 cards "
                    + "only. Nothing was changed, and no money moved. Use a station that has the "
                    + "issuer's keys.")
        }
        #expect(try pair.issuer.text(of: pair.issuer.simulation.path) == before)
        #expect(try pair.issuer.step("read").contains(", $20.00\n"))
    }
}

/// A ledger in a database announces the key that seals.
@Suite("A table of card keys at a station that shares a ledger", .ownThread)
struct TableOfStationsTests {
    @Test("A rotation waits until a station with a table has imported a newer table")
    func rotation() throws {
        try TestIssuer.opened { owner, _, _ in
            let (first, second) = (try owner.station(1), try owner.station(2))
            try first.step("keys list")
            try first.step("sim take")
            try first.step("sim put NTAG424")
            try first.step("issue --balance 20")
            try first.step("keys export ~/keys.json")
            try owner.step("keys import \(first.home)/keys.json")
            func bring(_ name: String) throws {
                let told = try owner.step("keys table ~/\(name)")
                let words = told.split(separator: "\n").dropFirst().first?.split(separator: " ")
                let passphrase = String(try #require(words?.last))
                let ended = try second.till.run(
                    second.words(of: "keys import \(owner.home)/\(name)"),
                    with: ["TAPCARD_TABLE_PASSPHRASE": passphrase])
                #expect(ended.status == 0, "\(ended.errors)")
            }
            try bring("first.json")
            #expect(try second.step("pay 1").hasPrefix("Paid $1.00, $19.00 left"))
            // Offline payments are sealed with a key that each table has.
            #expect(try second.step("station book") == "No offline payments to book")
            try second.step("config set offline-payments true")
            #expect(try second.step("station snapshot") == "The snapshot has 1 card")
            #expect(try second.step("pay 1").hasPrefix("Paid $1.00, $18.00 left"))
            try first.step("add 1")
            let told = try owner.step("keys rotate")
            #expect(told.contains("\n  \(second.name), last seen "))
            try bring("second.json")
            try owner.step("keys export ~/new.json")
            try first.step("keys import \(owner.home)/new.json")
            #expect(
                try owner.step("keys rotate").hasPrefix("Records are now sealed with key 2"))
            try second.expect(
                "pay 1", status: 4,
                complains:
                    "This station has only a table of card keys and cannot write the newer keys "
                    + "that this card needs. Nothing was changed, and no money moved. Use a "
                    + "station that has the issuer's keys.")
            #expect(try second.step("read").contains("$19.00"))
            #expect(try first.step("pay 1").hasPrefix("Paid $1.00, $18.00 left"))
            #expect(try second.step("pay 1").hasPrefix("Paid $1.00, $17.00 left"))
            try owner.step("keys retire 1 --for-ever")
            #expect(try second.step("pay 1").hasPrefix("Paid $1.00, $16.00 left"))
            try first.step("audit")
        }
    }
}
