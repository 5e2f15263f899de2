import CardCryptography
import Testing
import TextCodecs

@Suite("Sealed tables of card keys")
struct SealedTableTests {
    static let uids = [bytes("04AC6B72BA6C80"), bytes("04DEADBEEF0001"), bytes("04112233445566")]

    /// Keys for the cards, each of one repeated byte that counts up from `first`.
    static func rows(_ first: UInt8) throws -> CardKeyRows {
        try #require(
            CardKeyRows(
                uids.enumerated().map { place, uid in
                    CardKeyRows.Row(
                        uid: uid, record: bytes(first + UInt8(place), count: 32),
                        selling: AESKey(bytes(first + 8 + UInt8(place), count: 16)))
                }))
    }

    static func table() throws -> KeyRing {
        let entries =
            [(1, .verifyOnly, 0x20), (2, .active, 0x40)]
            as [(UInt8, KeyStatus, UInt8)]
        let keys = try entries.map { id, status, first in
            KeyEntry(
                id: id, mark: "0123456789abcdef", rows: try rows(first),
                files: bytes(first + 0x10, count: 32), status: status, created: "2026-11-26")
        }
        return try #require(KeyRing(entries: keys)).sealing(currency: "EUR")
    }

    private static let passphrase = TablePassphrase(random: Array(0..<25))
    private static let other = TablePassphrase(random: Array(1..<26))

    @Test("A sealed table opens only with its passphrase and shows no card's UID")
    func roundTrip() throws {
        let table = try Self.table()
        let sealed = SealedTable(table, with: Self.passphrase)
        for text in [sealed.json().text, sealed.json().prettyText] {
            let read = try #require(try SealedTable(parsing: Array(text.utf8)))
            #expect(try read.open(with: Self.passphrase) == table)
            let error = #expect(throws: KeyError.self) { try read.open(with: Self.other) }
            #expect(error?.kind == .sealed)
            for card in Self.uids { #expect(!text.contains(Hexadecimal.encode(card))) }
        }
    }

    @Test("A sealed table that is cut short, extended or changed in any bit is refused")
    func alterations() throws {
        let text = SealedTable(try Self.table(), with: Self.passphrase).json().prettyText
        let file = Array(text.utf8)
        #expect(throws: Never.self) { try Self.opened(file) }
        for count in 0..<file.count {
            #expect(throws: KeyError.self) { try Self.opened(Array(file.prefix(count))) }
        }
        for place in file.indices {
            for bit in 0..<8 {
                var changed = file
                changed[place] ^= 1 << bit
                #expect(throws: KeyError.self) { try Self.opened(changed) }
            }
        }
        #expect(throws: KeyError.self) { try Self.opened(file + file) }
        #expect(throws: KeyError.self) { try Self.opened(file + [0x0A]) }
    }

    /// Opens a file as a station does: sealed, or else in clear text.
    private static func opened(_ file: [UInt8]) throws -> KeyRing {
        try SealedTable(parsing: file)?.open(with: passphrase) ?? KeyRing(parsing: file)
    }

    @Test("A passphrase may be typed in either case, with any grouping")
    func typed() throws {
        let text = Self.passphrase.text
        #expect(text == "01234-56789-ABCDE-FGHJK-MNPQR")
        for typed in [
            text, text.lowercased(), text.replacing("-", with: ""), " \(text)\n",
            text.replacing("0", with: "o").replacing("1", with: "l"),
            text.replacing("1", with: "i").replacing("-", with: " "),
        ] {
            #expect(TablePassphrase(typed: typed) == Self.passphrase, "\(typed)")
        }
        for typed in [
            "", "0", String(text.dropLast()), text + "0", text.replacing("A", with: "U"),
            text.replacing("A", with: "é"), text.replacing("-", with: "_"),
        ] {
            #expect(TablePassphrase(typed: typed) == nil, "\(typed)")
        }
        #expect(Self.other != Self.passphrase)
    }

    @Test("Each of the 25 letters of a passphrase matters")
    func letters() throws {
        let sealed = SealedTable(try Self.table(), with: Self.passphrase)
        for place in 0..<TablePassphrase.randomByteCount {
            var random = Array(0..<25) as [UInt8]
            random[place] ^= 1
            let error = #expect(throws: KeyError.self) {
                try sealed.open(with: TablePassphrase(random: random))
            }
            #expect(error?.kind == .sealed)
        }
    }

    @Test("No description or dump of a table shows a key or the passphrase")
    func secrecy() throws {
        let table = try Self.table()
        var dumped = "\(table) \(table.entries) \(Self.passphrase)"
        dump(table, to: &dumped)
        dump(Self.passphrase, to: &dumped)
        dump(try Self.rows(0x20), to: &dumped)
        // 0x20, 0x28 and 0x30 as numbers, and letters of the passphrase.
        for secret in ["32, 32", "40, 40", "48, 48", "2020", "2828", "3030", "ABCDE"] {
            #expect(!dumped.contains(secret), "\(secret)")
        }
    }
}

@Suite("Tables of card keys")
struct CardTableRingTests {
    @Test("A table has the keys of its own cards and of no others")
    func keys() throws {
        let ring = try SealedTableTests.table()
        #expect(ring.isTable && ring.tableSize == 3 && ring.sealing.id == 2)
        for (place, uid) in SealedTableTests.uids.enumerated() {
            let step = UInt8(place)
            #expect(ring.entry(1)?.cardKey(uid: uid) == bytes(0x20 + step, count: 32))
            #expect(ring.entry(2)?.cardKey(uid: uid) == bytes(0x40 + step, count: 32))
            #expect(
                ring.entry(2)?.rows?.sellKey(for: uid) == AESKey(bytes(0x48 + step, count: 16)))
        }
        for stranger in [bytes("04AC6B72BA6C81"), bytes("00000000000000"), []] {
            #expect(ring.sealing.cardKey(uid: stranger) == nil)
            #expect(ring.sealing.rows?.sellKey(for: stranger) == nil)
        }
        #expect(ring.entries.allSatisfy { $0.masters == nil })
        #expect(CustomerKeys(of: ring).pairs.isEmpty)
        let masters = KeyRing.fresh(created: "")
        #expect(!masters.isTable && masters.tableSize == 0 && masters.sealing.rows == nil)
    }

    @Test("A table survives a round trip through JSON with its marks and currency")
    func roundTrip() throws {
        let ring = try SealedTableTests.table()
        for text in [ring.json().text, ring.json().prettyText] {
            let read = try KeyRing(parsing: Array(text.utf8))
            #expect(read == ring && read.currencyCode == "EUR")
            #expect(read.entries.map(\.mark) == ["0123456789abcdef", "0123456789abcdef"])
        }
    }

    @Test("A table whose file is cut short or malformed is refused")
    func malformed() throws {
        let text = try SealedTableTests.table().json().text
        for count in 0..<text.utf8.count {
            #expect(throws: KeyError.self) { try KeyRing(parsing: Array(text.utf8.prefix(count))) }
        }
        let rows = try #require(text.firstRange(of: "\"04112233445566"))
        let row = text[rows.lowerBound...].prefix(112)
        for (old, new) in [
            ("card keys 1", "keys 1"), ("card keys 1", "card keys 2"),
            (#""mark":"0123456789abcdef""#, #""mark":"0123456789ABCDEF""#),
            (#""mark":"0123456789abcdef""#, #""mark":"0123""#),
            (#""mark":"0123456789abcdef","#, ""), (#""files":"#, #""file":"#),
            (#""files":""#, #""files":"00"#), (#""files":""#, #""files":"x"#),
            (#""cards":["#, #""cards":[1,"#),
            (#""cards":["#, #""card":["#), (String(row), row + "," + row),
            (String(row), "\"" + row.dropFirst(3)), (String(row), "\"FF" + row.dropFirst(3)),
            (#""status":"active""#, #""status":"retired""#), (#"{"id":1"#, #"{"id":2"#),
            (#"{"id":1"#, #"{"mac":"","id":1"#),
        ] {
            #expect(text.contains(old), "\(old)")
            let changed = text.replacing(old, with: String(new))
            #expect(throws: KeyError.self, "\(new)") { try KeyRing(parsing: Array(changed.utf8)) }
        }
    }

    @Test("A station cannot rotate, prepare, retire or merge the keys of a table")
    func changes() throws {
        let (table, masters) = (try SealedTableTests.table(), KeyRing.fresh(created: ""))
        expect(.table) { () throws(KeyError) in try table.rotated(created: "") }
        expect(.table) { () throws(KeyError) in try table.preparing(created: "", avoiding: []) }
        expect(.table) { () throws(KeyError) in try table.retiring(1) }
        expect(.table) { () throws(KeyError) in try table.merging(masters) }
        expect(.table) { () throws(KeyError) in try masters.merging(table) }
        expect(.table) { () throws(KeyError) in try masters.merging(table, sealing: 2) }
        expect(.table) { () throws(KeyError) in try table.replacing(masters) }
        #expect(table.retiring([1])?.statuses == ["1 retired", "2 active"])
        #expect(table.sealing(with: 1)?.statuses == ["1 active", "2 verify-only"])
    }

    @Test("A table is replaced by one of the same issuer, and the issuer's own keys stay")
    func replaced() throws {
        let table = try SealedTableTests.table()
        #expect(try table.replacing(table) == table)
        let others = KeyRing.fresh(created: "")
        expect(.conflict) { () throws(KeyError) in try others.replacing(table) }
        let entry = KeyEntry(
            id: 1, mark: others.sealing.mark, rows: try SealedTableTests.rows(1),
            files: bytes(9, count: 32), status: .active, created: "")
        let own = try #require(KeyRing(entries: [entry]))
        #expect(try others.replacing(own) == others)
    }
}
