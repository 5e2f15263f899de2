import CardCryptography
import Cards
import Ledger
import TapcardCore
import TapcardDomain
import Testing

/// The bytes of a station's journal and of its snapshot.
@Suite("The journal of offline payments") struct OfflineFileTests {
    @Test("A journal reads back what was appended and knows its sums")
    func roundTrip() throws {
        let (journal, bytes) = try OfflineFileTests.sample(lines: 3)
        #expect(journal.bytes == bytes)
        let (read, length) = try OfflineJournal.parsing(bytes, World.keys)
        #expect(read == journal && length == bytes.count)
        #expect(read.written == 3 && read.sum() == 600 && read.sum(of: read.lines[0].uid) == 600)
        let requester = Requester(try CashierName("Zoë Á"), till: try TillName("Bar 1"))
        #expect(read.lines.map(\.requester) == [Requester(), requester, Requester()])
        // Stations have journals of earlier versions, and the seals cover the exact text.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map {
            $0.split(separator: " ").count
        }
        #expect(
            fields == [10, 12, 10], "nine fields, the lines and the till if there are any, a seal")
        #expect(read.line(World.id(101)) == read.lines[0] && read.line(World.id(99)) == nil)
        var booked = read
        booked.drop(through: 2, under: World.keys)
        #expect(booked.booked == 2 && booked.lines.map(\.number) == [3])
        #expect(try OfflineJournal.parsing(booked.bytes, World.keys).journal == booked)
    }

    /// The power may fail at any byte while a line is written.
    @Test("A journal torn at any byte has its last line either whole or not at all")
    func torn() throws {
        let (before, start) = try OfflineFileTests.sample(lines: 2)
        let (after, whole) = try OfflineFileTests.sample(lines: 3)
        for count in start.count...whole.count {
            let (read, length) = try OfflineJournal.parsing(
                Array(whole.prefix(count)), World.keys)
            #expect(read == (count == whole.count ? after : before), "\(count)")
            #expect(length == (count == whole.count ? whole.count : start.count), "\(count)")
            // A disk may have kept a later block, and zeros in the place of an earlier one.
            guard count < whole.count else { continue }
            let zeros = [UInt8](repeating: 0, count: max(1, whole.count - 1 - count))
            let holed =
                Array(whole.prefix(min(count, whole.count - 2))) + zeros + [UInt8(ascii: "\n")]
            #expect(try OfflineJournal.parsing(holed, World.keys).journal == before, "\(count)")
        }
    }

    @Test("A changed byte, a missing line, or a swapped line in a journal is detected")
    func altered() throws {
        let (journal, bytes) = try OfflineFileTests.sample(lines: 2)
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            let read = try? OfflineJournal.parsing(other, World.keys).journal
            // Without its last line feed the last line is a torn one.
            #expect(read == nil || read?.lines == Array(journal.lines.prefix(1)), "\(place)")
            #expect(read == nil || place == bytes.count - 1, "\(place)")
        }
        // Lines that are taken out or exchanged.
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { $0 + [UInt8(ascii: "\n")] }
        for order in [[0, 2], [0, 2, 1], [0, 1, 1], [1, 2]] {
            #expect(throws: OfflineJournal.Unreadable.self) {
                _ = try OfflineJournal.parsing(order.flatMap { lines[$0] }, World.keys)
            }
        }
    }

    @Test("A journal is read only with the key that it was written under, even a retired one")
    func keys() throws {
        let (journal, bytes) = try OfflineFileTests.sample(lines: 1)
        let other = KeyRing.fresh(created: "2026-01-01") { [UInt8](repeating: 7, count: $0) }
        #expect(throws: OfflineJournal.Unreadable.altered(line: 1)) {
            _ = try OfflineJournal.parsing(bytes, other)
        }
        let rotated = try World.keys.rotated(created: "2026-02-01") {
            [UInt8](repeating: 9, count: $0)
        }
        let retired = try rotated.retiring(1)
        #expect(try OfflineJournal.parsing(bytes, retired).journal.lines == journal.lines)
        var moved = try OfflineJournal.parsing(bytes, retired).journal
        moved.drop(through: 0, under: retired)
        #expect(throws: OfflineJournal.Unreadable.keyMissing(2)) {
            _ = try OfflineJournal.parsing(moved.bytes, World.keys)
        }
        for text in ["", "\n", "nothing\n", "tapcard-journal-1 x\n"] {
            #expect(throws: OfflineJournal.Unreadable.notAJournal) {
                _ = try OfflineJournal.parsing(Array(text.utf8), World.keys)
            }
        }
    }

    @Test("Each line is booked under its own ids, which depend on the request alone")
    func bookingIDs() throws {
        let (journal, _) = try OfflineFileTests.sample(lines: 3)
        let payments = journal.lines.map(journal.payment)
        #expect(Set(payments.flatMap { [$0.id] + (1...3).map($0.bookingID) }).count == 12)
        #expect(payments == journal.lines.map(journal.payment))
        #expect(payments.map(\.number) == [1, 2, 3])
        let first = payments[0]
        #expect(first.bookingID(0) == first.id)
        let words = "tapcard deferred \(first.id) \(first.uid) \(first.amount) 1"
        let digest = SHA256.digest(Array(words.utf8)).prefix(16)
        #expect(UniqueID(random: Array(digest)) == first.bookingID(1))
    }

    /// The ids count up, while numbers and amounts of the cards differ in the same bits.
    @Test("A client that counts its ids up never makes two payments share a booking id")
    func countingClient() throws {
        let first = try #require(CardUID("04AC6B72BA6C80"))
        var ids: Set<OperationID> = []
        for count in 0..<64 {
            for bits in 0..<16 {
                let uid = try #require(
                    CardUID(bytes: first.bytes.dropLast() + [0x80 ^ UInt8(bits & 3)]))
                let payment = OfflinePayment(
                    id: World.id(UInt64(count)), uid: uid, chip: .ntag213, account: 1,
                    sequence: .none, amount: Int64(1 + (bits >> 2)), at: World.tick,
                    journal: World.id(1_000), number: 1)
                for number in 1...2 { ids.insert(payment.bookingID(number)) }
            }
        }
        #expect(ids.count == 64 * 16 * 2)
    }

    @Test("An altered journal still has the lines before the altered one, and names that line")
    func sound() throws {
        let (journal, bytes) = try OfflineFileTests.sample(lines: 3)
        var (place, line) = (0, 1)
        for byte in bytes.dropLast() {
            var other = bytes
            other[place] ^= 1
            if line > 1 {
                let (read, _, altered) = try OfflineJournal.intactPart(in: other, World.keys)
                #expect(read.lines == Array(journal.lines.prefix(line - 2)), "\(place)")
                #expect(altered == line, "\(place)")
            }
            place += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
        #expect(try OfflineJournal.intactPart(in: bytes, World.keys).altered == nil)
    }

    @Test("A snapshot reads back and is refused if any byte is altered")
    func snapshot() async throws {
        let world = try await World.withCard()
        let uptime = Uptime(boot: "a", milliseconds: 5)
        let taken = try await CardSnapshot(of: world.ledger, at: World.tick, uptime)
        let bytes = taken.bytes(under: World.keys)
        #expect(CardSnapshot(bytes, World.keys) == taken && taken.cardCount == 1)
        #expect(bytes.starts(with: Array("tapcard snapshot 1\n".utf8)))
        let uid = try #require(CardUID("04AC6B72BA6C80"))
        let standing = try #require(taken.card(uid))
        #expect(standing.balance == 1_000 && standing.confirmed.value == 1 && !standing.isOpen)
        #expect(taken.card(try #require(CardUID(bytes: World.otherUID))) == nil)
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 4
            #expect(CardSnapshot(other, World.keys) == nil, "\(place)")
            #expect(CardSnapshot(Array(bytes.prefix(place)), World.keys) == nil, "\(place)")
        }
        let retired = try World.keys.rotated(created: "2026-02-01") {
            [UInt8](repeating: 9, count: $0)
        }.retiring(1)
        #expect(CardSnapshot(bytes, retired) == nil)
    }

    private static func sample(lines: Int) throws -> (OfflineJournal, [UInt8]) {
        var journal = OfflineJournal(
            id: World.id(1), currency: .usd, ledgerID: "ledger", under: World.keys)
        var bytes = journal.bytes
        for number in 1...Int64(lines) {
            bytes += journal.append(
                JournalLine(
                    number: number, id: World.id(100 + UInt64(number)),
                    uid: try #require(CardUID("04AC6B72BA6C80")), chip: .ntag215, account: 2,
                    record: [UInt8](repeating: 0x55, count: 16), amount: 100 * number,
                    by: number == 2
                        ? Requester(try CashierName("Zoë Á"), till: try TillName("Bar 1"))
                        : Requester(), at: World.tick))
        }
        return (journal, bytes)
    }
}
