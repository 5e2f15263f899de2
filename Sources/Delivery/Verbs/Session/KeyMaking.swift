import CardCryptography
import Ledger
import StationFiles
import TapcardCore

/// Makes the keys of a station.
struct KeyMaking {
    let session: Session

    init(_ session: Session) { self.session = session }

    /// Makes the keys. `isTold` suppresses the message for a command that prints the places itself.
    func make(
        beside ledger: any LedgerStore, isTold: Bool = false
    ) async throws(TapcardError) -> KeyRing {
        try session.places.makeDataFolder()
        let place = try session.settings.ledgerPlace
        if try session.keyFile.load() == nil {
            let first = try await LedgerAccess.asking { () throws(LedgerError) in
                try await ledger.read { rows throws(LedgerError) in
                    try rows.cards(after: nil, atMost: 1).first
                }
            }
            guard first == nil else { throw lostKeys }
        }
        let surroundings = session.surroundings
        let (keys, areNew) = try session.keyFile.loadOrMake(
            created: LocalTime.date(surroundings.now()), currency: ledger.currency,
            random: surroundings.random)
        if areNew, !isTold {
            let words =
                "first run, in \(ledger.currency.code). Keys are in \(session.settings.keyPath), the ledger "
                + "is in \(place)."
            for line in [words] + firstAdvice { session.say("tapcard: \(line.shown)\n") }
        }
        return keys
    }

    /// Advice about new keys and a new ledger.
    private var firstAdvice: [String] {
        if session.settings.isPlayMoney {
            return ["the reader is simulated: this is play money, apart from the real books."]
        }
        // A simulated station has printed its ledger already.
        if session.settings.readerIsSimulated { return [] }
        return [
            "back up the keys now (tapcard keys export FILE): without them your cards cannot be "
                + "told from forged ones."
        ]
    }

    var lostKeys: TapcardError {
        TapcardError(
            .keysUnusable,
            "The key file \(session.settings.keyPath) is missing, but the ledger has cards.",
            meaning: "Nothing was changed; without their keys these cards cannot be told from "
                + "forged ones.",
            advice: "Put the backup of your keys in its place, or bring it with tapcard keys "
                + "import FILE.")
    }
}
