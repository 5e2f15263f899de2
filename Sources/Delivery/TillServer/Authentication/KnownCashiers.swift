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
        // If loading fails, the old list must not pass for the contents of the changed file.
        cashiers = nil
        // Taken before reading: a change in the meantime is noticed at the next read.
        stamp = now
        let found = try file.load()
        cashiers = found
        return found
    }
}
