import TapcardCore
import Verbs

/// The cashiers as they were read last: the file is read again when it is another one, because every
/// request asks who may come in.
struct KnownCashiers {
    private var stamp: CashierFile.Stamp?
    private var cashiers: [Cashier]?

    mutating func cashiers(in file: CashierFile) throws(TapcardError) -> [Cashier] {
        let now = try file.stamp()
        if let cashiers, now == stamp { return cashiers }
        cashiers = nil
        // Taken before reading: who changes it meanwhile is noticed the next time.
        stamp = now
        let found = try file.load()
        cashiers = found
        return found
    }
}
