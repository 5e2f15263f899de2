package import CardCryptography
package import Ledger
package import TapcardDomain

/// A snapshot of the cards in a ledger, with the data that a station needs to take offline
/// payments. Each card is a row of fixed size; the rows are sorted by card number.
package struct CardSnapshot: Sendable, Hashable {
    /// The maximum number of cards in a snapshot. At 20 bytes per card, a full snapshot takes up 20
    /// MB.
    package static let maxCards = 1_000_000
    /// The maximum size of a snapshot file, in bytes.
    package static let maximumFileSize = maxCards * rowSize + 1_024
    private static let rowSize = 20
    private static let uidSize = 7
    private static let head = Array("tapcard snapshot 1\n".utf8)
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

    /// Reads every card in the ledger without blocking other work on it; throws if there are more
    /// than `maxCards`. The caller takes `now` and `uptime` before reading begins.
    package init(
        of ledger: any LedgerStore, at now: Timestamp, _ uptime: Uptime?
    ) async throws(LedgerError) {
        // `now` was taken before reading, so the snapshot is never older than it claims.
        let ledgerID = try await ledger.ledgerID()
        let found = try await ledger.readWithoutBlocking { rows throws(LedgerError) in
            var packed: [UInt8] = []
            var cards = rows.pagesOfStandings()
            while let card = try cards.next() {
                guard packed.count < CardSnapshot.maxCards * CardSnapshot.rowSize else {
                    throw LedgerError(
                        .refused,
                        "the ledger has more than \(CardSnapshot.maxCards) cards, too many for an "
                            + "offline snapshot, so this machine cannot take offline payments")
                }
                // Each card is packed as soon as it is read, so even a large ledger takes only 20
                // bytes of memory per card.
                packed += CardSnapshot.row(of: card)
            }
            return (packed, Set(try rows.retiredKeys().map(\.id)))
        }
        self.init(
            currency: ledger.currency, ledgerID: ledgerID, takenAt: now, takenUptime: uptime,
            retiredKeys: found.1, rows: found.0)
    }

    package var cardCount: Int { rows.count / CardSnapshot.rowSize }

    /// The card's standing when the snapshot was taken; nil if the snapshot does not contain the
    /// card.
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

    /// The age of the snapshot by the monotonic clock or, if the machine has restarted since, by
    /// the wall clock. Nil if the wall clock puts the snapshot in the future.
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
        // Bit 0 is set if an operation was open; the other bits hold the index of the status.
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
        let fields = [
            String(keys.sealing.id), currency.code, ledgerID ?? "-", String(takenAt.milliseconds),
            takenUptime?.boot ?? "-", String(takenUptime?.milliseconds ?? 0),
            retiredKeys.sorted().map { String($0) }.joined(separator: ","), "",
        ]
        let text =
            CardSnapshot.head + Array((fields.joined(separator: " ") + "\n").utf8) + rows
        return text + keys.sealing.masters.seal(of: text, for: CardSnapshot.purpose)
    }

    /// Reads a snapshot; nil unless it has a valid seal made with a key in this ring that is not
    /// retired.
    package init?(_ bytes: [UInt8], _ keys: KeyRing) {
        let text = bytes.dropLast(SHA256.size)
        let body = text.dropFirst(CardSnapshot.head.count)
        guard text.starts(with: CardSnapshot.head),
            let end = body.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let fields = String(decoding: body[..<end], as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        let rows = Array(body[(end + 1)...])
        guard fields.count == 8, let keyID = UInt8(fields[0]), let entry = keys.entry(keyID),
            // A snapshot sealed with a retired key could come from anyone who has that key.
            entry.status != .retired, let currency = Currency(code: fields[1]),
            let takenAt = Int64(fields[3]), let uptime = Int64(fields[5]),
            rows.count.isMultiple(of: CardSnapshot.rowSize),
            // The comparison takes constant time, so its duration reveals nothing about the seal.
            ConstantTime.equal(
                Array(bytes.suffix(SHA256.size)),
                entry.masters.seal(of: Array(text), for: CardSnapshot.purpose))
        else { return nil }
        self.init(
            currency: currency, ledgerID: fields[2] == "-" ? nil : fields[2],
            takenAt: Timestamp(milliseconds: takenAt),
            takenUptime: fields[4] == "-" ? nil : Uptime(boot: fields[4], milliseconds: uptime),
            retiredKeys: Set(fields[6].split(separator: ",").compactMap { UInt8($0) }), rows: rows)
    }
}
