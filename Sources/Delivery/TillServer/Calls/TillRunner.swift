import BlockingLane
import CardCryptography
import Ledger
import OperatingSystem
import StationFiles
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// Runs commands for the pages of one till.
///
/// The reader and the ledger stay open. Only one operation at a time can use the reader; operations
/// that do not need it run in parallel. The caller pauses the watch while an operation uses the
/// reader.
struct TillRunner: Sendable {
    /// The outcome of a call.
    struct Answer: Sendable {
        /// The `--json` document. There may be one even if the card has a problem.
        let document: JSONValue?
        let problem: TapcardError?
    }

    /// An event for clients that watch the reader.
    enum Event: Sendable {
        /// A readable card with its `read --json` document. `seen` is when it was first detected,
        /// before it was read.
        case card(CardSummary, JSONValue, problem: TapcardError?, seen: ContinuousClock.Instant)
        /// A problem with the reader, or with a tag that is not a card. The tag is read only if the
        /// station has API tokens, because the till page does not need its content.
        case problem(TapcardError, (identity: TagIdentity, reading: TagReading?)? = nil)
        case gone
        /// The reader works and is empty.
        case empty
        case readerReturned(name: String)
    }

    private let session: Session
    private let reader: any TagReader
    private let operationsReader: SharedReader
    let ledger: any LedgerStore
    private let knownCashiers = Guarded(KnownEntries<CashierFile>())
    private let knownTokens = Guarded(KnownEntries<TokenFile>())
    private let knownKeys = Guarded(CachedKeys())

    init(_ session: Session, _ reader: any TagReader, _ ledger: any LedgerStore) {
        (self.session, self.reader, self.ledger) = (session, reader, ledger)
        operationsReader = SharedReader(reader)
    }

    var settings: Settings { session.settings }
    var printer: ReceiptPrinter { session.serviceCache.printer }
    var currency: Currency { ledger.currency }
    /// This machine's host name, which `tapcard tills list` shows.
    var serverName: String { LocalHost.name }
    /// The till's name; nil for the runner of a server without readers.
    var tillName: String? { settings.requester.till?.text }
    var readerIsSimulated: Bool { session.settings.readerIsSimulated }

    /// The current time, in the format of `--json` output.
    var time: String { LocalTime.iso(session.dependencies.now()) }
    func newID() -> OperationID { session.dependencies.newID() }
    func now() -> Timestamp { session.dependencies.now() }

    /// The issuer's keys; nil if there are none or the file cannot be read.
    var usableKeys: KeyRing? {
        knownKeys.withLock { known in (try? known.keys(in: session.keyFile)) ?? nil }
    }

    /// The station's cashiers.
    func cashiers() throws(TapcardError) -> [Cashier] {
        try knownCashiers.withLock { known throws(TapcardError) in
            try known.entries(in: session.settings.cashierFile)
        }
    }

    /// The station's API tokens.
    func tokens() throws(TapcardError) -> [APIToken] {
        try knownTokens.withLock { known throws(TapcardError) in
            try known.entries(in: session.settings.tokenFile)
        }
    }

    /// Creates tap events for API clients, without names or balances.
    var tapEvents: TapEvents {
        TapEvents(at: readerText, showingCards: false, session.dependencies)
    }

    /// Hashes a cashier's password at the current cost and stores the hash. Returns the cashier
    /// unchanged if that fails or if the password has changed in the meantime.
    func renewed(_ cashier: Cashier, _ password: String) -> Cashier {
        let salt = session.dependencies.random(PasswordHash.saltSize)
        let hash = PasswordHash(password, salt: salt)
        let renewed = (try? session.settings.cashierFile.replace(cashier, with: hash)) ?? nil
        return renewed ?? cashier
    }

    /// The state of an operation ID in the ledger.
    enum RecordedState: Sendable, Hashable {
        case nothing
        /// Begun but not resolved.
        case open
        /// Complete, and the ledger can answer a repeated request without a card.
        case answered
        /// Complete, but the ledger has no answer to a repeated request.
        case ended
        /// The ledger cannot be read.
        case unknown(TapcardError)
    }

    /// Looks up the state of an operation ID. The result is `answered` only if the operation's kind
    /// matches the call.
    func recordedState(of id: OperationID, for call: TillCall) async -> RecordedState {
        do throws(LedgerError) {
            // An activation attempt is recorded before the service is contacted, when no operation
            // exists yet.
            guard let operation = try await ledger.answer(to: id) else {
                if try await ledger.cardless(id) != nil { return .answered }
                return try await ledger.read { rows throws(LedgerError) in
                    if try rows.shift(id) != nil { return .answered }
                    return try rows.activation(id) == nil ? .nothing : .open
                }
            }
            if operation.state == .pending { return .open }
            // A different call with the same ID would still wait for a card.
            let answeredCalls: [Operation.Kind: [String]] = [
                .pay: ["pay", "sell"], .credit: ["sell"], .offline: ["pay", "sell"],
                .add: ["add"], .refund: ["refund"], .reverse: ["refund"], .close: ["close"],
                .scratch: ["scratch"], .payout: ["ticket/claim"],
            ]
            let isAnswered = answeredCalls[operation.kind]?.contains(call.path) == true
            return isAnswered ? .answered : .ended
        } catch {
            return .unknown(TapcardError(error))
        }
    }

    /// The kinds of requests among a card's latest committed operations, however long ago they
    /// were; nil if the ledger cannot be read. While the station has unbooked payments, one of them
    /// may be from this card, so `pay` is included.
    func earlierRequests(_ uid: CardUID) async -> Set<VisitRequest>? {
        let last = try? await ledger.read { rows throws(LedgerError) in
            try rows.operations(on: uid, last: TillRunner.operationsOfVisit)
        }
        guard let last else { return nil }
        var earlier = Set(
            last.filter { $0.state == .committed }.compactMap { VisitRequest($0.kind) })
        if session.journal.payments.mayHaveLines { earlier.insert(.pay) }
        return earlier
    }

    /// More operations than a card can have in one visit.
    private static let operationsOfVisit = 100

    /// The problem with the ledger; nil if it can be read and, with `isWriting`, can be written to.
    func ledgerProblem(isWriting: Bool) async -> TapcardError? {
        do throws(LedgerError) {
            // If a ledger cannot be written to, for example because the disk is full, it can often
            // still be read.
            if isWriting { try await ledger.write { _ in } }
            _ = try await ledger.read { rows throws(LedgerError) in
                try rows.operations(on: nil, last: 1).count
            }
            return nil
        } catch {
            return TapcardError(error)
        }
    }

    /// Whether the ledger's server is online; nil for a ledger in a file.
    func ledgerAnswers() async -> Bool? {
        guard case .database? = try? session.settings.ledgerPlace else { return nil }
        return await ledgerProblem(isWriting: false)?.kind != .ledgerOffline
    }

    /// The state of the ledger's database; nil for a file or if the database is offline.
    func database() async -> DatabaseReport? {
        (try? await ledger.databaseStatus(at: now())).flatMap(\.self).map(DatabaseReport.init)
    }

    /// Damage found by reading the whole ledger file; nil if there is none.
    func ledgerDamage() async -> TapcardError? {
        do throws(LedgerError) {
            try await ledger.checkStorage()
            return nil
        } catch {
            return TapcardError(error)
        }
    }

    /// Books the journal's offline payments and, if this station accepts offline payments, takes a
    /// snapshot of the cards.
    func keepOfflinePayments() async throws(TapcardError) -> OfflinePayments.Booked? {
        try await session.journal.keep(with: ledger)
    }

    /// The state of offline payments; nil if the station does not accept any.
    func offlinePayments() -> (status: OfflinePayments.Status?, limits: OfflineLimits)? {
        guard let limits = try? session.journal.limits(currency) ?? nil else { return nil }
        return ((try? session.journal.status()) ?? nil, limits)
    }

    /// Runs a command for a requester. Without a cashier, the one from the settings is used.
    ///
    /// Waits for a card as long as the settings allow; canceling the task ends the wait. If
    /// `withReader` is false, a request that needs a card fails with `reader-busy`.
    func carryOut(
        _ command: ParsedCommand, for requester: Requester = Requester(), withReader: Bool,
        progress: @escaping @Sendable (Station.Progress) -> Void
    ) async -> Answer {
        @Sendable func answer(with reader: any TagReader) async -> Answer {
            let session = session(
                for: command, requester, reader: reader, progress: progress)
            do throws(TapcardError) {
                let report = try await command.verb.run(in: session)
                return Answer(document: report.document, problem: report.problem)
            } catch {
                return Answer(document: nil, problem: error)
            }
        }
        // `TakenReader` reports that the reader is busy, so only requests that need a card fail.
        guard withReader else { return await answer(with: TakenReader()) }
        return await operationsReader.use { await answer(with: $0) }
    }

    /// Reports each card on the reader until the task is canceled.
    func watch(_ show: @escaping @Sendable (Event) async -> Bool) async {
        let station: Station
        let isChecked: Bool
        // A slow reading must not make a card that lost contact for a moment look like one that
        // was away.
        let seen = Guarded<ContinuousClock.Instant?>(nil)
        @Sendable func note(_ progress: Station.Progress) {
            guard case .cardSeen = progress else { return }
            seen.withLock { $0 = $0 ?? .now }
        }
        do throws(TapcardError) {
            (station, isChecked) = try await session(for: session.command, progress: note)
                .watchingStation()
        } catch {
            _ = await show(.problem(error))
            return
        }
        let readsTags = { @Sendable in !((try? tokens()) ?? []).isEmpty }
        await station.watchTags(resolving: isChecked, reading: readsTags) { tag, reading, error in
            await show(.problem(error, (tag, reading))) && !error.isTransient
        } _: { event in
            switch event {
            case .card(let reading):
                let report = Report(
                    self.session.journal.subtractingUnbooked(reading), currency: station.currency)
                // If this watch ends, the next one compares the keys again.
                let continues = isChecked && report.problem?.isTransient != true
                let first = seen.withLock { $0 } ?? .now
                return await show(
                    .card(
                        reading, report.document ?? .null, problem: report.problem, seen: first))
                    && continues
            case .problem(let error):
                return await show(.problem(error)) && !error.isTransient
            case .gone:
                seen.withLock { $0 = nil }
                return await show(.gone)
            case .empty:
                seen.withLock { $0 = nil }
                return await show(.empty)
            case .readerReturned(let name): return await show(.readerReturned(name: name))
            }
        }
    }

    /// The reader's display name.
    var readerName: String { get async { await reader.name } }

    /// What was found on the reader.
    enum Presence: Sendable {
        case card(CardUID?)
        case empty
        /// Several tags, or no reader.
        case problem(TapcardError)
    }

    /// Checks what is on the reader. If `again` is true, a reader that seems empty is checked a
    /// second time, because a card that moves slightly can lose contact for a moment.
    func checkPresence(again: Bool) async -> Presence {
        let first = await checkPresenceOnce()
        guard again, case .empty = first else { return first }
        try? await session.dependencies.sleep(Station.presenceInterval)
        return await checkPresenceOnce()
    }

    private func checkPresenceOnce() async -> Presence {
        do throws(ReaderError) {
            return .card(CardUID(bytes: try await reader.select(within: .zero).uid))
        } catch {
            return switch error.kind {
            // With these errors, a card may still be on the reader.
            case .severalTags, .noReader, .busy, .readerLost, .cancelled:
                .problem(TapcardError(error))
            case .noTag, .tagLost, .garbled, .timedOut, .refused, .unsupported: .empty
            }
        }
    }

    /// The reader's name as given on the command line.
    var readerText: String { session.settings.readerText }

    /// The settings that a page needs before its first operation. `serverAddress` is the server's
    /// own address, if several servers share the ledger.
    func settings(
        tills: Int, demoPace: Bool, asksForPassword: Bool, serverAddress: String?
    ) -> JSONValue {
        func amounts(_ amounts: [Money]?) -> JSONValue {
            .array((amounts ?? []).map { .text($0) })
        }
        // An invalid setting leaves out the buttons, but must not keep the page from loading.
        let presets = try? session.settings.presets(currency)
        let price = (try? session.settings.ticketPrice(currency))
        return [
            "version": .string(Release.version), "currency": .string(currency.code),
            "symbol": .string(currency.sign),
            "decimals": .number(currency.decimals),
            "decimalSeparator": .string(
                session.settings.acceptsDecimalComma(in: currency) ? "," : "."),
            "presets": ["add": amounts(presets)],
            "express": .bool(session.settings.isOn(.express)),
            "services": .array(session.settings.namedServices.map { .string($0) }),
            "demoPace": .bool(demoPace), "login": .string(asksForPassword ? "password" : "none"),
            "simulator": .bool(readerIsSimulated),
            "chips": .array(Chip.allCases.map { .string($0.name) }),
            "ticketPrice": .text(price), "tills": .number(tills),
            "printsReceipts": .bool(session.settings.printsReceipts),
            "shiftRequired": .bool(session.settings.isOn(.shiftRequired)),
            "cashStep": .text(Money(minorUnits: currency.cashStep, currency)),
            "serverAddress": .text(serverAddress),
        ]
    }

    /// Whether a payment of this amount needs a confirmation.
    func mustConfirmPayment(of command: ParsedCommand) throws(TapcardError) -> Bool {
        try session.settings.mustConfirmPayment(command, in: currency)
    }

    /// Confirms a service's built-in address. Returns false if a different address is set.
    func confirm(_ setting: String, _ address: String) throws(TapcardError) -> Bool {
        try session.settings.confirm(setting, address)
    }

    private func session(
        for command: ParsedCommand, _ requester: Requester = Requester(),
        reader: (any TagReader)? = nil,
        progress: @escaping @Sendable (Station.Progress) -> Void = { _ in }
    ) -> Session {
        return Session(
            command: command, settings: session.settings.using(requester),
            outputOptions: .forPages,
            drivers: session.drivers.sharing(reader ?? self.reader, ledger, progress),
            console: session.console.silent, output: StandardOutput(session.console.silent),
            // All commands share the services, so that connections stay open between requests.
            serviceCache: session.serviceCache, finalMessage: FinalMessage())
    }
}

extension TapcardError {
    /// Whether the problem is with the ledger and affects all cards. In that case, the card on the
    /// reader is reread until the keys can be compared and its operation can be resolved.
    fileprivate var isTransient: Bool { result == .ledger && kind != .ledgerBehind }
}
