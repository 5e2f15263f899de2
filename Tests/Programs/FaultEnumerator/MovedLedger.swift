import Glibc
import Ledger
import SQLiteLedger
import TapcardDomain

/// A rule about files, which worlds in memory do not have: the ledger's file is moved away while a
/// payment is open, and the station goes on.
enum MovedLedger {
    /// Whether the payment is then refused, and a line that says so. A customer who was told "paid"
    /// would find no payment in the ledger that a backup restores.
    static func play() async -> (isNoticed: Bool, line: String) {
        var template = Array("/tmp/tapcard-rules-XXXXXX".utf8CString)
        unsafe template.withUnsafeMutableBufferPointer { characters in
            if let start = characters.baseAddress { _ = unsafe mkdtemp(start) }
        }
        let folder = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let path = folder + "/ledger.sqlite"
        defer {
            for name in ["ledger.sqlite", "moved", ".ledger.sqlite.lock"] {
                for suffix in ["", "-wal", "-shm"] { unsafe unlink("\(folder)/\(name)\(suffix)") }
            }
            unsafe rmdir(folder)
        }
        do {
            let ledger = try await SQLiteLedger.open(path: path, currency: .usd)
            let open = try await payment(in: ledger)
            unsafe rename(path, folder + "/moved")
            let confirmation = try? await ledger.confirm(open, at: time)
            await ledger.close()
            return (
                confirmation == nil,
                "  a payment into a ledger that was moved away: \(words(confirmation))"
            )
        } catch {
            return (false, "  the ledger cannot be used: \(error)")
        }
    }

    private static let time = Timestamp(milliseconds: 1_700_000_000_000)
    private static let sealer = RecordSealer(
        keyID: 1, seal: { content in [UInt8](repeating: UInt8(content.sequence.value), count: 16) })

    private static func payment(in ledger: SQLiteLedger) async throws(LedgerError) -> OpenOperation
    {
        let plan = CardPlan(
            origin: .issue, chip: .ntag213, isGenuineChip: nil, holder: .nobody, scratch: .none,
            face: .tapcard, balance: Money(minorUnits: 1_000, .usd), mayReissue: false, above: .none
        )
        let made = try await begin(.make(plan), 1, nil, in: ledger)
        _ = try await ledger.confirm(made, at: time)
        return try await begin(
            .pay(Money(minorUnits: 250, .usd)), 2,
            CardVersion(confirmed: made.content.sequence, open: nil), in: ledger)
    }

    private static func begin(
        _ action: CardAction, _ number: UInt8, _ version: CardVersion?, in ledger: SQLiteLedger
    ) async throws(LedgerError) -> OpenOperation {
        guard let uid = CardUID(bytes: [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]),
            let id = OperationID(bytes: [UInt8](repeating: number, count: 16))
        else { preconditionFailure("seven bytes are a card's number, sixteen an id") }
        let request = Request(id: id, uid: uid, action: action, at: time)
        guard
            case .begun(let open) = try await ledger.begin(
                request, version: version, sealer: sealer)
        else { throw LedgerError(.corrupt, "the request was not begun") }
        return open
    }

    private static func words(_ confirmation: Confirmation?) -> String {
        if case .committed? = confirmation { "said to be paid" } else { "refused" }
    }
}
