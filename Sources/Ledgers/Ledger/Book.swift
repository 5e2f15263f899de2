public import TapcardDomain

extension LedgerStore {
    /// Stores a change before its first byte is sent to the tag. `version` is the card's state when
    /// the tag was checked; nil if this ledger did not know the card then.
    public func begin(
        _ request: Request, version: CardVersion?, sealer: RecordSealer
    ) async throws(LedgerError) -> BeginOutcome {
        let currency = currency
        let beginning: BeginOutcome = try await write(touching: request.footprint) {
            rows throws(LedgerError) in
            let book = Book(rows: rows, currency: currency, sealer: sealer, now: request.at)
            return try book.begin(request, version: version)
        }
        await remember(beginning)
        return beginning
    }
}

extension LedgerStore {
    /// If the earlier request was voided, records that the caller has been told so.
    func remember(_ beginning: BeginOutcome) async {
        switch beginning {
        case .known(let earlier), .mismatched(let earlier):
            if earlier.state == .voided { await remember(notDone: earlier) }
        case .begun, .changed, .refused: break
        }
    }
}

/// Applies the ledger's rules to the rows of one transaction.
struct Book {
    let rows: any LedgerRows
    let currency: Currency
    let sealer: RecordSealer
    let now: Timestamp

    init(rows: any LedgerRows, currency: Currency, sealer: RecordSealer, now: Timestamp) {
        self.rows = rows
        self.currency = currency
        self.sealer = sealer
        self.now = now
    }

    /// A book for reading only: it seals no records, and its time is not used.
    init(reading rows: any LedgerRows, _ currency: Currency) {
        self.init(booking: rows, currency, at: Timestamp(milliseconds: 0))
    }

    /// A book for changes that involve no tag: it seals no records.
    init(booking rows: any LedgerRows, _ currency: Currency, at now: Timestamp) {
        self.init(rows: rows, currency: currency, sealer: .none, now: now)
    }

    func begin(_ request: Request, version: CardVersion?) throws(LedgerError) -> BeginOutcome {
        // A repeated request gets its earlier outcome, even if the card has changed since.
        if let known = try earlierOutcome(of: request.action, request.id, on: request.uid) {
            return known
        }
        guard try rows.cardless(request.id) == nil else {
            return .refused(
                Refusal(
                    .badIdentifier,
                    "operation ID \(request.id) is already used by a change without a card"))
        }
        let known = try knownCard(of: request.uid)
        let isUnchanged =
            SafetyRule.confirmedUnderTheLock.isDisabled
            || SafetyRule.comparisonUnderTheLock.isDisabled
            || known.map(CardVersion.init) == version
        // Another station may have changed the card since the tag was checked, or the ledger's
        // owner may have changed the sealing key.
        let policy = try rows.keyPolicy()
        guard isUnchanged, request.keyPolicy ?? policy == policy, try maySeal(sealer.keyID) else {
            return .changed
        }
        // An open operation has to be resolved first, because a card has at most one.
        let open = known?.open
        guard open == nil || request.action.mayEndOpenOperation else { return .changed }
        let context = try context(of: request, on: known?.card)
        let effects: Effects
        do {
            effects = try admit(request, known, context)
        } catch {
            return .refused(error)
        }
        // Only a reissue gets here while an operation is open, and it ends that operation.
        if let open { try abandon(open) }
        if let known { try skip(known.card, to: effects.card.allocated) }
        if let lost = effects.lost { try retire(lost) }
        let operation = Operation(
            id: request.id, uid: request.uid, kind: request.action.kind, amount: effects.amount,
            reverses: effects.reverses, subject: effects.subject, lines: effects.lines,
            parameters: request.action.parameters, by: request.requester, beganAt: now,
            uptimeAtStart: request.uptime)
        // The card is saved first, because the operation's row refers to it.
        try rows.save(effects.card)
        try rows.insert(operation)
        if let ticket = effects.sold {
            try rows.insert(
                SoldTicket(
                    ticket, card: request.uid, operation: operation.id, price: operation.amount,
                    boughtAt: now))
        }
        for posting in effects.entries { try post(posting, for: operation) }
        guard let begun = try allocate(for: operation, on: effects.card) else {
            throw LedgerError(
                .corrupt, "card \(request.uid) ran out of sequence numbers while it was locked")
        }
        return .begun(begun)
    }

    /// The outcome of an earlier request with this ID, whether or not it was the same request; nil
    /// if the ID is new.
    func earlierOutcome(
        of action: CardAction, _ id: OperationID, on uid: CardUID?
    ) throws(LedgerError) -> BeginOutcome? {
        guard let known = try rows.answer(to: id) else {
            // An attempt's ID is reserved for the activation that the attempt leads to.
            guard action != .activate, let attempt = try rows.activation(id) else { return nil }
            return .mismatched(attempt.operation)
        }
        let reversed = try known.reverses.flatMap { id throws(LedgerError) in
            try rows.operation(id).map { operation throws(LedgerError) in
                try rows.amountPaid(by: operation)
            }
        }
        let isSame = known.matches(
            action, reversing: reversed, selling: try ticket(of: known))
        // If this ID was derived to book a payment, it is not the ID of that payment's request.
        guard isSame, known.requested == id else { return .mismatched(known) }
        return known.wasTapped(uid ?? known.uid) ? .known(known) : .mismatched(known)
    }

    func knownCard(of uid: CardUID) throws(LedgerError) -> KnownCard? {
        guard let card = try rows.card(uid) else { return nil }
        return KnownCard(
            card: card, balance: Money(minorUnits: try rows.balance(of: card.purse), currency),
            open: try rows.openOperation(on: uid), activation: try rows.activation(on: card))
    }

    /// The ticket that an operation sells.
    func ticket(of operation: Operation) throws(LedgerError) -> Ticket? {
        operation.kind == .ticket ? try rows.ticket(of: operation.id)?.ticket : nil
    }

    func post(_ posting: Posting, for operation: Operation) throws(LedgerError) {
        try rows.append(
            Entry(
                operation: operation.id, account: posting.account, amount: posting.amount,
                postedAt: now))
    }

    /// Assigns the next number to an open operation and creates its record; nil if all numbers are
    /// used up.
    func allocate(
        for operation: Operation, on card: LedgerCard, above floor: SequenceNumber = .none
    ) throws(LedgerError) -> OpenOperation? {
        guard let number = max(card.allocated, floor).next() else { return nil }
        try skip(card, to: floor)
        var card = card
        var operation = operation
        card.allocated = number
        // The operation keeps the number of its last record; earlier records remain issued.
        operation.sequence = number
        let content = try content(of: card, during: operation)
        let record = sealer.seal(content)
        try rows.save(card)
        try rows.update(operation)
        try rows.insert(
            IssuedRecord(
                uid: card.uid, sequence: number, bytes: record, operation: operation.id,
                keyID: sealer.keyID))
        return OpenOperation(
            operation: operation, card: card, content: content, record: record,
            ticket: try ticket(of: operation))
    }

    /// Records a gap if the tag's number is above every number that this ledger assigned, which
    /// means that it came from a newer copy of this ledger. Until the tag is written to again,
    /// records with these numbers must not be mistaken for forgeries.
    private func skip(_ card: LedgerCard, to floor: SequenceNumber) throws(LedgerError) {
        guard card.allocated < floor, let first = card.allocated.next() else { return }
        try rows.insert(SequenceGap(uid: card.uid, numbers: first...floor))
    }

    /// The contents of the card's record once the operation is done.
    func content(
        of card: LedgerCard, during operation: Operation
    ) throws(LedgerError) -> SealedContent {
        var card = card
        if operation.kind == .close { card.status = .closed }
        // The record already shows the balance minus the amount that the open operation holds.
        let (balance, overflow) = try rows.balance(of: card.purse)
            .subtractingReportingOverflow(operation.held)
        guard !overflow, (0...Currency.largestBalance).contains(balance) else {
            throw LedgerError(.corrupt, "card \(card.uid) has a balance outside the limits")
        }
        return card.content(
            operation.sequence, balance: Money(minorUnits: balance, currency))
    }

    static let numbersExhausted = Refusal(
        .numbersExhausted,
        "the card has used up its sequence numbers and can no longer be written; move its balance "
            + "with `tapcard replace`")

    private func admit(
        _ request: Request, _ known: KnownCard?, _ context: RequestContext
    ) throws(Refusal) -> Effects {
        if let money = request.action.money, money.currency != currency {
            throw Refusal(
                .badAmount,
                "the amount \(money.shown) is in \(money.currency.code), but the ledger's currency "
                    + "is \(currency.code)")
        }
        let effects: Effects
        if let known {
            effects = try request.action.effects(on: known, context)
        } else {
            guard case .make(let plan) = request.action else {
                throw Refusal(.cardUnknown, "this card is not in this ledger")
            }
            effects = try plan.effects(onNew: request.uid, context)
        }
        // Without a number for its record, the operation could never be written to the card.
        guard effects.card.allocated.next() != nil else { throw Book.numbersExhausted }
        return effects
    }

    private func context(
        of request: Request, on card: LedgerCard?
    ) throws(LedgerError) -> RequestContext {
        switch request.action {
        case .refund(let id, _), .reverse(let id, _):
            let payment = try rows.operation(id)
            return RequestContext(
                payment: payment,
                paid: try payment.map { payment throws(LedgerError) in
                    try rows.amountPaid(by: payment)
                } ?? 0,
                paidFrom: try rows.entries(of: id).map(\.account),
                accounts: try card.map { card throws(LedgerError) in try rows.accounts(of: card) }
                    ?? [],
                earlierRefund: try rows.refund(of: id))
        case .make(let plan):
            switch plan.origin {
            case .issue: return RequestContext()
            case .replace(let lost): return RequestContext(lost: try knownCard(of: lost))
            case .adopt:
                return RequestContext(
                    codeOwner: try plan.scratch.code.flatMap { code throws(LedgerError) in
                        try rows.owner(of: code, beside: request.uid)
                    })
            }
        case .ticket(let ticket, _):
            return RequestContext(sold: try rows.ticket(ticket.id))
        case .claim(let id, _):
            return try context(of: id, on: card)
        case .activate:
            // An activation has the ID of its attempt, so that no code is activated under two IDs.
            let attempt = try card.flatMap { card throws(LedgerError) in
                try rows.activation(on: card)
            }
            return RequestContext(activation: attempt?.id == request.id ? attempt : nil)
        default:
            return RequestContext()
        }
    }

    /// The rows that a claim for a ticket's prize depends on.
    func context(
        of id: TicketID, on card: LedgerCard?
    ) throws(LedgerError) -> RequestContext {
        guard let sold = try rows.ticket(id) else { return RequestContext() }
        return RequestContext(
            payment: try rows.operation(sold.operation),
            paidFrom: try rows.entries(of: sold.operation).map(\.account),
            accounts: try card.map { card throws(LedgerError) in try rows.accounts(of: card) }
                ?? [],
            sold: sold, earlierClaim: try rows.claim(of: id))
    }

    /// Marks a lost card as replaced. Its balance is moved, so its open operation is abandoned.
    private func retire(_ lost: LedgerCard) throws(LedgerError) {
        var lost = lost
        lost.status = .replaced
        try rows.save(lost)
        if let open = try rows.openOperation(on: lost.uid) { try abandon(open) }
    }

    /// Ends an open operation that no later tap will resolve. An operation that is voidable or that
    /// turns protection on or off is voided. Any other took effect when it began and is committed.
    func abandon(_ open: Operation) throws(LedgerError) {
        let isUndone = open.kind.isVoidable || open.kind.changesProtection
        _ = try end(open, as: isUndone ? .voided : .committed)
    }

    func end(_ open: Operation, as state: Operation.State) throws(LedgerError) -> Operation {
        var operation = open
        operation.state = state
        operation.endedAt = now
        if let card = try rows.card(open.uid) {
            operation.balanceAfter = try rows.balance(of: card.purse)
        }
        try rows.update(operation)
        if SafetyRule.freshNumbers.isDisabled, state == .voided { try freeNumber(of: operation) }
        return operation
    }

    /// Frees a voided operation's number for reuse if `SafetyRule.freshNumbers` is disabled.
    private func freeNumber(of operation: Operation) throws(LedgerError) {
        guard var card = try rows.card(operation.uid), card.allocated == operation.sequence,
            let before = SequenceNumber(card.allocated.value - 1)
        else { return }
        card.allocated = before
        try rows.save(card)
    }
}

extension CardAction {
    /// Whether this action may end an open operation. Only a reissue may; others have to wait.
    fileprivate var mayEndOpenOperation: Bool {
        if case .make(let plan) = self { plan.mayReissue } else { false }
    }

    /// The parameters for making a card, other than its amount.
    fileprivate var parameters: String? {
        if case .make(let plan) = self { plan.parameters } else { nil }
    }

    /// The amount in the request.
    fileprivate var money: Money? {
        switch self {
        case .pay(let money, _), .credit(let money, _), .add(let money, _): money
        case .ticket(_, let money), .claim(_, let money): money
        case .refund(_, let money), .reverse(_, let money): money
        case .make(let plan): plan.balance
        case .scratch, .activate, .close, .game, .reseal, .protect, .unprotect: nil
        }
    }
}

extension Operation {
    /// Whether a new card was requested with these parameters. A forgotten name is not compared.
    public func wasRequested(with parameters: String) -> Bool {
        [parameters, Operation.forgettingName(in: parameters)].contains(self.parameters)
    }

    /// The parameters without the cardholder's name, which is their last line.
    static func forgettingName(in parameters: String) -> String {
        guard let name = parameters.firstRange(of: "\nname=") else { return parameters }
        return parameters[..<name.lowerBound] + "\nname"
    }

    /// Whether this operation is the outcome of the same request. Values that are generated
    /// again on each retry, such as a scratch code or a ticket's balls, are not compared.
    fileprivate func matches(
        _ action: CardAction, reversing paid: Int64?, selling ticket: Ticket?
    ) -> Bool {
        // The station may have accepted the payment offline and booked it later.
        guard kind == action.kind || kind == .offline && action.kind == .pay else { return false }
        switch action {
        case .pay(let money, let sale):
            return amount == money.minorUnits && Sale(lines, rest: rest) == sale
        case .credit(let money, let lines): return amount == money.minorUnits && self.lines == lines
        case .add(let money, let tender): return amount == money.minorUnits && self.tender == tender
        case .refund(let id, let money), .reverse(let id, let money):
            return reverses == id && amount == money?.minorUnits ?? paid
        case .make(let plan):
            // The amount of a replacement is the lost card's balance, and is not part of the
            // request.
            if case .replace = plan.origin { return wasRequested(with: plan.parameters) }
            return amount == plan.balance.minorUnits && wasRequested(with: plan.parameters)
        case .ticket(let wanted, let price):
            return amount == price.minorUnits && ticket?.draw == wanted.draw
        case .claim(let id, let prize): return subject == .prize(id) && amount == prize.minorUnits
        case .game(let game): return subject == game.map { .game($0.id) }
        case .scratch, .activate, .close, .reseal, .protect, .unprotect: return true
        }
    }
}

extension KnownCard {
    /// Throws a refusal if the rules would not allow this change to begin now.
    public func admits(_ action: CardAction) throws(Refusal) {
        _ = try action.effects(on: self, RequestContext())
    }
}
