import CSQLite
import DurableFile
import Testing
import Thoroughness

/// Every word for a card that cannot be trusted, as a cashier meets it: the
/// word, the exit status, and a next step that is a command and works.
@Suite("A card that cannot be trusted", .ownThread)
struct TrustTests {
    private static let uid = Counter.firstUID
    private static let records: [UInt8] = Array(0x20...0x27)

    @Test("whose records are gone is damaged; repair writes them")
    func damaged() throws {
        let counter = try counterWithCard()
        try counter.step("pay 5")
        let junk = TrustTests.records.map { ("page \(hexadecimal($0))", "2E 2E 2E 2E") }
        try counter.simulation.set(Dictionary(uniqueKeysWithValues: junk))
        let untouched = try counter.text(of: counter.simulation.path)
        try expect("damaged", status: 7, at: counter, advising: ["repair"])
        #expect(try counter.text(of: counter.simulation.path) == untouched)
        #expect(try log(of: counter).contains("looks overwritten"))
    }

    @Test("that promises what this ledger never sealed is forged, though the key is the true one")
    func forged() throws {
        let counter = try counterWithCard()
        // The owner of the keys can make such a card: another ledger with the same keys.
        let thief = try Counter()
        try thief.write(try counter.text(of: counter.keys), to: thief.keys)
        try thief.step("init")
        try thief.step("issue --balance 900 --yes")
        try lay(try image(at: thief), at: counter)
        try expect("forged", status: 7, at: counter, advising: ["block"])
        #expect(try log(of: counter).contains("somebody has key 1"))
        #expect(try balance(at: counter) == "20.00")
    }

    @Test("that was sealed with a key that was given up is forged; repair seals it again")
    func retiredKey() throws {
        let counter = try counterWithCard()
        try counter.step("keys rotate")
        try counter.step("keys retire 1 --for-ever")
        try expect("forged", status: 7, at: counter, advising: ["repair"])
        #expect(try log(of: counter).contains("sealed with key 1, which was given up"))
    }

    @Test("that holds an old state is rolled back; block and repair are the ways on")
    func rolledBack() throws {
        let counter = try counterWithCard()
        let old = try image(at: counter)
        try counter.step("pay 5")
        try lay(old, at: counter)
        try expect("rolled-back", status: 7, at: counter, advising: ["block", "repair"])
        #expect(try log(of: counter).contains("is number 1; the ledger has confirmed 2"))
    }

    @Test("that carries another card's bytes is copied: there is nothing to do for it")
    func copied() throws {
        let counter = try counterWithCard()
        let stolen = try image(at: counter)
        try counter.step("sim put NTAG213")
        try counter.simulation.write(stolen, on: try counter.simulation.uidOnReader())
        try expect("copied", status: 7, at: counter, advising: [])
    }

    @Test("that is sealed with a key from elsewhere asks for that key, and is good with it")
    func keyMissing() throws {
        let elsewhere = try Counter()
        try elsewhere.step("keys list")
        let counter = try Counter()
        try counter.write(try elsewhere.text(of: elsewhere.keys), to: counter.keys)
        try counter.step("init")
        #expect(try counter.run(["read"]).status == 4)
        try elsewhere.step("keys rotate")
        try elsewhere.step("issue --balance 20")
        try elsewhere.step("keys export ~/keys.json")
        try lay(try image(at: elsewhere), at: counter)
        try expect("key-missing", status: 7, at: counter, advising: [])
        for words in ["tapcard keys import", "add --overwrite to tapcard issue"] {
            #expect(try counter.run(["pay", "1"]).errors.contains(words))
        }
        try counter.step("keys import \(elsewhere.file("keys.json"))")
        #expect(try counter.step("read --json").contains(#""seal":"valid""#))
        let unknown = try counter.run(["pay", "1"])
        #expect(unknown.status == 4 && unknown.errors.contains("tapcard adopt takes it over"))
        try counter.step("adopt --accept-balance 20")
        try counter.step("pay 1")
    }

    @Test("of another house is not accused of anything, and may be written over")
    func anotherHouse() throws {
        // Every house begins with a key 1.
        let elsewhere = try counterWithCard()
        let counter = try Counter()
        try counter.step("keys list")
        try counter.write(
            try elsewhere.text(of: elsewhere.simulation.path), to: counter.simulation.path)
        for line in ["read", "pay 1", "adopt", "issue"] {
            let ended = try counter.run(counter.words(of: line))
            #expect(ended.status == 7, "\(line)")
            for words in ["key 1", "another house's card", "--overwrite", "tapcard keys import"] {
                #expect(ended.errors.contains(words), "\(line): \(ended.errors)")
            }
            #expect(!ended.errors.contains("Keep the tag"), "\(line)")
        }
        try counter.step("issue --balance 3 --overwrite")
        try counter.step("pay 1")
        // With the copy of the keys a new station has the card back.
        let again = try Counter()
        try again.step("keys list")
        try elsewhere.step("keys export ~/keys.json")
        try again.write(
            try elsewhere.text(of: elsewhere.simulation.path), to: again.simulation.path)
        let keys = elsewhere.file("keys.json")
        #expect(
            try again.run(["keys", "import", keys]).errors.contains("can remove its key file"))
        try DurableFile(again.keys).remove()
        try again.step("keys import \(keys)")
        try again.step("adopt --accept-balance 20")
    }

    @Test("because the ledger is older than the card: ledger-behind, after one restore or two")
    func ledgerBehind() throws {
        let counter = try counterWithCard()
        try counter.step("backup ~/copy")
        try counter.step("pay 5")
        for _ in 1...2 {
            try counter.step("restore-backup ~/copy")
            try expect("ledger-behind", status: 9, at: counter, advising: ["repair"])
        }
        #expect(try log(of: counter).contains("which this ledger never handed out"))
        try counter.step("repair --card \(TrustTests.uid)")
        try counter.step("pay 1")
        // The same backup once more: the card holds a number from before it was put back again.
        try counter.step("restore-backup ~/copy")
        try expect("ledger-behind", status: 9, at: counter, advising: ["repair"])
    }

    @Test("because its numbers are used up by 256 restores moves to a new tag")
    func exhausted() throws {
        let counter = try counterWithCard()
        try counter.step("backup ~/copy")
        // What 254 restores leave, without waiting for them: LedgerBehindTests play them.
        try OpenDatabase(counter.file("copy")).execute(
            "UPDATE card SET allocated = 1 + 254 * 65536")
        let restored = try counter.step("restore-backup ~/copy")
        #expect(!restored.contains("no numbers left"))
        try counter.step("read")
        try counter.step("backup ~/last")
        let move = "tapcard replace --card \(TrustTests.uid)"
        let last = try counter.step("restore-backup ~/last")
        #expect(last.contains("Card \(TrustTests.uid) has no numbers left: move it with \(move)"))
        try counter.expect(
            "pay 1", status: 4,
            complains: "The card's numbers are used up; move its balance to a new tag with tapcard "
                + "replace. Nothing was changed on card or ledger.")
        try counter.step("sim put NTAG213")
        try counter.step(String(move.dropFirst("tapcard ".count)))
        #expect(try balance(at: counter) == "20.00")
    }

    @Test("though it is honest: torn is told from tampered in the log, and nowhere else")
    func tornOrTampered() throws {
        let counter = try counterWithCard()
        try counter.step("sim tear 3 torn mix 7")
        #expect(try counter.run(["pay", "5"]).status == 6)
        try counter.step("sim put")
        let torn = try counter.run(["read", "--verbose"])
        #expect(torn.status == 0 && torn.errors.contains("the second record looks torn"))
        #expect(!torn.output.contains("torn"))

        try counter.step("pay 1")
        let money = try counter.simulation.page(0x25)
        try counter.simulation.set(["page 25": "00 0F FF FF"])
        let tampered = try counter.run(["read", "--verbose"])
        #expect(tampered.errors.contains("the second record looks tampered with: whole, number"))
        try counter.simulation.set(["page 25": money])
        #expect(try counter.run(["read", "--verbose"]).status == 0)

        try counter.simulation.set(["page 09": "39 39 2E 30"])
        let altered = try counter.run(["read", "--verbose"])
        #expect(altered.status == 0)
        #expect(altered.errors.contains("what phones read was altered: it says $99.00, the ledger"))
        #expect(altered.output.contains("What phones read was brought up to date."))
    }
}

extension TrustTests {
    /// Expects the word and the status of everything that wants money, and that each command of
    /// the advice exists, ends well, and leaves books that add up.
    private func expect(
        _ word: String, status: Int32, at counter: Counter, advising steps: [String],
        location: SourceLocation = #_sourceLocation
    ) throws {
        for line in ["read", "pay 1", "add 1", "scratch", "close"] {
            let words = line.split(separator: " ").map(String.init)
            let text = try counter.run(words)
            #expect(text.status == status, "\(line)", sourceLocation: location)
            let document = try counter.run(words + ["--json"])
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
            let other = try Counter(like: counter)
            try other.step("\(step) --card \(TrustTests.uid)", at: location)
            if step == "repair" { try other.step("pay 1", at: location) }
            if step == "block" {
                #expect(try other.run(["pay", "1"]).status != 0, sourceLocation: location)
            }
            try other.step("audit", at: location)
        }
    }

    /// The lines on standard error.
    private func log(of counter: Counter) throws -> String {
        try counter.run(["read", "--no-settle", "--verbose"]).errors
    }
}

/// Attempts of a thief with a blank chip of settable number. To a reader two bodies with one number
/// are one card that changes its content.
@Suite("Two bodies with one number", .ownThread)
struct TwoBodiesTests {
    @Test("are found at the second tap; the honest one goes on where it was used first")
    func honestFirst() throws {
        let counter = try counterWithCard()
        let copy = try image(at: counter)
        try counter.step("read")
        try lay(copy, at: counter)
        #expect(try counter.step("read").contains("Seal: valid"), "a whole copy passes until then")
        try counter.step("pay 5")
        let honest = try image(at: counter)

        try lay(copy, at: counter)
        let found = try counter.run(["pay", "1"])
        #expect(found.status == 7)
        #expect(
            found.errors.contains(
                "two cards with one number, or an old image that was put back"))
        #expect(found.errors.contains("The card in hand may be the honest one."))
        try lay(honest, at: counter)
        #expect(try counter.step("pay 1").hasPrefix("Paid $1.00, $14.00 left"))
        try counter.step("audit")
    }

    @Test("accuse the honest one where the copy was used first, and repair puts that right")
    func copyFirst() throws {
        let counter = try counterWithCard()
        let honest = try image(at: counter)
        try counter.step("pay 5")
        let copy = try image(at: counter)
        try lay(honest, at: counter)
        let accused = try counter.run(["pay", "1", "--json"])
        #expect(accused.status == 7 && accused.output.contains(#""error":"rolled-back""#))
        try counter.step("repair --card \(Counter.firstUID)")
        #expect(try counter.step("pay 1").hasPrefix("Paid $1.00, $14.00 left"))
        try lay(copy, at: counter)
        #expect(try counter.run(["pay", "1"]).status == 7)
        try counter.step("audit")
    }

    @Test(
        "are both held by block; unblock lets only the one go that the ledger knows", .checkOnly)
    func block() throws {
        let counter = try counterWithCard()
        let copy = try image(at: counter)
        try counter.step("pay 5")
        let honest = try image(at: counter)
        try counter.step("block --card \(Counter.firstUID)")
        for (body, status) in [(honest, Int32(4)), (copy, 7)] {
            try lay(body, at: counter)
            for line in ["pay 1", "add 1", "scratch", "close", "issue --reissue"] {
                let ended = try counter.run(counter.words(of: line))
                let expected = line == "issue --reissue" ? 4 : status
                #expect(ended.status == expected, "\(line): \(ended.errors)")
            }
            #expect(try balance(at: counter) == "15.00")
        }
        try counter.step("unblock --card \(Counter.firstUID)")
        try lay(copy, at: counter)
        #expect(try counter.run(["pay", "1"]).status == 7)
        try lay(honest, at: counter)
        try counter.step("pay 1")
        try counter.step("audit")
    }

    @Test("are both worth nothing once the card is replaced")
    func replace() throws {
        let counter = try counterWithCard()
        let copy = try image(at: counter)
        try counter.step("pay 5")
        let honest = try image(at: counter)
        try counter.step("sim put NTAG213")
        try counter.step("replace --card \(Counter.firstUID)")
        #expect(try balance(at: counter) == "15.00")
        try counter.step("sim put \(Counter.firstUID)")
        for body in [honest, copy] {
            try lay(body, at: counter)
            #expect([4, 7].contains(try counter.run(["pay", "1"]).status))
        }
        try counter.step("audit")
    }

    @Test(
        "cannot spend one balance twice by pulling one of them at the worst moment", .checkOnly)
    func pulled() throws {
        for write in 1...4 {
            for way in ["lost", "acknowledge-lost", "pulled-after"] {
                let counter = try counterWithCard()
                let copy = try image(at: counter)
                try counter.step("sim tear \(write) \(way)")
                let first = try counter.run(["pay", "15"])
                try counter.step("sim put")
                let honest = try image(at: counter)
                try lay(copy, at: counter)
                let second = try counter.run(["pay", "15"])
                let paid = [first, second].count { $0.status == 0 }
                #expect(paid <= 1, "\(way) at WRITE \(write)")
                try lay(honest, at: counter)
                _ = try counter.run(["read"])
                #expect(try balance(at: counter) == (paid == 1 ? "5.00" : "20.00"))
                try counter.step("audit")
            }
        }
    }
}

/// A counter with a card of twenty dollars.
private func counterWithCard() throws -> Counter {
    let counter = try Counter()
    try counter.step("issue --balance 20")
    return counter
}

/// All that a card is: what can be copied off it and put back.
private func image(at counter: Counter) throws -> [UInt8] {
    let simulation = counter.simulation
    return try (UInt8(4)...0x27).map { try simulation.page($0) }.joined(separator: " ")
        .split(separator: " ").compactMap { UInt8($0, radix: 16) }
}

private func lay(_ image: [UInt8], at counter: Counter) throws {
    try counter.simulation.write(image)
}

private func hexadecimal(_ byte: UInt8) -> String {
    String(byte, radix: 16, uppercase: true)
}

/// The balance in the ledger of the card on the reader, or of the last one made.
private func balance(at counter: Counter) throws -> String {
    let output = try counter.run(["read", "--no-settle", "--json"]).output
    return String(try #require(output.firstMatch(of: /"balance":"([0-9.]+)"/)).output.1)
}
