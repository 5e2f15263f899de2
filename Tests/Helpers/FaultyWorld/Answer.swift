import Ledger
package import TapcardCore
import TapcardDomain

/// The answer to a request that was done.
package struct Answer: Sendable {
    /// The amount put onto the card; nil where that was not said.
    let amount: Int64?
    let balance: Int64?
    /// Whether the request was a repetition; nil where that was not said.
    let isReplayed: Bool?
    let display: DisplayState
    /// The operations that earlier taps had left open and this one has resolved.
    let resolved: [ResolvedOperation]

    fileprivate init(
        amount: Int64? = nil, balance: Int64? = nil, isReplayed: Bool? = nil,
        display: DisplayState, resolved: [ResolvedOperation]
    ) {
        (self.amount, self.balance, self.isReplayed) = (amount, balance, isReplayed)
        (self.display, self.resolved) = (display, resolved)
    }

    /// The answer to a request that involves no card.
    package init() {
        (amount, balance, isReplayed, display) = (nil, nil, nil, .current)
        resolved = []
    }

    /// I6 for the numbers of a receipt: they are those of the ledger's row, which was not final
    /// before if the receipt says that it is new.
    func broken(_ operation: Operation, _ was: Operation.State?) -> [Violation] {
        guard let amount, let isReplayed else { return [] }
        var found: [Violation] = []
        if amount != operation.lastingChange {
            found.append(
                Violation(.i6, "\(amount) was told; the ledger has \(operation.lastingChange)"))
        }
        if balance != operation.balanceAfter {
            found.append(
                Violation(
                    .i6,
                    "a balance of \(balance ?? 0) was told; "
                        + "the ledger has \(operation.balanceAfter ?? 0)"))
        }
        if was == .committed, !isReplayed {
            found.append(Violation(.i6, "what was done before was told to be new"))
        }
        return found
    }
}

/// A result of a use case that can be turned into an answer.
package protocol Answering {
    var answer: Answer { get }
    /// Why the card that is shown cannot be trusted.
    var accusation: TapcardError? { get }
}

extension Answering {
    package var accusation: TapcardError? { nil }
}

extension Receipt: Answering {
    package var answer: Answer {
        Answer(
            amount: amount.minorUnits, balance: balance.minorUnits, isReplayed: isReplayed,
            display: display, resolved: resolved)
    }
}

extension TicketReceipt: Answering {
    package var answer: Answer { receipt.answer }
}

extension CardSummary: Answering {
    package var answer: Answer {
        Answer(balance: balance?.minorUnits, display: display, resolved: resolved)
    }
    package var accusation: TapcardError? { problem }
}

extension ProtectionChange: Answering {
    package var answer: Answer { Answer(display: display, resolved: resolved) }
}

/// For a card with one prize.
extension PrizeReceipt: Answering {
    package var answer: Answer {
        let first = prizes.first?.receipt
        return Answer(
            amount: first?.amount.minorUnits, balance: first?.balance.minorUnits,
            isReplayed: isReplayed, display: display, resolved: resolved)
    }
}

extension Tap {
    /// I6 and I8, where no other station was at work: a new request is reported as new, a reading
    /// reports what is on the card, and the text for phones is called good only where it is.
    static func answerBroken(
        _ request: StationRequest, _ answer: Answer, from before: RestingWorld,
        to after: RestingWorld
    ) -> [Violation] {
        var found: [Violation] = []
        let was = request.operation(in: before.ledger)?.state
        if was == nil, answer.isReplayed == true {
            found.append(Violation(.i6, "a new request was told to be an old one"))
        }
        if answer.isReplayed == nil, let balance = answer.balance, balance != after.balance {
            found.append(Violation(.i6, "\(balance) was shown; the card has \(after.balance)"))
        }
        // A repetition is answered from the ledger alone.
        guard was != .committed, answer.display != .outOfDate else { return found }
        if !after.isDisplayGood || after.card?.isDisplayStale == true {
            found.append(
                Violation(.i8, "what phones read was told to be \(answer.display.rawValue)"))
        }
        return found
    }

    /// I14: every operation that was open before the tap and has ended in it is reported, and
    /// truthfully. A failure caused by an unanswered commit may not know.
    static func untold(
        _ said: Said, _ request: StationRequest, from before: RestingWorld, to after: RestingWorld,
        _ trouble: LedgerTrouble
    ) -> [Violation] {
        let told: [ResolvedOperation]
        switch said {
        case .nothing: return []
        case .done(let answer): told = answer.resolved
        case .failed(let error): told = error.resolved
        }
        var found: [Violation] = []
        for resolved in told {
            let id = resolved.operation.id
            let was = before.ledger.operations[id]?.state ?? .pending
            if after.ledger.operations[id]?.state != resolved.operation.state || was != .pending {
                found.append(Violation(.i14, "operation \(id) was told to be resolved; it is not"))
            }
        }
        if case .failed = said, trouble.hasFailed { return found }
        let own = request.operation(in: after.ledger)?.id
        for (id, operation) in before.ledger.operations
        where operation.state == .pending && id != own && operation.kind != .reseal {
            guard after.ledger.operations[id]?.state != .pending else { continue }
            if !told.contains(where: { $0.operation.id == id }) {
                found.append(
                    Violation(.i14, "the \(operation.kind) \(id) was resolved, and nobody was told")
                )
            }
        }
        return found
    }

    /// "Unknown" may be said only of what may have been begun or is open, not of what was never
    /// begun.
    static func isUnknownOfNothing(
        _ said: Said, _ request: StationRequest, from before: RestingWorld, to after: RestingWorld,
        _ trouble: LedgerTrouble
    ) -> Bool {
        guard case .failed(let error) = said, error.kind == .outcomeUnknown else { return false }
        let isBegun =
            request.operation(in: before.ledger) != nil
            || request.operation(in: after.ledger) != nil
        let isOpen = before.open != nil || after.open != nil || after.hasYesToWrite
        return !isBegun && !isOpen && !trouble.hasLostCommit
    }
}

extension RestingWorld {
    /// The service's yes is durable, and the card does not show it yet.
    var hasYesToWrite: Bool {
        guard case .scratched(let code) = card?.scratch else { return false }
        return ledger.activations.contains { $0.code == code && $0.state == .active }
    }
}
