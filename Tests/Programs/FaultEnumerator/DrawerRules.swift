import Ledger
import TapcardDomain

/// The rules for sales without a card and for shifts. Each is broken by the request that it refuses, and the audit
/// has to notice.
enum DrawerRules {
    static let all = [
        SafetyRule.saleIsUndoneOnce, .linesAddUp, .oneOpenShift, .expectedCashIsComplete,
    ].map { rule in
        Encounter(rule: rule) { (await DrawerRules.play(rule), 1) }
    }

    private static let time = Timestamp(milliseconds: 1_000)

    /// What the audit of a new ledger finds after the requests that the rule refuses.
    private static func play(_ rule: SafetyRule) async -> String? {
        let ledger = InMemoryLedger()
        do {
            switch rule {
            case .saleIsUndoneOnce: try await undoTwice(in: ledger)
            case .linesAddUp: try await sell(for: 351, in: ledger)
            case .oneOpenShift:
                try await openShift(1, in: ledger)
                try await openShift(2, in: ledger)
            default:
                try await openShift(1, in: ledger)
                try await sell(for: 350, in: ledger)
                _ = try await ledger.count(nil, 1_350, by: nil, at: time)
            }
            return try await ledger.audit().violations.first
        } catch {
            return "\(error)"
        }
    }

    private static func undoTwice(in ledger: InMemoryLedger) async throws {
        try await sell(for: 350, in: ledger)
        _ = try await ledger.undo(try id(1), id: try id(2), by: Requester(), at: time)
        _ = try await ledger.undo(try id(1), id: try id(3), by: Requester(), at: time)
    }

    /// Sells something that costs 350.
    private static func sell(for amount: Int64, in ledger: InMemoryLedger) async throws {
        let line = try SaleLine(name: try SaleText("Coffee"), price: 350)
        _ = try await ledger.book(
            CardlessOperation(
                id: try id(1), kind: .sale, amount: amount, lines: [line], at: time))
    }

    private static func openShift(_ number: UInt8, in ledger: InMemoryLedger) async throws {
        let shift = Shift(id: try id(number), openedAt: time, openedBy: nil, float: 1_000)
        _ = try await ledger.open(shift)
    }

    private static func id(_ number: UInt8) throws -> OperationID {
        guard let id = UniqueID(bytes: [UInt8](repeating: number, count: 16)) else {
            throw CancellationError()
        }
        return id
    }
}
