import TapcardDomain

/// What the operations, oldest first, tell of every card: what its row is held against.
struct CardTraces {
    /// One card, as its operations leave it.
    struct Trace {
        /// How often a card was made of the tag; the last one's account has that number.
        var account = 0
        var ticket: TicketID?
        var status = LedgerCard.Status.active
        var scratch = ScratchTrace.untold
        /// Every code that it had, in this life or an earlier one.
        var codes: Set<ScratchCode> = []
        /// Whether it had one that no operation names.
        var hadUntoldCode = false
    }

    private(set) var cards: [CardUID: Trace] = [:]
    /// The account of the card's holder when the operation began.
    private(set) var purses: [OperationID: Account] = [:]
    /// The account of the card that a replacement was for.
    private(set) var lost: [OperationID: Account] = [:]
    /// What is no step that a card can take.
    private(set) var violations: [String] = []
    /// Operations tell what they are about since the ledgers of version 3.
    private var areSubjectsKept = false

    init(
        _ operations: [Operation], _ entries: [OperationID: [Entry]], _ sold: [SoldTicket],
        _ attempts: [ActivationAttempt]
    ) {
        let tickets = Dictionary(sold.map { ($0.operation, $0.ticket.id) }) { first, _ in first }
        let codes = Dictionary(attempts.map { ($0.id, $0.code) }) { first, _ in first }
        for operation in operations {
            take(
                operation, entries[operation.id] ?? [], selling: tickets[operation.id],
                activating: codes[operation.id])
        }
    }

    private mutating func take(
        _ operation: Operation, _ entries: [Entry], selling ticket: TicketID?,
        activating code: ScratchCode?
    ) {
        var card = cards[operation.uid] ?? Trace()
        if operation.kind.makesCard { (card.account, card.ticket) = (card.account + 1, nil) }
        if operation.hasHappened { card.status = operation.status ?? card.status }
        purses[operation.id] = .purse(operation.uid, card.account)
        var step = operation.scratchStep(asked: code)
        if operation.kind == .replace {
            lost[operation.id] = entries.map(\.account).first {
                $0.uid.map { $0 != operation.uid } ?? false
            }
            let formerUID = lost[operation.id]?.uid
            let former = formerUID.flatMap { cards[$0] }
            if let formerUID { cards[formerUID]?.status = .replaced }
            (card.ticket, step) = (former?.ticket, former?.scratch ?? .untold)
        }
        if operation.hasHappened, operation.kind == .ticket { card.ticket = ticket }
        if operation.hasHappened, operation.kind == .close { card.ticket = nil }
        if let step {
            if !operation.kind.makesCard, !step.follows(card.scratch) {
                violations.append(
                    "I9: operation \(operation.id) (\(operation.kind)) was not possible on its card"
                )
            }
            if areSubjectsKept, operation.kind.namesScratch, operation.subject == nil {
                violations.append("I2: operation \(operation.id) does not tell its code")
            }
            card.note(step)
        }
        areSubjectsKept = areSubjectsKept || operation.subject != nil
        cards[operation.uid] = card
    }
}

extension CardTraces.Trace {
    fileprivate mutating func note(_ step: ScratchTrace) {
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
    fileprivate var namesScratch: Bool { self == .scratch || self == .activate || self == .adopt }
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

extension Account {
    /// Whose card's account it is.
    fileprivate var uid: CardUID? { if case .purse(let uid, _) = self { uid } else { nil } }
}
