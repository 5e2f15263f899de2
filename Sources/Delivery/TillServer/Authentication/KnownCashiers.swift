import StationFiles
import TapcardCore
import Verbs

/// A cache of the cashier file's contents, because every request needs them. The file is reread
/// when it changes.
struct KnownCashiers {
    private var stamp: CashierFile.Stamp?
    private var cashiers: [Cashier]?

    mutating func cashiers(in file: CashierFile) throws(TapcardError) -> [Cashier] {
        let now = try file.stamp()
        if let cashiers, now == stamp { return cashiers }
        // If loading fails, the old list must not be used in its place.
        cashiers = nil
        // The stamp was taken before the file is read, so a change made in between is noticed next
        // time.
        stamp = now
        let found = try file.load()
        cashiers = found
        return found
    }
}
