import Cards
public import Ledger
public import TapcardDomain

/// A card as a tap shows it.
public struct CardSummary: Sendable, Hashable {
    /// The verdict on the records.
    public enum Seal: String, Sendable, CaseIterable {
        /// The record that counts has a valid seal.
        case valid
        /// The tag has no record with a seal.
        case unsealed
        /// The records are damaged.
        case damaged
        /// A record was never issued.
        case forged
        /// The card shows an older state than the ledger has confirmed.
        case rolledBack = "rolled-back"
    }

    /// The card's standing in the ledger.
    public enum Standing: String, Sendable, CaseIterable {
        /// The ledger knows the card, and it is active.
        case known
        /// The ledger does not know the card.
        case unknown
        /// The card is blocked.
        case blocked
        /// The card was closed and paid out.
        case closed
        /// Another card has taken its place.
        case replaced
        /// The card is ahead of the ledger, which was restored from a copy.
        case behind
        /// It cannot be asked.
        case unavailable
        /// Its server does not answer.
        case offline

        init(_ status: LedgerCard.Status) {
            switch status {
            case .active: self = .known
            case .blocked: self = .blocked
            case .closed: self = .closed
            case .replaced: self = .replaced
            }
        }
    }

    /// The card's number.
    public let uid: CardUID
    /// The chip of the tag.
    public let chip: Chip
    /// The verdict on the records.
    public let seal: Seal
    /// The sequence number of the record that counts; nil without one.
    public let sequence: SequenceNumber?
    /// The holder on the card.
    public let holder: Holder
    /// The balance; nil for a card that shows none that can be believed.
    public private(set) var balance: Money?
    /// The offline payments here that the ledger has not booked; the balance is without them.
    public private(set) var unbooked: Money?
    /// The state of the scratch card.
    public let scratch: ScratchCard
    /// Whether the service was asked to activate the code and its answer is not on the card yet.
    let isActivating: Bool
    /// The last ticket that counts; of a card that this ledger does not know, what it says.
    public let ticket: Ticket?
    /// The game that is kept on the card; nil for a card that this ledger does not know.
    public let game: MastermindGame?
    /// The card's standing in the ledger.
    public private(set) var ledger: Standing
    /// The state of the text that phones read.
    public let display: DisplayState
    /// Whether the tag asks for a password; nil for a card that this ledger does not know.
    public let protection: CardProtection?
    /// The verdict on the maker's signature when the card was made.
    public let originality: TagInfo.Originality?
    /// The operations that earlier taps left open and this one resolved.
    public var resolved: [ResolvedOperation]
    /// The operation that made or changed the card in this tap; nil if it was only read.
    public var operation: OperationID?
    /// Why the card cannot be trusted; nil where it can, or where it has no owner.
    public private(set) var problem: TapcardError?
    /// What the account held that this tap closed to make a new card of its tag; nil where it
    /// closed none, or an empty one.
    public var closed: Money?
    /// Tickets of the card that was issued anew: they were not claimed and cannot be from now on.
    public var ticketsGivenUp: [Ticket] = []
    /// The card of this ledger whose code was on the tag that was adopted. It has the code still.
    public var codeOwner: CardUID?
    /// Cards in use of somebody with another name that have the number of the new card's holder.
    public var sameHolderID: [CardUID] = []

    /// The word for `--json` and for people.
    public var stateWord: String? { isActivating ? "activating" : scratch.word }
}

extension CardSummary {
    /// The card as it describes itself, for when the ledger cannot be asked.
    public func withoutLedger(_ problem: TapcardError) -> CardSummary {
        var summary = self
        summary.ledger = problem.kind == .ledgerOffline ? .offline : .unavailable
        summary.problem = self.problem ?? problem
        (summary.closed, summary.sameHolderID) = (nil, [])
        return summary
    }

    /// The card with its balance, less payments that are not booked.
    public func leaving(_ balance: Money, unbooked: Money) -> CardSummary {
        var summary = self
        (summary.balance, summary.unbooked) = (balance, unbooked)
        return summary
    }

    /// A card that this ledger knows.
    fileprivate init(
        _ known: KnownCard, _ seal: Seal, at sequence: SequenceNumber?, _ display: DisplayState,
        ledger: Standing? = nil, resolved: [ResolvedOperation], problem: TapcardError? = nil
    ) {
        let content = known.card.content(sequence ?? .none, balance: known.balance)
        self.init(
            uid: known.card.uid, chip: known.card.chip, seal: seal, sequence: sequence,
            holder: content.holder, balance: known.balance, scratch: content.scratch,
            isActivating: known.activation != nil, ticket: known.card.ticket, game: known.card.game,
            ledger: ledger ?? Standing(known.card.status), display: display,
            protection: known.card.protection,
            originality: TagInfo.Originality(isGenuine: known.card.isGenuineChip),
            resolved: resolved, problem: problem)
    }
}

extension Station {
    /// Reads a card and resolves what an interrupted tap left open on it. A card that cannot be
    /// trusted is shown with the reason, not refused. Without resolving nothing is ever written,
    /// nor where the ledger can only be read.
    ///
    /// Without an answer of the ledger's server, the card is shown as it describes itself.
    public func read(resolving isWanted: Bool = true) async throws(TapcardError) -> CardSummary {
        do throws(TapcardError) {
            return try await run(ReadCard(resolving: isWanted && !ledger.isReadOnly))
        } catch {
            guard error.kind == .ledgerOffline else { throw error }
            return try await readAgainWithoutLedger(error)
        }
    }

    private func readAgainWithoutLedger(
        _ problem: TapcardError
    ) async throws(TapcardError) -> CardSummary {
        var alone = withoutLedger
        alone.settings.wait = Station.returnLimit
        var summary: CardSummary
        do throws(TapcardError) {
            summary = try await alone.run(ReadCard(resolving: false))
        } catch {
            // The card has been taken away in the meantime.
            throw error.result == .noCard ? problem : error
        }
        summary.resolved = problem.resolved
        return summary.withoutLedger(problem)
    }

    /// This station where its ledger cannot be asked: it knows no card, and reads what the cards
    /// say.
    var withoutLedger: Station {
        Station(
            reader: reader, ledger: InMemoryLedger(currency: currency), keySource: keySource,
            settings: settings, surroundings: surroundings)
    }

    func summary(
        quiet reading: CardReading, _ known: KnownCard, _ history: TapHistory
    ) async -> CardSummary {
        let display = await faces.refresh(ofQuiet: reading, known, history)
        return summary(reading, known, display, nil, resolved: history.resolved(in: currency))
    }

    fileprivate func summary(
        _ reading: CardReading, _ known: KnownCard, _ display: DisplayState,
        _ problem: TapcardError?,
        resolved: [ResolvedOperation] = []
    ) -> CardSummary {
        let seal: CardSummary.Seal =
            switch problem?.kind {
            case .damaged: .damaged
            case .forged: .forged
            case .rolledBack: .rolledBack
            default: reading.slots.best == nil ? .unsealed : .valid
            }
        return CardSummary(
            known, seal, at: reading.slots.best?.record.sequence, display,
            ledger: problem?.kind == .ledgerBehind ? .behind : nil, resolved: resolved,
            problem: problem)
    }

    /// A card of others is shown as it says it is; anything else is refused with what it is.
    fileprivate func summary(
        ofStranger reading: CardReading
    ) async throws(Interruption) -> CardSummary {
        func summary(
            _ seal: CardSummary.Seal, _ record: SealedRecord?, _ face: CardFace?,
            in other: Currency? = nil, _ problem: TapcardError? = nil
        ) -> CardSummary {
            CardSummary(
                uid: reading.uid, chip: reading.chip, seal: seal, sequence: record?.sequence,
                holder: face?.holder ?? .nobody,
                balance: record.map {
                    Money(minorUnits: Int64($0.balance), other ?? currency)
                } ?? face?.balance,
                scratch: record?.scratch(beside: face) ?? face?.scratch ?? .none,
                isActivating: false, ticket: face?.ticket, game: nil,
                ledger: .unknown, display: .current,
                protection: nil, originality: nil, resolved: [], problem: problem)
        }
        switch try await strangers.identify(reading) {
        case .sealed(let record, let face): return summary(.valid, record, face)
        case .sealedElsewhere(let record, let face, let other):
            return summary(
                .valid, record, face, in: other, strangers.otherCurrency(other, reading.uid))
        case .unsealed(let face): return summary(.unsealed, nil, face)
        case .untrusted(let problem):
            let seal = problem.kind == .keyMissing ? CardSummary.Seal.unsealed : .forged
            return summary(seal, nil, reading.content.face, problem)
        case .blank, .senseless, .other:
            throw try await strangers.refusal(reading)
        }
    }

    /// The card as a change left it.
    public func summary(afterwards receipt: Receipt) async throws(TapcardError) -> CardSummary {
        do {
            var summary = try await summary(
                of: receipt.uid, receipt.display, resolved: receipt.resolved)
            summary.operation = receipt.operation.id
            return summary
        } catch {
            throw error.error
        }
    }

    /// The card as it is after a change, from the ledger: the tag may have gone meanwhile.
    func summary(
        of uid: CardUID, _ display: DisplayState, resolved: [ResolvedOperation] = []
    ) async throws(Interruption) -> CardSummary {
        let known = try await asking(await ledger.knownCard(of: uid))
        guard let known else {
            throw .ledger(LedgerError(.corrupt, "card \(uid) has vanished"))
        }
        return CardSummary(known, .valid, at: known.card.confirmed, display, resolved: resolved)
    }
}

/// One look at a card, whatever it is.
package struct ReadCard: TapUseCase {
    var tap = Tap()
    private let isResolving: Bool

    /// Without `resolving` nothing is ever written.
    package init(resolving: Bool = true) { isResolving = resolving }

    var card: CardUID? { nil }

    mutating func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known else {
            return .done(try await station.summary(ofStranger: reading))
        }
        let verdict = station.resolver.verdict(on: reading)
        if !isResolving {
            let named = known.open.flatMap { verdict?.leavingOpen($0) } ?? verdict
            return .done(
                station.summary(
                    reading, known, station.faces.unresolvedDisplay(reading, known), named))
        }
        // A fresh record that the tag cannot take hides nothing: the ledger has the balance.
        if verdict == nil, tap.history.unusable != nil, known.open?.kind == .reseal {
            return .done(await station.summary(quiet: reading, known, tap.history))
        }
        guard var problem = verdict, problem.kind != .refusal(.cardClosed) else { return .goOn }
        // Voids the open payment where that is due, and throws the problem with that.
        do throws(Interruption) {
            _ = try await station.resolver.resolve(reading, for: nil, &tap.history)
        } catch .refused(let refused) {
            problem = refused
            station.surroundings.progress(.hint(problem.what))
        }
        return .done(
            station.summary(
                reading, known, .outOfDate, problem,
                resolved: tap.history.resolved(in: station.currency)))
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known else { return .readAgain }
        return .done(await station.summary(quiet: reading, known, tap.history))
    }
}
