package import CardCryptography
import Cards
package import Ledger
package import TapcardDomain
import TextCodecs

/// An offline payment in a station's journal.
package struct JournalLine: Sendable, Hashable {
    package let number: Int64
    package let id: OperationID
    package let uid: CardUID
    package let chip: Chip
    package let account: Int
    /// The 16 bytes of the record on the tag.
    package let record: [UInt8]
    /// The amount in minor units.
    package let amount: Int64
    /// What was sold; empty if only the amount is known.
    package let lines: [SaleLine]
    package let requester: Requester
    package let at: Timestamp

    package init(
        number: Int64, id: OperationID, uid: CardUID, chip: Chip, account: Int, record: [UInt8],
        amount: Int64, lines: [SaleLine] = [], by requester: Requester, at: Timestamp
    ) {
        (self.number, self.id, self.uid, self.chip) = (number, id, uid, chip)
        (self.account, self.record, self.amount) = (account, record, amount)
        (self.lines, self.requester, self.at) = (lines, requester, at)
    }

    /// The balance in the tag's record, in minor units.
    package var balanceOnTag: Int64 { SealedRecord(record).map { Int64($0.balance) } ?? 0 }

    /// The text of the line, without its seal.
    fileprivate var text: String {
        // Texts are encoded in hexadecimal because they may contain spaces, which separate the
        // fields of a line. Missing ones at the end are left out, as in the lines of earlier
        // versions: a seal covers the exact text.
        let (name, till) = (requester.cashier?.text, requester.till?.text)
        let texts =
            till != nil
            ? [name, lines.stored, till] : [name] + (lines.isEmpty ? [] : [lines.stored])
        return
            "\(number) \(id) \(uid) \(chip.rawValue) \(account) \(Hexadecimal.encode(record)) "
            + "\(amount) \(at.milliseconds) "
            + texts.map { $0.map { Hexadecimal.encode(Array($0.utf8)) } ?? "-" }
            .joined(separator: " ")
    }

    fileprivate init?(fields: [String]) {
        // Earlier versions wrote neither lines nor a till.
        guard (9...11).contains(fields.count), let number = Int64(fields[0]),
            let id = OperationID(fields[1]),
            let uid = CardUID(fields[2]), let chip = Chip(rawValue: fields[3]),
            let account = Int(fields[4]), let record = Hexadecimal.decode(fields[5]),
            record.count == SealedRecord.byteCount, let amount = Int64(fields[6]), amount > 0,
            let milliseconds = Int64(fields[7])
        else { return nil }
        var lines: [SaleLine] = []
        var requester = Requester()
        for (field, text) in zip(8..., fields[8...]) where text != "-" {
            guard let bytes = Hexadecimal.decode(text) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            switch field {
            case 8:
                guard let name = try? CashierName(text) else { return nil }
                requester.cashier = name
            case 9:
                guard let sold = [SaleLine](stored: text) else { return nil }
                lines = sold
            default:
                guard let name = try? TillName(text) else { return nil }
                requester.till = name
            }
        }
        self.init(
            number: number, id: id, uid: uid, chip: chip, account: account, record: record,
            amount: amount, lines: lines, by: requester,
            at: Timestamp(milliseconds: milliseconds))
    }
}

/// The payments that a station has accepted but the ledger has not booked yet, oldest first. Each
/// line's seal also covers the previous seal, so no line can be removed or inserted unnoticed.
package struct OfflineJournal: Sendable, Hashable {
    /// Why a journal cannot be read.
    package enum Unreadable: Error, Sendable, Hashable {
        case notAJournal
        /// The journal is sealed with a key that this station lacks.
        case keyMissing(UInt8)
        /// This line has been changed since the station wrote it.
        case altered(line: Int)
    }

    private static let title = "tapcard-journal-1"
    private static let purpose = "journal"
    private static let sealSize = 16

    package let id: JournalID
    package let currency: Currency
    /// The ID of the ledger that will book the payments; nil for a ledger on one machine.
    package let ledgerID: String?
    /// The number of the last line that has been booked and dropped.
    package private(set) var booked: Int64
    package private(set) var lines: [JournalLine] = []
    /// The keys that seal the lines.
    private var masters: CardKeys
    private var lastSeal: [UInt8]

    package init(
        id: JournalID, currency: Currency, ledgerID: String?, booked: Int64 = 0, under keys: KeyRing
    ) {
        (self.id, self.currency, self.ledgerID) = (id, currency, ledgerID)
        (self.booked, masters, lastSeal) = (booked, keys.sealing.masters, [])
        // The seal of the first line covers the seal of the head.
        lastSeal = code(of: head)
    }

    /// The number of the last line ever written, even if it has since been dropped.
    package var written: Int64 { lines.last?.number ?? booked }

    /// Whether both journals are for the same ledger.
    package func hasSameLedger(as other: OfflineJournal) -> Bool {
        ledgerID == other.ledgerID && currency == other.currency
    }

    package func line(_ id: OperationID) -> JournalLine? { lines.first { $0.id == id } }

    /// The sum of the payments, in minor units. If a card is given, only its payments count.
    package func sum(of uid: CardUID? = nil) -> Int64 {
        lines.reduce(0) { $0 + (uid == nil || uid == $1.uid ? $1.amount : 0) }
    }

    /// Adds the next line and returns the bytes to append to the file.
    package mutating func append(_ line: JournalLine) -> [UInt8] {
        precondition(line.number == written + 1, "a journal's numbers have no gaps")
        let bytes = sealed(line.text)
        lines.append(line)
        return bytes
    }

    /// Drops the lines up to this number, which the ledger has booked, and reseals the remaining
    /// lines with the current key.
    package mutating func drop(through number: Int64, under keys: KeyRing) {
        // No line number may be used twice, so `booked` must never decrease or exceed the last
        // line's number.
        booked = max(booked, min(number, written))
        lines.removeAll { $0.number <= number }
        reseal(under: keys)
    }

    /// Reseals every line with the current key.
    package mutating func reseal(under keys: KeyRing) {
        masters = keys.sealing.masters
        _ = resealed()
    }

    /// The contents of the whole file.
    package var bytes: [UInt8] {
        // Sealing changes `lastSeal`, so it is done on a copy.
        var copy = self
        return copy.resealed()
    }

    private mutating func resealed() -> [UInt8] {
        // The chain of seals starts over at the head.
        lastSeal = []
        var bytes = sealed(head)
        for line in lines { bytes += sealed(line.text) }
        return bytes
    }

    /// The payment as the ledger books it.
    package func payment(_ line: JournalLine) -> OfflinePayment {
        OfflinePayment(
            id: line.id, uid: line.uid, chip: line.chip, account: line.account,
            sequence: SealedRecord(line.record)?.sequence ?? .none, amount: line.amount,
            lines: line.lines, by: line.requester, at: line.at, journal: id, number: line.number)
    }

    private var head: String {
        "\(OfflineJournal.title) \(id) \(currency.code) \(ledgerID ?? "-") \(masters.keyID) "
            + "\(booked)"
    }

    private mutating func sealed(_ text: String) -> [UInt8] {
        lastSeal = code(of: text)
        return Array("\(text) \(Hexadecimal.encode(lastSeal))\n".utf8)
    }

    private func code(of text: String) -> [UInt8] {
        // Each seal covers the previous one, so a line cannot be removed, inserted, or moved.
        let code = masters.seal(of: lastSeal + Array(text.utf8), for: OfflineJournal.purpose)
        return Array(code.prefix(OfflineJournal.sealSize))
    }
}

extension OfflineJournal {
    /// Reads a journal file. If a power failure cut off the last line, that line is ignored,
    /// because it was never acknowledged. `length` is the offset at which the next line is
    /// appended.
    package static func parsing(
        _ bytes: [UInt8], _ keys: KeyRing
    ) throws(Unreadable) -> (journal: OfflineJournal, length: Int) {
        let (journal, length, altered) = try intactPart(in: bytes, keys)
        if let altered { throw .altered(line: altered) }
        return (journal, length)
    }

    /// Reads a journal file up to the first altered line; the seals before that line are valid.
    /// `altered` is the number of the altered line, if there is one.
    package static func intactPart(
        in bytes: [UInt8], _ keys: KeyRing
    ) throws(Unreadable) -> (journal: OfflineJournal, length: Int, altered: Int?) {
        var lines = bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The last line feed is followed by nothing or by an incomplete line. A disk may also have
        // kept the line feed but lost the bytes before it, leaving zeros.
        _ = lines.popLast()
        if let last = lines.last, lines.count > 1, last.contains(0) { lines.removeLast() }
        guard let first = lines.first, var journal = try OfflineJournal(head: first, keys) else {
            throw .notAJournal
        }
        var length = first.count + 1
        for (index, bytes) in lines.enumerated().dropFirst() {
            guard let (fields, seal) = OfflineJournal.parts(of: bytes),
                // A gap in the numbers means that lines are missing.
                let line = JournalLine(fields: fields), line.number == journal.written + 1,
                // The comparison takes constant time, so its duration reveals nothing about the
                // seal.
                ConstantTime.equal(seal, journal.code(of: line.text))
            else { return (journal, length, index + 1) }
            _ = journal.append(line)
            length += bytes.count + 1
        }
        return (journal, length, nil)
    }

    private init?(head bytes: ArraySlice<UInt8>, _ keys: KeyRing) throws(Unreadable) {
        guard let (fields, code) = OfflineJournal.parts(of: bytes), fields.count == 6,
            fields[0] == OfflineJournal.title,
            let id = JournalID(fields[1]),
            let currency = Currency(code: fields[2]), let keyID = UInt8(fields[4]),
            let booked = Int64(fields[5]), booked >= 0
        else { return nil }
        guard let entry = keys.entry(keyID) else { throw .keyMissing(keyID) }
        self.id = id
        self.currency = currency
        ledgerID = fields[3] == "-" ? nil : fields[3]
        (self.booked, masters, lastSeal) = (booked, entry.masters, [])
        // The head is checked with the key that it specifies, so a changed key ID is detected, too.
        guard ConstantTime.equal(code, self.code(of: head)) else { throw .altered(line: 1) }
        lastSeal = code
    }

    private static func parts(of bytes: ArraySlice<UInt8>) -> (fields: [String], seal: [UInt8])? {
        var fields = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { String($0) }
        guard let seal = fields.popLast().flatMap({ Hexadecimal.decode($0) }) else { return nil }
        return (fields, seal)
    }
}
