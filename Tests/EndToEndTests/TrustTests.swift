import CSQLite
import OperatingSystem
import TestSupport
import Testing

/// Each error for a card that cannot be trusted, with its exit status and a next step that works.
@Suite("A card that cannot be trusted", .ownThread)
struct TrustTests {
    private static let uid = Till.firstUID
    private static let records: [UInt8] = Array(0x20...0x27)

    @Test("A card without records is damaged, and a repair rewrites it")
    func damaged() throws {
        let till = try tillWithCard()
        try till.step("pay 5")
        let junk = TrustTests.records.map { ("page \(hexadecimal($0))", "2E 2E 2E 2E") }
        try till.simulation.set(Dictionary(uniqueKeysWithValues: junk))
        let untouched = try till.text(of: till.simulation.path)
        try expect("damaged", status: 7, at: till, advising: ["repair"])
        #expect(try till.text(of: till.simulation.path) == untouched)
        #expect(try log(of: till).contains("was overwritten with something else"))
    }

    @Test("An interrupted repair says that the card may need another one")
    func interruptedRepair() throws {
        let till = try tillWithCard()
        let junk = TrustTests.records.map { ("page \(hexadecimal($0))", "2E 2E 2E 2E") }
        try till.simulation.set(Dictionary(uniqueKeysWithValues: junk))
        try till.step("sim tear 1 lost")
        let torn = try till.run(["repair", "--card", TrustTests.uid.description])
        #expect(torn.status == 6, "\(torn)")
        #expect(
            torn.errors.hasSuffix(
                "Tap the card again to resolve the operation. If the card is then refused, an "
                    + "operator can repair it: tapcard repair --card \(TrustTests.uid)\n"))
        try till.step("sim put")
        try expect("damaged", status: 7, at: till, advising: ["repair"])
    }

    @Test("A card that this ledger never sealed is forged, even with a valid key")
    func forged() throws {
        let till = try tillWithCard()
        // The owner of the keys can make such a card: another ledger with the same keys.
        let thief = try Till()
        try thief.write(try till.text(of: till.keys), to: thief.keys)
        try thief.step("init")
        try thief.step("issue --balance 900 --yes")
        try lay(try image(at: thief), at: till)
        try expect("forged", status: 7, at: till, advising: ["block"])
        #expect(try log(of: till).contains("someone else has key 1"))
        #expect(try balance(at: till) == "20.00")
    }

    @Test("A card sealed with a retired key is forged, and a repair seals it again")
    func retiredKey() throws {
        let till = try tillWithCard()
        try till.step("keys rotate")
        try till.step("keys retire 1 --for-ever")
        try expect("forged", status: 7, at: till, advising: ["repair"])
        #expect(try log(of: till).contains("sealed with key 1, which is retired"))
    }

    @Test("A card with an older state is rolled back, and can be blocked or repaired")
    func rolledBack() throws {
        let till = try tillWithCard()
        let old = try image(at: till)
        try till.step("pay 5")
        try lay(old, at: till)
        try expect("rolled-back", status: 7, at: till, advising: ["block", "repair"])
        #expect(
            try log(of: till).contains("is number 1; the ledger has already confirmed number 2"))
    }

    @Test("A card sealed with a missing key is valid once the key is imported")
    func keyMissing() throws {
        let elsewhere = try Till()
        try elsewhere.step("keys list")
        let till = try Till()
        try till.write(try elsewhere.text(of: elsewhere.keys), to: till.keys)
        try till.step("init")
        #expect(try till.run(["read"]).status == 4)
        try elsewhere.step("keys rotate")
        try elsewhere.step("issue --balance 20")
        try elsewhere.step("keys export ~/keys.json")
        try lay(try image(at: elsewhere), at: till)
        try expect("key-missing", status: 7, at: till, advising: [])
        for words in ["tapcard keys import", "tapcard issue --overwrite"] {
            #expect(try till.run(["pay", "1"]).errors.contains(words))
        }
        try till.step("keys import \(elsewhere.file("keys.json"))")
        #expect(try till.step("read --json").contains(#""seal":"valid""#))
        let unknown = try till.run(["pay", "1"])
        #expect(
            unknown.status == 4 && unknown.errors.contains("Run tapcard adopt to add this card"))
        try till.expect(
            "issue", status: 4,
            complains:
                "No card was issued: the tag holds a valid card of another ledger, sealed with "
                + "this issuer's keys. Nothing was written to the tag. Run tapcard adopt to "
                + "add the card to this ledger, or repeat this command with --reissue to discard "
                + "its old content.")
        try till.step("adopt --accept-balance 20")
        try till.step("pay 1")
    }

    @Test("Another issuer's card is not called a copy and may be overwritten")
    func anotherIssuer() throws {
        // Every issuer begins with a key 1.
        let elsewhere = try tillWithCard()
        let till = try Till()
        try till.step("keys list")
        try till.write(
            try elsewhere.text(of: elsewhere.simulation.path), to: till.simulation.path)
        for line in ["read", "pay 1", "adopt", "issue"] {
            let ended = try till.run(till.words(of: line))
            #expect(ended.status == 7, "\(line)")
            for words in ["key 1", "another issuer's card", "--overwrite", "tapcard keys import"] {
                #expect(ended.errors.contains(words), "\(line): \(ended.errors)")
            }
            #expect(!ended.errors.contains("This tag is a copy"), "\(line)")
        }
        try till.step("issue --balance 3 --overwrite")
        try till.step("pay 1")
        // With the copy of the keys a new station has the card back.
        let again = try Till()
        try again.step("keys list")
        try elsewhere.step("keys export ~/keys.json")
        try again.write(
            try elsewhere.text(of: elsewhere.simulation.path), to: again.simulation.path)
        let keys = elsewhere.file("keys.json")
        try again.expect(
            ["keys", "import", keys], status: 4,
            complains:
                "Key 1 on this machine differs from the one in the file. The key file was not "
                + "changed. Remove the key file and import again, but only if this machine has "
                + "not issued any cards.")
        try DurableFile(again.keys).remove()
        try again.step("keys import \(keys)")
        try again.step("adopt --accept-balance 20")
    }

    @Test("A card is ahead of the ledger after each restore of an older backup")
    func ledgerBehind() throws {
        let till = try tillWithCard()
        try till.step("backup ~/copy")
        try till.step("pay 5")
        for _ in 1...2 {
            try till.step("restore-backup ~/copy")
            try expect("ledger-behind", status: 9, at: till, advising: ["repair"])
        }
        #expect(try log(of: till).contains("this ledger never issued that number"))
        try till.step("repair --card \(TrustTests.uid)")
        try till.step("pay 1")
        // The same backup once more: the card holds a number from before it was put back again.
        try till.step("restore-backup ~/copy")
        try expect("ledger-behind", status: 9, at: till, advising: ["repair"])
    }

    @Test("A card whose record numbers are used up moves to a new tag")
    func exhausted() throws {
        let till = try tillWithCard()
        try till.step("backup ~/copy")
        // What 254 restores leave, without waiting for them: LedgerBehindTests play them.
        try OpenDatabase(till.file("copy")).execute(
            "UPDATE card SET allocated = 1 + 254 * 65536")
        let restored = try till.step("restore-backup ~/copy")
        #expect(!restored.contains("no record numbers left"))
        try till.step("read")
        try till.step("backup ~/last")
        let move = "tapcard replace --card \(TrustTests.uid)"
        let last = try till.step("restore-backup ~/last")
        #expect(
            last.contains(
                "Card \(TrustTests.uid) has no record numbers left; to replace it, run: \(move)"))
        try till.expect(
            "pay 1", status: 4,
            complains: "The card has used up its sequence numbers and can no longer be written; "
                + "move its balance with `tapcard replace`. Nothing was changed, and no money "
                + "moved.")
        try till.step("sim put NTAG213")
        try till.step(String(move.dropFirst("tapcard ".count)))
        #expect(try balance(at: till) == "20.00")
    }

    @Test("Torn and tampered records are told apart only in the log")
    func tornOrTampered() throws {
        let till = try tillWithCard()
        try till.step("sim tear 3 torn mix 7")
        #expect(try till.run(["pay", "5"]).status == 6)
        try till.step("sim put")
        let torn = try till.run(["read", "--verbose"])
        #expect(
            torn.status == 0
                && torn.errors.contains("the second record looks only partly written")
        )
        #expect(!torn.output.contains("torn"))

        try till.step("pay 1")
        let money = try till.simulation.page(0x25)
        try till.simulation.set(["page 25": "00 0F FF FF"])
        let tampered = try till.run(["read", "--verbose"])
        #expect(
            tampered.errors.contains(
                "the second record was tampered with: it is complete and shows number"))
        try till.simulation.set(["page 25": money])
        #expect(try till.run(["read", "--verbose"]).status == 0)

        try till.simulation.set(["page 09": "39 39 2E 30"])
        let altered = try till.run(["read", "--verbose"])
        #expect(altered.status == 0)
        #expect(
            altered.errors.contains(
                "the NFC text for phones was altered: it shows the balance $99.00, but the ledger"))
        #expect(
            altered.output.contains(
                "The text for phones on this tag was out of date and has been rewritten."))
    }
}

extension TrustTests {
    /// Expects this error and status of every command that moves money, and that each advised
    /// command works and leaves a clean audit.
    private func expect(
        _ word: String, status: Int32, at till: Till, advising steps: [String],
        location: SourceLocation = #_sourceLocation
    ) throws {
        for line in ["read", "pay 1", "add 1", "scratch", "close"] {
            let words = line.split(separator: " ").map(String.init)
            let text = try till.run(words)
            #expect(text.status == status, "\(line)", sourceLocation: location)
            let document = try till.run(words + ["--json"])
            #expect(document.status == status, "\(line)", sourceLocation: location)
            #expect(
                document.output.contains("\"error\":\"\(word)\""), "\(line): \(document.output)",
                sourceLocation: location)
            #expect(!text.errors.isEmpty, sourceLocation: location)
            for step in steps {
                #expect(
                    text.errors.contains("tapcard \(step) --card \(TrustTests.uid)"),
                    "\(text.errors)", sourceLocation: location)
            }
        }
        for step in steps {
            let other = try Till(like: till)
            try other.step("\(step) --card \(TrustTests.uid)", at: location)
            if step == "repair" { try other.step("pay 1", at: location) }
            if step == "block" {
                #expect(try other.run(["pay", "1"]).status != 0, sourceLocation: location)
            }
            try other.step("audit", at: location)
        }
    }

    /// The lines on standard error.
    private func log(of till: Till) throws -> String {
        try till.run(["read", "--no-resolve", "--verbose"]).errors
    }
}

/// A thief copies a card to a chip whose UID can be set. To a reader, the card and its copy are one
/// card whose content changes.
@Suite("A card and its copy", .ownThread)
struct TwoBodiesTests {
    @Test("A copy is refused after the original was used, and the original keeps working")
    func honestFirst() throws {
        let till = try tillWithCard()
        let copy = try image(at: till)
        try till.step("read")
        try lay(copy, at: till)
        #expect(try till.step("read").contains("Seal: valid"), "a whole copy passes until then")
        try till.step("pay 5")
        let honest = try image(at: till)

        try lay(copy, at: till)
        let found = try till.run(["pay", "1"])
        #expect(found.status == 7)
        #expect(
            found.errors.contains(
                "its record is older than the ledger's"))
        #expect(
            found.errors.contains(
                "This is a duplicate with the same number, or an old image was written back"))
        try lay(honest, at: till)
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $14.00 left"))
        try till.step("audit")
    }

    @Test("The original is refused after its copy was used, and a repair reverses that")
    func copyFirst() throws {
        let till = try tillWithCard()
        let honest = try image(at: till)
        try till.step("pay 5")
        let copy = try image(at: till)
        try lay(honest, at: till)
        let accused = try till.run(["pay", "1", "--json"])
        #expect(accused.status == 7 && accused.output.contains(#""error":"rolled-back""#))
        try till.step("repair --card \(Till.firstUID)")
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $14.00 left"))
        try lay(copy, at: till)
        #expect(try till.run(["pay", "1"]).status == 7)
        try till.step("audit")
    }

    @Test(
        "Blocking stops a card and its copy, and unblocking frees only the one the ledger knows",
        .checkOnly)
    func block() throws {
        let till = try tillWithCard()
        let copy = try image(at: till)
        try till.step("pay 5")
        let honest = try image(at: till)
        try till.step("block --card \(Till.firstUID)")
        for (body, status) in [(honest, Int32(4)), (copy, 7)] {
            try lay(body, at: till)
            for line in ["pay 1", "add 1", "scratch", "close", "issue --reissue"] {
                let ended = try till.run(till.words(of: line))
                let expected = line == "issue --reissue" ? 4 : status
                #expect(ended.status == expected, "\(line): \(ended.errors)")
            }
            #expect(try balance(at: till) == "15.00")
        }
        try till.step("unblock --card \(Till.firstUID)")
        try lay(copy, at: till)
        #expect(try till.run(["pay", "1"]).status == 7)
        try lay(honest, at: till)
        try till.step("pay 1")
        try till.step("audit")
    }

    @Test("A card and its copy are both worthless once the card is replaced")
    func replace() throws {
        let till = try tillWithCard()
        let copy = try image(at: till)
        try till.step("pay 5")
        let honest = try image(at: till)
        try till.step("sim put NTAG213")
        try till.step("replace --card \(Till.firstUID)")
        #expect(try balance(at: till) == "15.00")
        try till.step("sim put \(Till.firstUID)")
        for body in [honest, copy] {
            try lay(body, at: till)
            #expect([4, 7].contains(try till.run(["pay", "1"]).status))
        }
        try till.step("audit")
    }

    @Test(
        "Pulling a card or its copy at any WRITE never spends the balance twice", .checkOnly)
    func pulled() throws {
        for write in 1...4 {
            for way in ["lost", "acknowledge-lost", "pulled-after"] {
                let till = try tillWithCard()
                let copy = try image(at: till)
                try till.step("sim tear \(write) \(way)")
                let first = try till.run(["pay", "15"])
                try till.step("sim put")
                let honest = try image(at: till)
                try lay(copy, at: till)
                let second = try till.run(["pay", "15"])
                let paid = [first, second].count { $0.status == 0 }
                #expect(paid <= 1, "\(way) at WRITE \(write)")
                try lay(honest, at: till)
                _ = try till.run(["read"])
                #expect(try balance(at: till) == (paid == 1 ? "5.00" : "20.00"))
                try till.step("audit")
            }
        }
    }
}

/// A till with a card of twenty dollars.
private func tillWithCard() throws -> Till {
    let till = try Till()
    try till.step("issue --balance 20")
    return till
}

/// The card's content, which can be copied and put back.
private func image(at till: Till) throws -> [UInt8] {
    let simulation = till.simulation
    return try (UInt8(4)...0x27).map { try simulation.page($0) }.joined(separator: " ")
        .split(separator: " ").compactMap { UInt8($0, radix: 16) }
}

private func lay(_ image: [UInt8], at till: Till) throws {
    try till.simulation.write(image)
}

private func hexadecimal(_ byte: UInt8) -> String {
    String(byte, radix: 16, uppercase: true)
}

/// The balance in the ledger of the card on the reader, or of the last one made.
private func balance(at till: Till) throws -> String {
    let output = try till.run(["read", "--no-resolve", "--json"]).output
    return String(try #require(output.firstMatch(of: /"balance":"([0-9.]+)"/)).output.1)
}
