import CardCryptography
package import Ledger
package import StationFiles
package import TapcardCore
package import TapcardDomain

/// Offline payments.
extension Session {
    package var offlinePayments: OfflinePayments {
        OfflinePayments(in: settings.dataFolder, memory: memoryPath)
    }

    /// The limits within which this station takes offline payments; nil if it takes no offline
    /// payments. A ledger in a file is never offline.
    package func offlineLimits(_ currency: Currency) throws(TapcardError) -> OfflineLimits? {
        guard settings.isOn(.offlinePayments), case .database = try settings.ledgerPlace else {
            return nil
        }
        return try settings.offlineLimits(currency)
    }

    /// A station that cannot ask its ledger; nil without keys, or where their currency is not
    /// known. `made` is the station of this command, if it has opened the reader already.
    func stationWithoutLedger(_ made: Station?) async throws(TapcardError) -> Station? {
        guard let keys = try keyFile.load() else { return nil }
        let set = try settings.currency
        guard let currency = made?.currency ?? set ?? keys.currency else { return nil }
        let source = KeyRingSource(keyFile, holding: keys)
        let ledger = InMemoryLedger(currency: currency)
        guard let made else { return try await station(with: ledger, source) }
        return Station(
            reader: made.reader, ledger: ledger, keySource: source, settings: made.settings,
            surroundings: made.surroundings)
    }

    /// Books what the station's journal has, before a tap. A tap does not depend on it: a failure
    /// is told and tried again at the next one.
    func bookOfflinePayments(into ledger: any LedgerStore, _ keys: KeyRing) async {
        guard offlinePayments.mayHaveLines else { return }
        do throws(TapcardError) {
            guard
                let booked = try await offlinePayments.book(
                    into: ledger, keys, at: surroundings.now()),
                booked.payments > 0
            else { return }
            say("tapcard: \(booked.sentence)\n")
        } catch {
            say("tapcard: offline payments are not booked: \(error.message.shown)\n")
        }
    }

    /// A card that was read, less what the station's journal has of it; as it was read where the
    /// journal cannot be used, which other commands report.
    package func lessUnbooked(_ summary: CardSummary) -> CardSummary {
        guard offlinePayments.mayHaveLines, let keys = try? keyFile.load() else { return summary }
        return (try? offlinePayments.lessUnbooked(summary, keys)) ?? summary
    }

    /// The station of a watch, and whether its keys were compared with those of the others. While
    /// the ledger is offline they cannot be: then cards are only read.
    package func watchingStation() async throws(TapcardError) -> (Station, isChecked: Bool) {
        let ledger = try await ledger()
        do throws(TapcardError) {
            return (try await station(with: ledger), true)
        } catch {
            guard error.kind == .ledgerOffline, let keys = try keyFile.load() else {
                throw error
            }
            return (
                try await station(with: ledger, KeyRingSource(keyFile, holding: keys)), false
            )
        }
    }

    /// Books what the station's journal has, and takes a snapshot where the station takes offline
    /// payments.
    package func keepOfflinePayments(
        with ledger: any LedgerStore
    ) async throws(TapcardError) -> OfflinePayments.Booked? {
        let limits = try offlineLimits(ledger.currency)
        guard limits != nil || offlinePayments.mayHaveLines, let keys = try keyFile.load() else {
            return nil
        }
        try await requireCommonKeys(keys, ledger)
        let booked = try await offlinePayments.book(
            into: ledger, keys, at: surroundings.now())
        if let limits {
            _ = try await offlinePayments.takeSnapshot(
                of: ledger, keys, within: limits, surroundings)
        }
        return booked
    }

    /// Takes a snapshot of the cards; nil where the station takes no offline payments.
    package func takeSnapshot(
        of ledger: any LedgerStore
    ) async throws(TapcardError) -> CardSnapshot? {
        guard let limits = try offlineLimits(ledger.currency), let keys = try keyFile.load() else {
            return nil
        }
        try await requireCommonKeys(keys, ledger)
        await bookOfflinePayments(into: ledger, keys)
        return try await offlinePayments.takeSnapshot(
            of: ledger, keys, within: limits, surroundings)
    }

    /// The state of the station's journal and snapshot; nil where it has neither.
    package func offlineStatus() throws(TapcardError) -> OfflinePayments.Status? {
        guard let keys = try keyFile.load() else { return nil }
        return try offlinePayments.status(
            keys, at: surroundings.now(), surroundings.uptime())
    }
}

extension OfflinePayments.Booked {
    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency) }

    /// One line for a person.
    package var sentence: String {
        let what = payments == 1 ? "1 offline payment" : "\(payments) offline payments"
        let loss =
            shortfall == 0 ? "" : "; cards could not pay \(money(shortfall).shown) of it"
        return "\(what) booked, \(money(amount).shown)\(loss)."
    }
}
