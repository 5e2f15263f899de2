import TapcardDomain

/// One card as its operations leave it, oldest first: what its row is held against.
struct CardTrace {
    /// How often a card was made of the tag; the last one's account has that number.
    private(set) var account = 0
    private(set) var ticket: TicketID?
    private(set) var status = LedgerCard.Status.active
    /// The operation that left it in this status; nil before the first one.
    private(set) var statusSetter: OperationID?
    private(set) var scratch = ScratchTrace.untold
    /// Every code that it had, in this life or an earlier one.
    private(set) var codes: Set<ScratchCode> = []
    /// Whether it had one that no operation names.
    private(set) var hadUntoldCode = false

    /// What an operation needs of other rows to be followed.
    struct Surroundings {
        /// The card that a replacement was for, as it was then.
        var lost: CardTrace?
        /// What a purchase sells.
        var ticket: TicketID?
        /// What the service was asked for an activation.
        var code: ScratchCode?
    }

    /// Follows one operation. False where the card could not take that step.
    mutating func take(_ operation: Operation, _ surroundings: Surroundings) -> Bool {
        if operation.kind.makesCard { (account, ticket) = (account + 1, nil) }
        if operation.hasHappened, let status = operation.status {
            (self.status, statusSetter) = (status, operation.id)
        }
        var step = operation.scratchStep(asked: surroundings.code)
        if operation.kind == .replace {
            ticket = surroundings.lost?.ticket
            step = surroundings.lost?.scratch ?? .untold
        }
        if operation.hasHappened, operation.kind == .ticket { ticket = surroundings.ticket }
        if operation.hasHappened, operation.kind == .close { ticket = nil }
        guard let step else { return true }
        let isPossible = operation.kind.makesCard || step.follows(scratch)
        note(step)
        return isPossible
    }

    /// Another card took this one's place.
    mutating func becomeReplaced() { status = .replaced }

    private mutating func note(_ step: ScratchTrace) {
        scratch = step
        switch step {
        case .uncoded: break
        case .scratched(let code?), .activated(let code?): codes.insert(code)
        case .untold, .scratched(nil), .activated(nil): hadUntoldCode = true
        }
    }
}

/// What operations tell of a card's code. Those of ledgers before version 3 do not name it, and
/// not what an adopted card came with.
enum ScratchTrace: Hashable {
    case untold
    case uncoded
    case scratched(ScratchCode?)
    case activated(ScratchCode?)

    fileprivate init(_ scratch: ScratchCard) {
        switch scratch {
        case .none, .unscratched: self = .uncoded
        case .scratched(let code): self = .scratched(code)
        case .activated(let code): self = .activated(code)
        }
    }

    /// Whether a card may be like this.
    func allows(_ scratch: ScratchCard) -> Bool {
        switch (self, ScratchTrace(scratch)) {
        case (.untold, _), (.uncoded, .uncoded): true
        case (.scratched(let told), .scratched(let code)),
            (.activated(let told), .activated(let code)):
            told == nil || told == code
        default: false
        }
    }

    /// Whether scratching or activating could make this of that.
    fileprivate func follows(_ before: ScratchTrace) -> Bool {
        switch (before, self) {
        case (.untold, _), (.uncoded, .scratched): true
        case (.scratched(let had), .activated(let code)):
            had == nil || code == nil || had == code
        default: false
        }
    }
}

extension Operation {
    /// Whether it has taken effect in the ledger: what is undone when the card does not follow has
    /// once it is committed, all else when it begins.
    var hasHappened: Bool { state == .committed || !kind.isVoidable }
}

extension Operation.Kind {
    /// Whether its subject tells the state of the code afterwards.
    var namesScratch: Bool { self == .scratch || self == .activate || self == .adopt }
}

extension Operation {
    /// In which standing it leaves its card; nil where it does not change that.
    fileprivate var status: LedgerCard.Status? {
        switch kind {
        case _ where kind.makesCard, .unblock: .active
        case .block: .blocked
        case .close: .closed
        default: nil
        }
    }

    /// What it makes of the code on a card; nil where it does nothing to it.
    fileprivate func scratchStep(asked: ScratchCode?) -> ScratchTrace? {
        let told = ScratchCard(subject: subject)
        switch kind {
        case .issue: return .uncoded
        // A code that another card has stays there; then that card is told.
        case .adopt where subject.flatMap({ CardUID($0) }) != nil: return .uncoded
        case .adopt: return told.map(ScratchTrace.init) ?? .untold
        case .scratch: return .scratched(told?.code)
        case .activate: return .activated(told?.code ?? asked)
        default: return nil
        }
    }
}
