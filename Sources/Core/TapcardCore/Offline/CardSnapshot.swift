package import CardCryptography
package import Ledger
package import TapcardDomain

/// The cards in a ledger at one moment, with the data that a station needs for offline payments.
/// The cards are stored as rows of a fixed size, sorted by the cards' numbers.
package struct CardSnapshot: Sendable, Hashable {
    /// The maximum number of cards in a snapshot. At 20 bytes per card, the file is then 20 MB.
    package static let maxCards = 1_000_000
    /// The maximum length of a snapshot, in bytes.
    package static let longest = maxCards * rowSize + 1_024
    private static let rowSize = 20
    private static let uidSize = 7
    private static let head = Array("tapcard snapshot 1\n".utf8)
    /// The first line for a station with a table of card keys, which seals with its own key.
    private static let tableHead = Array("tapcard table snapshot 1\n".utf8)
    private static let purpose = "snapshot"

    package let currency: Currency
    /// The ID of the ledger; nil for a ledger on one machine.
    package let ledgerID: String?
    package let takenAt: Timestamp
    package let takenUptime: Uptime?
    /// The IDs of the keys that the ledger had retired.
    package let retiredKeys: Set<UInt8>
    private let rows: [UInt8]

    private init(
        currency: Currency, ledgerID: String?, takenAt: Timestamp, takenUptime: Uptime?,
        retiredKeys: Set<UInt8>, rows: [UInt8]
    ) {
        (self.currency, self.ledgerID) = (currency, ledgerID)
        (self.takenAt, self.takenUptime) = (takenAt, takenUptime)
        (self.retiredKeys, self.rows) = (retiredKeys, rows)
    }

    /// Reads all cards, at most `maxCards`, while other work on the ledger continues. `now` is the
    /// station's time before reading begins.
    package init(
        of ledger: any LedgerStore, at now: Timestamp, _ uptime: Uptime?
    ) async throws(LedgerError) {
        // `now` was taken before reading, so the snapshot is never older than it claims.
        let ledgerID = try await ledger.ledgerID()
        let read = try await ledger.readWithoutBlocking { rows throws(LedgerError) in
            var packed: [UInt8] = []
            var cards = rows.pagesOfStandings()
            while let card = try cards.next() {
                guard packed.count < CardSnapshot.maxCards * CardSnapshot.rowSize else {
                    throw LedgerError(
                        .refused,
                        "the ledger has more than \(CardSnapshot.maxCards) cards, too many for an "
                            + "offline snapshot, so this station cannot take offline payments")
                }
                // Each card is packed at once, so that a large ledger takes only 20 bytes of memory
                // per card.
                packed += CardSnapshot.row(of: card)
            }
            return (packed, Set(try rows.retiredKeys().map(\.id)))
        }
        self.init(
            currency: ledger.currency, ledgerID: ledgerID, takenAt: now, takenUptime: uptime,
            retiredKeys: read.1, rows: read.0)
    }

    package var cardCount: Int { rows.count / CardSnapshot.rowSize }

    /// The card in the snapshot; nil if the ledger did not know the card.
    package func card(_ uid: CardUID) -> CardStanding? {
        var (low, high) = (0, cardCount)
        while low < high {
            let middle = (low + high) / 2
            // The rows are sorted by number, so a binary search takes at most 20 steps for a
            // million cards.
            let found = uidBytes(middle)
            if found.elementsEqual(uid.bytes) { return standing(middle, uid) }
            let isBefore = found.lexicographicallyPrecedes(uid.bytes)
            (low, high) = isBefore ? (middle + 1, high) : (low, middle)
        }
        return nil
    }

    /// The age of the snapshot, measured by the monotonic clock, or by the time of day if the
    /// machine has restarted since. Nil if it seems to have been taken in the future, because a
    /// clock was ahead.
    package func age(at now: Timestamp, _ uptime: Uptime?) -> Duration? {
        if let uptime, let takenUptime, let age = uptime.millisecondsSince(takenUptime) {
            return .milliseconds(age)
        }
        return now < takenAt ? nil : .milliseconds(now.millisecondsSince(takenAt))
    }

    private func uidBytes(_ index: Int) -> ArraySlice<UInt8> {
        let start = index * CardSnapshot.rowSize
        return rows[start..<start + CardSnapshot.uidSize]
    }

    private func standing(_ index: Int, _ uid: CardUID) -> CardStanding? {
        let start = index * CardSnapshot.rowSize + CardSnapshot.uidSize
        // Bit 0 is set if an operation was open; the other bits are the status.
        let flags = rows[start]
        let statuses = LedgerCard.Status.allCases
        guard Int(flags >> 1) < statuses.count,
            let confirmed = SequenceNumber(UInt32(number(start + 1, 4)))
        else { return nil }
        return CardStanding(
            uid: uid, status: statuses[Int(flags >> 1)], account: Int(number(start + 5, 4)),
            confirmed: confirmed, balance: Int64(number(start + 9, 4)), isOpen: flags & 1 == 1)
    }

    private func number(_ start: Int, _ count: Int) -> UInt64 {
        rows[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func row(of card: CardStanding) -> [UInt8] {
        let status = LedgerCard.Status.allCases.firstIndex(of: card.status) ?? 0
        return card.uid.bytes + [UInt8(status) << 1 | (card.isOpen ? 1 : 0)]
            + bytes(UInt64(card.confirmed.value), 4) + bytes(UInt64(clamping: card.account), 4)
            + bytes(UInt64(clamping: card.balance), 4)
    }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

/// The format of a snapshot file: a title, a line of text fields, the rows, and a seal over all of
/// them.
extension CardSnapshot {
    package func bytes(under keys: KeyRing) -> [UInt8] {
        let words = [
            String(keys.sealing.id), currency.code, ledgerID ?? "-", String(takenAt.milliseconds),
            takenUptime?.boot ?? "-", String(takenUptime?.milliseconds ?? 0),
            retiredKeys.sorted().map { String($0) }.joined(separator: ","), "",
        ]
        // The seal also covers the title, so a snapshot sealed under a table of card keys cannot
        // pass for one sealed under the issuer's keys.
        let seal = keys.stationSeal
        let head = seal.isForTable ? CardSnapshot.tableHead : CardSnapshot.head
        let text = head + Array((words.joined(separator: " ") + "\n").utf8) + rows
        return text + seal.code(of: text, for: CardSnapshot.purpose)
    }

    /// Reads a snapshot; nil if it was not sealed with a key in this ring that is still trusted.
    package init?(_ bytes: [UInt8], _ keys: KeyRing) {
        let text = bytes.dropLast(SHA256.size)
        let isForTable = text.starts(with: CardSnapshot.tableHead)
        let head = isForTable ? CardSnapshot.tableHead : CardSnapshot.head
        let body = text.dropFirst(head.count)
        guard text.starts(with: head), let end = body.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let words = String(decoding: body[..<end], as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        let rows = Array(body[(end + 1)...])
        guard words.count == 8, let keyID = UInt8(words[0]), let entry = keys.entry(keyID),
            // A snapshot sealed with a retired key could come from anyone who has that key.
            entry.status != .retired, let seal = StationSeal(entry, isForTable: isForTable),
            let currency = Currency(code: words[1]),
            let takenAt = Int64(words[3]), let uptime = Int64(words[5]),
            rows.count.isMultiple(of: CardSnapshot.rowSize),
            // The time that the comparison takes must not reveal any part of the seal.
            ConstantTime.equal(
                Array(bytes.suffix(SHA256.size)),
                seal.code(of: Array(text), for: CardSnapshot.purpose))
        else { return nil }
        self.init(
            currency: currency, ledgerID: words[2] == "-" ? nil : words[2],
            takenAt: Timestamp(milliseconds: takenAt),
            takenUptime: words[4] == "-" ? nil : Uptime(boot: words[4], milliseconds: uptime),
            retiredKeys: Set(words[6].split(separator: ",").compactMap { UInt8($0) }), rows: rows)
    }
}
