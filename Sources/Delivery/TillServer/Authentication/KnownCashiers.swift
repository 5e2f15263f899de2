import StationFiles
import TapcardCore
import Verbs

/// A cache of the cashiers' file, reread when the file changes, because every request needs it.
struct KnownCashiers {
    private var stamp: CashierFile.Stamp?
    private var cashiers: [Cashier]?

    mutating func cashiers(in file: CashierFile) throws(TapcardError) -> [Cashier] {
        let now = try file.stamp()
        if let cashiers, now == stamp { return cashiers }
        // If loading fails, the old list must not be used for the changed file.
        cashiers = nil
        // The stamp is from before the reading, so a change in between is noticed the next time.
        stamp = now
        let found = try file.load()
        cashiers = found
        return found
    }
}
