import Cards
import Ledger
import TapcardDomain

extension Operation {
    /// Creates the operation for a journal line.
    init(_ line: JournalLine) {
        self.init(
            id: line.id, uid: line.uid, kind: .offline, amount: line.amount, beganAt: line.at)
    }
}

extension Receipt {
    /// Creates the receipt for a payment in the station's journal.
    init(
        _ line: JournalLine, in journal: OfflineJournal, balance: Money, limit: Money,
        isReplayed: Bool
    ) {
        let operation = Operation(
            id: line.id, uid: line.uid, kind: .offline, amount: line.amount,
            by: line.requester, beganAt: line.at,
            sequence: SealedRecord(line.record)?.sequence ?? .none,
            balanceAfter: balance.minorUnits)
        self.init(
            operation: operation, amount: operation.change(in: journal.currency),
            // The tag was only read, so phones still see the old balance.
            balance: balance, isReplayed: isReplayed, display: .outOfDate,
            unbooked: UnbookedPayments(
                unbooked: Money(minorUnits: journal.sum(), journal.currency), limit: limit))
    }
}
