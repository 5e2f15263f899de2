import CardCryptography
package import Ledger
package import StationFiles
package import TapcardCore
package import TapcardDomain

/// A command's access to the station's journal of offline payments and its snapshot.
package struct JournalKeeping {
    private let session: Session
    package let payments: OfflinePayments

    init(_ session: Session) {
        self.session = session
        payments = OfflinePayments(
            in: session.settings.dataFolder, memory: session.settings.memoryPath)
    }

    /// The limits for this station's offline payments; nil if it does not take any. A ledger in a
    /// file is never offline.
    package func limits(_ currency: Currency) throws(TapcardError) -> OfflineLimits? {
        let settings = session.settings
        guard settings.isOn(.offlinePayments), case .database = try settings.ledgerPlace else {
            return nil
        }
        return try settings.offlineLimits(currency)
    }

    /// A station that works without its ledger; nil if there are no keys or the currency is
    /// unknown. `openStation` is this command's station if it has already opened the reader.
    func stationWithoutLedger(_ openStation: Station?) async throws(TapcardError) -> Station? {
        guard let keys = try session.keyFile.load() else { return nil }
        let configured = try session.settings.currency
        guard let currency = openStation?.currency ?? configured ?? keys.currency else {
            return nil
        }
        let source = KeyRingSource(session.keyFile, holding: keys)
        // The ledger is an empty stand-in, because offline payments are checked against the
        // snapshot, not the ledger.
        let ledger = InMemoryLedger(currency: currency)
        guard let openStation else { return try await session.station(with: ledger, source) }
        // A command can open a reader only once, so the reader that is already open is used.
        return Station(
            reader: openStation.reader, ledger: ledger, keySource: source,
            settings: openStation.settings,
            dependencies: openStation.dependencies)
    }

    /// Books the payments in the station's journal before a tap. The tap does not depend on this: a
    /// failure is reported, and the next tap tries again.
    func book(into ledger: any LedgerStore, _ keys: KeyRing) async {
        guard payments.mayHaveLines else { return }
        do throws(TapcardError) {
            guard
                let booked = try await payments.book(
                    into: ledger, keys, at: session.dependencies.now()),
                booked.payments > 0
            else { return }
            session.say("tapcard: \(booked.sentence)\n")
        } catch {
            session.say(
                "tapcard: booking this machine's offline payments was not completed; the next "
                    + "command will continue with it: \(error.message.shown)\n")
        }
    }

    /// The summary of a card, with its balance reduced by its payments in the station's journal. If
    /// the journal cannot be used, the summary is unchanged; other commands report that problem.
    package func subtractingUnbooked(_ summary: CardSummary) -> CardSummary {
        guard payments.mayHaveLines, let keys = try? session.keyFile.load() else { return summary }
        return (try? payments.subtractingUnbooked(summary, keys)) ?? summary
    }

    /// Books the payments in the station's journal and, if the station takes offline payments,
    /// takes a snapshot.
    package func keep(
        with ledger: any LedgerStore
    ) async throws(TapcardError) -> OfflinePayments.Booked? {
        let limits = try limits(ledger.currency)
        // Payments may be left in the journal even if offline payments have been turned off.
        guard limits != nil || payments.mayHaveLines, let keys = try session.keyFile.load() else {
            return nil
        }
        try await session.requireCommonKeys(keys, ledger)
        let booked = try await payments.book(
            into: ledger, keys, at: session.dependencies.now())
        // A snapshot taken before the booking would let the same money be spent twice.
        if let limits {
            _ = try await payments.takeSnapshot(
                of: ledger, keys, within: limits, session.dependencies)
        }
        return booked
    }

    /// Takes a snapshot of the cards; nil if the station does not take offline payments.
    package func takeSnapshot(
        of ledger: any LedgerStore
    ) async throws(TapcardError) -> CardSnapshot? {
        guard let limits = try limits(ledger.currency), let keys = try session.keyFile.load() else {
            return nil
        }
        try await session.requireCommonKeys(keys, ledger)
        // The payments in the journal are booked first; otherwise, the snapshot would show the
        // money that they spent as still available.
        await book(into: ledger, keys)
        return try await payments.takeSnapshot(
            of: ledger, keys, within: limits, session.dependencies)
    }

    /// The state of the station's journal and snapshot; nil if it has neither.
    package func status() throws(TapcardError) -> OfflinePayments.Status? {
        guard let keys = try session.keyFile.load() else { return nil }
        return try payments.status(
            keys, at: session.dependencies.now(), session.dependencies.uptime())
    }
}

extension OfflinePayments.Booked {
    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency) }

    /// One line for the user.
    package var sentence: String {
        let what = payments == 1 ? "1 offline payment" : "\(payments) offline payments"
        let loss =
            shortfall == 0
            ? ""
            : "; the cards were short by \(money(shortfall).shown), which is the issuer's loss"
        return "Booked \(what), \(money(amount).shown) in total\(loss)."
    }
}
