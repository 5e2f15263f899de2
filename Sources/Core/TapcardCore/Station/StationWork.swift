import CardCryptography
import Ledger
import Tags
import TapcardDomain

/// Work at a station, in a type named after that work, with access to everything the station has.
protocol StationWork: Sendable {
    var station: Station { get }
}

extension StationWork {
    var reader: any TagReader { station.reader }
    var ledger: any LedgerStore { station.ledger }
    var keySource: KeyRingSource { station.keySource }
    var keys: KeyRing { station.keys }
    var settings: Station.Settings { station.settings }
    var surroundings: Station.Surroundings { station.surroundings }
    var currency: Currency { station.currency }
    var now: Timestamp { station.now }
    var cashier: CashierName? { station.cashier }
}
