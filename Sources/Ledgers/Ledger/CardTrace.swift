import TapcardDomain

/// The state that a card's operations lead to. The audit compares it with the card's row.
struct CardTrace {
    /// How many times the tag was made into a card, which is also the number of its last account.
    private(set) var account = 0
    private(set) var ticket: TicketID?
    private(set) var status = LedgerCard.Status.active
    /// The operation that last changed the status; nil before the first one.
    private(set) var statusSetter: OperationID?
    private(set) var scratch = ScratchTrace.uncoded
    /// Every code that the card has had, including those from before a reissue.
    private(set) var codes: Set<ScratchCode> = []

    /// The other rows that an operation depends on.
    struct Context {
        /// The replaced card's state at that time.
        var lost: CardTrace?
        /// The ticket bought in a purchase.
        var ticket: TicketID?
    }

    /// Applies the next operation. Returns false if it was not possible in the card's state.
    mutating func take(_ operation: Operation, _ context: Context) -> Bool {
        // An operation that makes a card counts even while open: it was booked when it began.
        if operation.kind.makesCard { (account, ticket) = (account + 1, nil) }
        if operation.kind == .offline, account == 0 {
            // The ledger had no row for the card, so it added a closed card to book the payment on.
            (account, status, statusSetter) = (1, .closed, operation.id)
        }
        if operation.hasHappened, let status = operation.status {
            (self.status, statusSetter) = (status, operation.id)
        }
        var step = operation.scratchStep
        // A replacement takes over the lost card's ticket and code.
        if operation.kind == .replace {
            ticket = context.lost?.ticket
            step = context.lost?.scratch ?? .uncoded
        }
        if operation.hasHappened, operation.kind == .ticket { ticket = context.ticket }
        // A closed card no longer shows its ticket.
        if operation.hasHappened, operation.kind == .close { ticket = nil }
        guard let step else { return true }
        let isPossible = operation.kind.makesCard || step.follows(scratch)
        note(step)
        return isPossible
    }

    /// Records that another card has replaced this one.
    mutating func markReplaced() { status = .replaced }

    private mutating func note(_ step: ScratchTrace) {
        scratch = step
        switch step {
        case .uncoded: break
        case .scratched(let code), .activated(let code): codes.insert(code)
        }
    }
}

/// A card's code, according to its operations.
enum ScratchTrace: Hashable {
    case uncoded
    case scratched(ScratchCode)
    case activated(ScratchCode)

    init(_ scratch: ScratchCard) {
        switch scratch {
        case .none, .unscratched: self = .uncoded
        case .scratched(let code): self = .scratched(code)
        case .activated(let code): self = .activated(code)
        }
    }

    /// Whether scratching or activating can lead from the earlier state to this one.
    fileprivate func follows(_ before: ScratchTrace) -> Bool {
        switch (before, self) {
        case (.uncoded, .scratched): true
        case (.scratched(let had), .activated(let code)): had == code
        default: false
        }
    }
}

extension Operation {
    /// Whether the operation has taken effect in the ledger. A voidable operation takes effect when
    /// it is committed; any other, when it begins.
    package var hasHappened: Bool { state == .committed || !kind.isVoidable }
}

extension Operation.Kind {
    /// Whether the operation's subject is the resulting state of the scratch code.
    var recordsScratch: Bool { self == .scratch || self == .activate || self == .adopt }
}

extension Operation {
    /// The card's status after the operation; nil if the operation does not change it.
    fileprivate var status: LedgerCard.Status? {
        switch kind {
        case _ where kind.makesCard, .unblock: .active
        case .block: .blocked
        case .close: .closed
        default: nil
        }
    }

    /// The state of the card's code after the operation; nil if the operation does not change it.
    fileprivate var scratchStep: ScratchTrace? {
        switch (kind, subject) {
        // A newly issued card has no scratch code yet.
        case (.issue, _): .uncoded
        // A code that is already on another card stays with that card.
        case (.adopt, .codeOwner): .uncoded
        default: scratch.map(ScratchTrace.init)
        }
    }
}
