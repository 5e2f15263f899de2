import Cards
public import Ledger
public import TapcardDomain

/// What a tap reports about a card.
public struct CardSummary: Sendable, Hashable {
    /// The result of checking the card's records.
    public enum Seal: String, Sendable, CaseIterable {
        /// The record that counts has a valid seal.
        case valid
        /// The tag has no record with a valid seal, but is not considered damaged or forged.
        case unsealed
        /// The records are damaged.
        case damaged
        /// A record on the tag was never issued.
        case forged
        /// The card's record is older than the one that the ledger has confirmed.
        case rolledBack = "rolled-back"
    }

    /// The card's standing in the ledger.
    public enum Standing: String, Sendable, CaseIterable {
        /// The card is in the ledger and active.
        case known
        /// The card is not in the ledger.
        case unknown
        /// The card is blocked.
        case blocked
        /// The card was closed and its balance was paid out.
        case closed
        /// Another card has replaced this one.
        case replaced
        /// The card is ahead of the ledger, which was restored from a backup.
        case behind
        /// The ledger cannot be used.
        case unavailable
        /// The ledger's server does not respond.
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
    /// The tag's chip.
    public let chip: Chip
    /// The result of checking the card's records.
    public let seal: Seal
    /// The number of the record that counts; nil if there is none.
    public let sequence: SequenceNumber?
    /// The cardholder.
    public let holder: Holder
    /// The balance; nil if there is none that can be trusted.
    public private(set) var balance: Money?
    /// Offline payments taken here that the ledger has not booked yet, already subtracted from the
    /// balance.
    public private(set) var unbooked: Money?
    /// The state of the scratch card.
    public let scratch: ScratchCard
    /// Whether activation of the code was requested but the service's response is not on the card
    /// yet.
    let isActivating: Bool
    /// The last valid ticket. For a card that is not in this ledger, the ticket in the text for
    /// phones.
    public let ticket: Ticket?
    /// The game stored on the card; nil for a card that is not in this ledger.
    public let game: MastermindGame?
    /// The card's standing in the ledger.
    public private(set) var ledger: Standing
    /// Whether phones see the current state.
    public let display: DisplayState
    /// The tag's protection; nil for a card that is not in this ledger.
    public let protection: CardProtection?
    /// The result of checking the manufacturer's signature when the card was made.
    public let originality: TagInfo.Originality?
    /// The operations that earlier taps left open and this tap resolved.
    public var resolved: [ResolvedOperation]
    /// The operation that made or changed the card in this tap; nil if it was only read.
    public var operation: OperationID?
    /// What is wrong with the card or, if the card was read without the ledger, with the ledger;
    /// nil if nothing is.
    public private(set) var problem: TapcardError?
    /// The balance of the account that this tap closed to make the tag into a new card; nil if
    /// there was no such account or it was empty.
    public var closed: Money?
    /// Tickets that had not been claimed and no longer can be, because the card was reissued.
    public var ticketsGivenUp: [Ticket] = []
    /// The card in this ledger that already has the code found on the adopted tag, and keeps it.
    public var codeOwner: CardUID?
    /// Other cards in use that have the new card's cardholder number but a different name.
    public var sameHolderID: [CardUID] = []

    /// The word for the state of the scratch card, for users and in JSON; nil if there is no
    /// scratch card.
    public var stateWord: String? { isActivating ? "activating" : scratch.word }
}

extension CardSummary {
    /// This summary for a card that was read without the ledger because of this problem.
    public func withoutLedger(_ problem: TapcardError) -> CardSummary {
        var summary = self
        summary.ledger = problem.kind == .ledgerOffline ? .offline : .unavailable
        summary.problem = self.problem ?? problem
        // Both come from the ledger, which could not be queried.
        (summary.closed, summary.sameHolderID) = (nil, [])
        return summary
    }

    /// This summary with this balance, from which the unbooked payments have already been
    /// subtracted.
    public func withBalance(_ balance: Money, unbooked: Money) -> CardSummary {
        var summary = self
        (summary.balance, summary.unbooked) = (balance, unbooked)
        return summary
    }

    /// Creates the summary of a card in this ledger.
    init(
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

/// Creates the summaries of cards.
struct CardSummaries: StationWork {
    let station: Station

    /// Updates the text for phones if necessary, and returns the card's summary. Nothing else on
    /// the card may need an update.
    func refreshed(
        _ reading: CardReading, _ known: KnownCard, _ history: TapHistory
    ) async -> CardSummary {
        let display = await station.faceWriter.refresh(ofResolved: reading, known, history)
        return self.known(reading, known, display, nil, resolved: history.resolved(in: currency))
    }

    /// The summary of a card in this ledger, with the reason why it cannot be trusted, if any.
    func known(
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

    /// The summary of a card from another ledger or made by other software, based on the tag's own
    /// content. Any other tag is refused with a description of what it holds.
    func unknown(_ reading: CardReading) async throws(Interruption) -> CardSummary {
        func summary(
            _ seal: CardSummary.Seal, _ record: SealedRecord?, _ face: CardFace?,
            in other: Currency? = nil, _ problem: TapcardError? = nil
        ) -> CardSummary {
            CardSummary(
                uid: reading.uid, chip: reading.chip, seal: seal, sequence: record?.sequence,
                holder: face?.holder ?? .nobody,
                // The sealed balance takes precedence over the JSON, which anyone can write.
                balance: record.map {
                    Money(minorUnits: Int64($0.balance), other ?? currency)
                } ?? face?.balance,
                scratch: record?.scratch(beside: face) ?? face?.scratch ?? .none,
                isActivating: false, ticket: face?.ticket, game: nil,
                ledger: .unknown, display: .current,
                protection: nil, originality: nil, resolved: [], problem: problem)
        }
        switch try await station.unknownTags.identify(reading) {
        case .sealed(let record, let face): return summary(.valid, record, face)
        case .sealedElsewhere(let record, let face, let other):
            return summary(
                .valid, record, face, in: other,
                station.unknownTags.otherCurrency(other, reading.uid)
            )
        case .unsealed(let face): return summary(.unsealed, nil, face)
        case .untrusted(let problem):
            // Without the record's key, nobody can tell whether the record is forged.
            let seal = problem.kind == .keyMissing ? CardSummary.Seal.unsealed : .forged
            return summary(seal, nil, reading.content.face, problem)
        case .blank, .invalidCardData, .other:
            throw try await station.unknownTags.refusal(reading)
        }
    }

    /// The summary of a card after a change. It comes from the ledger, because the tag may have
    /// been removed in the meantime.
    func card(
        _ uid: CardUID, _ display: DisplayState, resolved: [ResolvedOperation] = []
    ) async throws(Interruption) -> CardSummary {
        let known = try await asking(await ledger.knownCard(of: uid))
        guard let known else {
            throw .ledger(
                LedgerError(.corrupt, "card \(uid) should be in the ledger but is missing"))
        }
        // The change was confirmed, so its record is on the tag.
        return CardSummary(known, .valid, at: known.card.confirmed, display, resolved: resolved)
    }

    /// The summary of the card after the change that a receipt reports.
    func summary(after receipt: Receipt) async throws(TapcardError) -> CardSummary {
        var summary = try await translating(
            awaiting: await card(receipt.uid, receipt.display, resolved: receipt.resolved)
        ) { (error: Interruption) in error.error }
        summary.operation = receipt.operation.id
        return summary
    }
}
