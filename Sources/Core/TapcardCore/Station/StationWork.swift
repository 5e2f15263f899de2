import CardCryptography
import Ledger
import Tags
import TapcardDomain

/// A part of a station's work. A conforming type has access to everything that the station has.
protocol StationWork: Sendable {
    var station: Station { get }
}

extension StationWork {
    var reader: any TagReader { station.reader }
    var ledger: any LedgerStore { station.ledger }
    var keySource: KeyRingSource { station.keySource }
    var keys: KeyRing { station.keys }
    var settings: Station.Settings { station.settings }
    var dependencies: Station.Dependencies { station.dependencies }
    var currency: Currency { station.currency }
    var now: Timestamp { station.now }
    var requester: Requester { station.requester }
}
