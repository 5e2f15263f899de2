import CardCryptography
import Ledger
import StationFiles
import TapcardCore

/// Creates the keys for a station.
struct KeyCreation {
    let session: Session

    init(_ session: Session) { self.session = session }

    /// Creates the keys. `isQuiet` suppresses the message for a command that prints the paths
    /// itself.
    func make(
        beside ledger: any LedgerStore, isQuiet: Bool = false
    ) async throws(TapcardError) -> KeyRing {
        try session.places.makeDataFolder()
        let place = try session.settings.ledgerPlace
        if try session.keyFile.load() == nil {
            let first = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
                try await ledger.read { rows throws(LedgerError) in
                    try rows.cards(after: nil, atMost: 1).first
                }
            }
            // With new keys, every card would be rejected, and nobody would notice that the old
            // keys were lost.
            guard first == nil else { throw lostKeys }
        }
        let dependencies = session.dependencies
        let (keys, areNew) = try session.keyFile.loadOrMake(
            created: LocalTime.date(dependencies.now()), currency: ledger.currency,
            random: dependencies.random)
        if areNew, !isQuiet {
            let words =
                "created the keys in \(session.settings.keyPath); the ledger is in \(place), and "
                + "its currency is \(ledger.currency.code)"
            for line in [words] + firstAdvice { session.say("tapcard: \(line.shown)\n") }
        }
        return keys
    }

    /// Advice about new keys and a new ledger.
    private var firstAdvice: [String] {
        if session.settings.isPlayMoney {
            return [
                "the reader is simulated, so this is play money, kept apart from the real ledger"
            ]
        }
        // A simulated station that uses another ledger has already printed a warning.
        if session.settings.readerIsSimulated { return [] }
        return [
            "back up the keys now; without them, genuine cards will be rejected as forged: "
                + "tapcard keys export FILE"
        ]
    }

    var lostKeys: TapcardError {
        TapcardError(
            .keysUnusable,
            "The key file \(session.settings.keyPath) is missing, but the ledger has cards.",
            meaning:
                "Nothing was changed; all cards are refused, because without the keys, genuine and "
                + "forged cards look the same.",
            advice: "Restore the backup of the keys, or import them: tapcard keys import FILE")
    }
}
