import CardImage
import CardStore
public import Games
public import Ledger
public import TapcardDomain

/// A card as a tap shows it.
public struct CardReading: Sendable, Hashable {
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
        case unreachable

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
    /// The purchases at this station that the ledger has not booked; the balance is without them.
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
    /// The operations that earlier taps left open and this one settled.
    public var settled: [Settled]
    /// The operation that made or changed the card in this tap; nil if it was only read.
    public var operation: OperationID?
    /// Why the card cannot be trusted; nil where it can, or where it has no owner.
    public private(set) var problem: TapcardError?
    /// What the account held that this tap closed to make a new card of its tag; nil where it closed
    /// none, or an empty one.
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

extension CardReading {
    /// The card as it describes itself, for when the ledger cannot be asked.
    public func withoutLedger(_ problem: TapcardError) -> CardReading {
        var reading = self
        reading.ledger = problem.kind == .ledgerUnreachable ? .unreachable : .unavailable
        reading.problem = self.problem ?? problem
        (reading.closed, reading.sameHolderID) = (nil, [])
        return reading
    }

    /// The card with what is left of it, less purchases that are not booked.
    public func leaving(_ balance: Money, unbooked: Money) -> CardReading {
        var reading = self
        (reading.balance, reading.unbooked) = (balance, unbooked)
        return reading
    }

    /// A card that this ledger knows.
    fileprivate init(
        _ view: CardView, _ seal: Seal, at sequence: SequenceNumber?, _ display: DisplayState,
        ledger: Standing? = nil, settled: [Settled], problem: TapcardError? = nil
    ) {
        let content = view.card.content(sequence ?? .none, balance: view.balance)
        self.init(
            uid: view.card.uid, chip: view.card.chip, seal: seal, sequence: sequence,
            holder: content.holder, balance: view.balance, scratch: content.scratch,
            isActivating: view.activation != nil, ticket: view.card.ticket, game: view.card.game,
            ledger: ledger ?? Standing(view.card.status), display: display,
            protection: view.card.protection,
            originality: TagInfo.Originality(isGenuine: view.card.isGenuineChip),
            settled: settled, problem: problem)
    }
}

extension Station {
    /// Reads a card and settles what an interrupted tap left open on it. A card that cannot be
    /// trusted is shown with the reason, not refused. Without settling nothing is ever written, nor
    /// where the ledger can only be read.
    ///
    /// Without an answer of the ledger's server, the card is shown as it describes itself.
    public func read(settling isWanted: Bool = true) async throws(TapcardError) -> CardReading {
        do throws(TapcardError) {
            return try await run(CardLook(settling: isWanted && !ledger.isReadOnly))
        } catch {
            guard error.kind == .ledgerUnreachable else { throw error }
            return try await readAgainWithoutLedger(error)
        }
    }

    private func readAgainWithoutLedger(
        _ problem: TapcardError
    ) async throws(TapcardError) -> CardReading {
        var alone = withoutLedger
        alone.settings.wait = Station.returnLimit
        var reading: CardReading
        do throws(TapcardError) {
            reading = try await alone.run(CardLook(settling: false))
        } catch {
            // The card has been taken away in the meantime.
            throw error.result == .noCard ? problem : error
        }
        reading.settled = problem.settled
        return reading.withoutLedger(problem)
    }

    /// This station where its ledger cannot be asked: it knows no card, and reads what the cards
    /// say.
    var withoutLedger: Station {
        Station(
            reader: reader, ledger: InMemoryLedger(currency: currency), keySource: keySource,
            settings: settings, surroundings: surroundings)
    }

    /// Brings up to date what phones read: all that may be left to do on a settled card.
    func refreshDisplay(
        ofQuiet sight: Sight, _ view: CardView, _ history: TapHistory
    ) async -> DisplayState {
        let refreshed = await refreshDisplay(
            on: sight, content: view.card.content(sight.highest, balance: view.balance),
            of: view.card, rewritingAll: view.card.isDisplayStale)
        return refreshed == .current ? history.display : refreshed
    }

    func reading(
        quiet sight: Sight, _ view: CardView, _ history: TapHistory
    ) async -> CardReading {
        let display = await refreshDisplay(ofQuiet: sight, view, history)
        return reading(sight, view, display, nil, settled: settled(history))
    }

    fileprivate func asItLies(_ sight: Sight, _ view: CardView) -> DisplayState {
        let content = view.card.content(sight.highest, balance: view.balance)
        guard let pages = sight.pages else { return .current }
        return area(for: content, of: view.card, on: sight, pages) == pages.image.area
            ? .current : .outOfDate
    }

    fileprivate func reading(
        _ sight: Sight, _ view: CardView, _ display: DisplayState, _ problem: TapcardError?,
        settled: [Settled] = []
    ) -> CardReading {
        let seal: CardReading.Seal =
            switch problem?.kind {
            case .damaged: .damaged
            case .forged: .forged
            case .rolledBack: .rolledBack
            default: sight.slots.best == nil ? .unsealed : .valid
            }
        return CardReading(
            view, seal, at: sight.slots.best?.record.sequence, display,
            ledger: problem?.kind == .ledgerBehind ? .behind : nil, settled: settled,
            problem: problem)
    }

    /// A card of others is shown as it says it is; anything else is refused with what it is.
    fileprivate func reading(ofStranger sight: Sight) async throws(Interruption) -> CardReading {
        func reading(
            _ seal: CardReading.Seal, _ record: SealedRecord?, _ face: CardFace?,
            in other: Currency? = nil, _ problem: TapcardError? = nil
        ) -> CardReading {
            CardReading(
                uid: sight.uid, chip: sight.chip, seal: seal, sequence: record?.sequence,
                holder: face?.holder ?? .nobody,
                balance: record.map {
                    Money(minorUnits: Int64($0.balance), other ?? currency)
                } ?? face?.balance,
                scratch: record?.scratch(beside: face) ?? face?.scratch ?? .none,
                isActivating: false, ticket: face?.ticket, game: nil,
                ledger: .unknown, display: .current,
                protection: nil, originality: nil, settled: [], problem: problem)
        }
        switch try await stranger(sight) {
        case .sealed(let record, let face): return reading(.valid, record, face)
        case .sealedElsewhere(let record, let face, let other):
            return reading(.valid, record, face, in: other, otherCurrency(other, sight.uid))
        case .unsealed(let face): return reading(.unsealed, nil, face)
        case .untrusted(let problem):
            let seal = problem.kind == .keyMissing ? CardReading.Seal.unsealed : .forged
            return reading(seal, nil, sight.content.face, problem)
        case .blank, .senseless, .other:
            throw try await strangerRefusal(sight)
        }
    }

    /// The card as a change left it.
    public func reading(afterwards receipt: Receipt) async throws(TapcardError) -> CardReading {
        do {
            var reading = try await reading(
                of: receipt.uid, receipt.display, settled: receipt.settled)
            reading.operation = receipt.operation.id
            return reading
        } catch {
            throw error.error
        }
    }

    /// The card as it is after a change, from the ledger: the tag may have gone meanwhile.
    func reading(
        of uid: CardUID, _ display: DisplayState, settled: [Settled] = []
    ) async throws(Interruption) -> CardReading {
        let view = try await asking(await ledger.view(of: uid))
        guard let view else {
            throw .ledger(LedgerError(.corrupt, "card \(uid) has vanished"))
        }
        return CardReading(view, .valid, at: view.card.confirmed, display, settled: settled)
    }
}

/// One look at a card, whatever it is.
package struct CardLook: UseCase {
    private var tapping: Tapping<LookRequest>

    /// Without `settling` nothing is ever written.
    package init(settling: Bool = true) { tapping = Tapping(LookRequest(isSettling: settling)) }

    package mutating func step(at station: Station) async throws(TapcardError) -> CardReading? {
        try await tapping.step(at: station)
    }
}

private struct LookRequest: TapRequest {
    let isSettling: Bool

    var card: CardUID? { nil }

    func examine(
        _ sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        guard let view = sight.view else {
            return .done(try await station.reading(ofStranger: sight))
        }
        let verdict = station.verdict(on: sight)
        if !isSettling {
            let named = view.open.flatMap { verdict?.leavingOpen($0) } ?? verdict
            return .done(
                station.reading(sight, view, station.asItLies(sight, view), named))
        }
        // A fresh record that the tag cannot take hides nothing: the ledger has the balance.
        if verdict == nil, history.unusable != nil, view.open?.kind == .reseal {
            return .done(await station.reading(quiet: sight, view, history))
        }
        guard var problem = verdict, problem.kind != .refusal(.cardClosed) else { return .goOn }
        // Voids the open payment where that is due, and throws the problem with that.
        do throws(Interruption) {
            _ = try await station.settle(sight, for: nil, &history)
        } catch .refused(let refused) {
            problem = refused
            station.surroundings.progress(.hint(problem.what))
        }
        return .done(
            station.reading(
                sight, view, .outOfDate, problem, settled: station.settled(history)))
    }

    func carryOut(
        on sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        guard let view = sight.view else { return .lookAgain }
        return .done(await station.reading(quiet: sight, view, history))
    }
}
