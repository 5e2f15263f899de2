import Ledger
import StationFiles
import TapcardCore
package import TapcardDomain
import TextCodecs

extension Parameter<TypedAmount> {
    static var amount: Self {
        .argument("AMOUNT", .positiveAmount, "Amount to take (must be more than 0)")
    }
}

extension Parameter<TypedAmount?> {
    package static var part: Self {
        .optionalArgument(
            "AMOUNT", .positiveAmount, "Partial amount, more than 0 (default: the whole amount)")
    }
}

extension Parameter<Tender?> {
    fileprivate static var tender: Self {
        .option(
            "tender", "WAY", .choice(Tender.self),
            "How the customer paid: cash (default), terminal (bank card), or other")
    }
    static var paidWithoutCard: Self {
        .option(
            "tender", "WAY", .choice(Tender.self),
            "Sell without a card; WAY is cash, terminal, or other")
    }
}

extension Parameter<OperationID> {
    package static var refunded: Parameter<OperationID> {
        .argument(
            "OPERATION", .operation,
            "ID of the operation, from its receipt, `tapcard history`, or `tapcard find`",
            page: .other("payment"))
    }
}

extension Parameter<Int?> {
    private static var lines: ClosedRange<Int> { 1...1_000 }

    static var last: Self {
        .option(
            "last", "N", .wholeNumber(lines, orSay: "Nothing was read."),
            "Only the newest N operations, \(lines.words) (default: all)",
            // A page cannot show a year's worth of entries.
            defaultValue: .number(lines.upperBound))
    }
}

extension Command {
    static let moneyCommands: [Command] = [
        Command(
            "pay", group: .money, "Charge the card",
            discussion: "The payment is reported as complete only once it is recorded both on the "
                + "card and in the ledger; if the outcome is uncertain, the exit status is 6 and "
                + "the next tap of the card resolves the payment. Large amounts need `--yes`, and "
                + "amounts above the limit are refused; see `tapcard help amounts`. With "
                + "`offline-payments` on, small payments are also taken while the ledger's "
                + "database is offline, and are booked later.",
            takes: .amount, .operation, .card, .again, .confirmedAmount,
            page: .post("pay", for: .sellers),
            answers: .receipt, example: "tapcard pay 4.50", run: MoneyCommands.pay),
        .sell,
        Command(
            "add", group: .money, "Top up the card with money you have received",
            discussion: "The top-up is recorded in the ledger at once; if the card is removed too "
                + "soon, a later tap brings it up to date. Large amounts need `--yes`, and amounts "
                + "above the limit are refused; see `tapcard help amounts`. Top-ups are also "
                + "refused while the ledger is offline.",
            takes: .amount.withHelp("Amount to add (must be more than 0)"), .tender, .operation,
            .card, .again, .confirmedAmount, page: .post("add", for: .cashiers), answers: .receipt,
            example: "tapcard add 20", run: MoneyCommands.add),
        Command(
            "refund", group: .money, "Reverse a payment, a top-up, or a sale without a card",
            discussion: "Refunding a payment puts the money back onto the card that paid, or onto "
                + "its replacement; a full refund also returns what was paid another way with "
                + "`--rest`. Refunding a top-up takes the money off the card; if the balance is "
                + "too low, enter a smaller AMOUNT. A sale without a card can only be undone in "
                + "full, and needs no reader. Return money to the customer only after the command "
                + "succeeds; it says how. Each operation can be refunded only once, so after a "
                + "partial refund, the rest cannot be refunded later. Ticket purchases, prizes, "
                + "payouts, starting balances, and credits for returned deposits cannot be "
                + "refunded.",
            takes: .refunded, .part, .operation, .card, page: .post("refund", for: .refund),
            answers: .anyReceipt,
            example: "tapcard refund 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60",
            run: MoneyCommands.refund),
        Command(
            "close", group: .money, "Close the card and pay out its balance in cash",
            discussion: "Hand over the cash only after the command succeeds; unclaimed tickets are "
                + "forfeited. A blocked card is refused. A closed card is refused until you issue "
                + "its tag again with `--reissue`.",
            takes: .operation, .card, page: .post("close", for: .payout), answers: .receipt,
            example: "tapcard close", run: MoneyCommands.close),
        Command(
            "history", group: .money, "List the operations on cards, oldest first",
            discussion: "No reader or card is needed. Sales without a card, and cash put into the "
                + "drawer or taken out, are not listed; to find those, use `tapcard find` with "
                + "`--from`. Requests to the activation service and the service's responses appear "
                + "on separate lines.",
            takes: .card.withHelp("Only this card's operations"), .last,
            page: .get("history", reader: .never, for: .history), answers: .history,
            example: "tapcard history --card 04AC6B72BA6C80", run: HistoryCommand.history),
        .takings,
        Command(
            "audit", group: .money, "Check every row of the ledger for consistency",
            discussion: "Nothing is repaired. If a rule is violated, the exit status is 9: do not "
                + "rely on the balances, and restore a backup. The audit also lists cards whose "
                + "activation request was never answered, and journals that may still hold "
                + "unbooked offline payments.",
            page: .get("audit", reader: .never, for: .owners), answers: .audit,
            example: "tapcard audit",
            run: MoneyCommands.audit),
    ]
}

enum MoneyCommands {
    static func pay(in session: Session) async throws(TapcardError) -> Report {
        try await take(in: session) { _, currency throws(TapcardError) in
            (try session[.amount, in: currency], .unitemized)
        }
    }

    /// Takes the payment for a sale. `sale` determines its amount and its lines; while the ledger
    /// is offline, it gets no ledger. If the amount is below 0, it is added to the card.
    static func take(
        in session: Session,
        for sale: (
            _ ledger: (any LedgerStore)?, Currency
        ) async throws(TapcardError) -> (Money, Sale)
    ) async throws(TapcardError) -> Report {
        // If the reader is already open, an offline payment uses the same station.
        var openStation: Station?
        // The same ID is used with and without the ledger, so that the payment is booked only once.
        let id = session[.operation] ?? session.dependencies.newID()
        do throws(TapcardError) {
            let ledger = try await session.ledger()
            let (amount, sold) = try await sale(ledger, ledger.currency)
            let card = session[.card]
            try await ShiftCommands.requireShift(in: session, ledger)
            let station = try await session.station(with: ledger)
            openStation = station
            if amount.minorUnits < 0 {
                let receipt = try await station.credit(
                    amount.negated, for: sold.lines, id: id, only: card,
                    refusingIfJustResolved: session.refusesIfJustResolved)
                return Report(receipt, "Returned")
            }
            // An earlier offline payment with this ID may not be in the ledger yet; the ledger
            // alone would report that the customer has not paid.
            if session[.operation] != nil,
                let earlier = try session.journal.payments.earlierReceipt(
                    amount, for: sold.lines, id, card,
                    within: try session.settings.offlineLimits(amount.currency),
                    at: station)
            {
                return Report(earlier, "Paid")
            }
            let receipt = try await station.pay(
                amount, for: sold, id: id, only: card,
                refusingIfJustResolved: session.refusesIfJustResolved)
            return Report(receipt, "Paid")
        } catch {
            // A payment may be taken without the ledger only if the ledger is offline.
            guard error.kind == .ledgerOffline else { throw error }
            let problem = beforeBeginning(error, .pay, in: session)
            do throws(TapcardError) {
                return try await payingOffline(
                    id, because: problem, at: openStation, in: session, for: sale)
            } catch {
                // If an earlier attempt may have gone through, the error must not say that nothing
                // was done.
                try requireFirstTry(error, .pay, in: session)
                throw error
            }
        }
    }

    /// Takes an offline payment that the ledger has not begun.
    private static func payingOffline(
        _ id: OperationID, because problem: TapcardError, at openStation: Station?,
        in session: Session,
        for sale: (
            _ ledger: (any LedgerStore)?, Currency
        ) async throws(TapcardError) -> (Money, Sale)
    ) async throws(TapcardError) -> Report {
        // Without keys or limits, payments can be taken only with the ledger.
        guard let station = try await session.journal.stationWithoutLedger(openStation),
            let limits = try session.journal.limits(station.currency)
        else { throw problem }
        let (amount, sold) = try await sale(nil, station.currency)
        // Only money that the card has is taken offline, and nothing is added to it.
        guard amount.minorUnits > 0, sold.rest == nil else { throw problem }
        let receipt = try await session.journal.payments.pay(
            amount, for: sold.lines, id: id, only: session[.card], within: limits, at: station)
        return Report(receipt, "Paid")
    }

    static func add(in session: Session) async throws(TapcardError) -> Report {
        do throws(TapcardError) {
            let ledger = try await session.ledger()
            let amount = try session[.amount, in: ledger.currency]
            try await ShiftCommands.requireShift(in: session, ledger)
            let station = try await session.station(with: ledger)
            let receipt = try await station.add(
                amount, paid: session[.tender] ?? .cash, id: session[.operation] ?? station.newID(),
                only: session[.card],
                refusingIfJustResolved: session.refusesIfJustResolved)
            return Report(receipt, "Added")
        } catch {
            // Unlike a payment, a top-up is never made offline.
            try requireFirstTry(error, .add, in: session)
            throw beforeBeginning(error, .add, in: session)
        }
    }

    static func refund(in session: Session) async throws(TapcardError) -> Report {
        let id = session[.refunded]
        let ledger = try await session.ledger()
        if let undone = try await CardlessCommands.undo(id, from: ledger, in: session) {
            return undone
        }
        let station = try await session.station(with: ledger)
        let amount = try session[.part, in: station.currency]
        // Read before the refund, because the cashier must learn what to return in any case.
        let original = try await translating(
            awaiting: try await ledger.answer(to: id),
            into: { (error: LedgerError) in TapcardError(error) })
        let receipt = try await station.refund(
            id, amount, id: session[.operation], only: session[.card])
        let returned = receipt.operation.amount
        guard receipt.operation.kind == .reverse else {
            return Report(
                receipt, "Refunded",
                returning: returned == original?.amount ? original?.rest : nil)
        }
        return Report(
            receipt, "Top-up reversed:",
            returning: TenderedAmount(original?.tender ?? .cash, returned))
    }

    static func close(in session: Session) async throws(TapcardError) -> Report {
        let station = try await session.station()
        let receipt = try await station.close(
            id: session[.operation] ?? station.newID(), only: session[.card])
        return Report(receipt, "Paid out")
    }

    static func audit(in session: Session) async throws(TapcardError) -> Report {
        let report = try await Station.audit(
            try await session.ledger(making: false), at: session.dependencies.now())
        let problem =
            report.violations.isEmpty
            ? nil
            : TapcardError(
                .auditFailed,
                "The audit found "
                    + (report.violations.count == 1
                        ? "1 violation" : "\(report.violations.count) violations")
                    + " of the ledger's rules.",
                meaning: "You cannot rely on the balances.")
        let open =
            report.open == 0
            ? "unfinished: none"
            : "unfinished: \(report.open) (each is resolved when its card is next tapped)"
        return Report(
            report.members,
            [
                "Cards: \(report.cards); operations: \(report.operations); \(open); "
                    + (report.violations.isEmpty
                        ? "rules: all hold"
                        : "rules: \(report.violations.count) violated (listed below)")
            ] + report.violations
                + report.activating.map {
                    "The activation request for card \($0) was never answered, so its outcome is "
                        + "unknown; put that card on the reader and run: tapcard activate"
                } + report.journals.map(\.sentence), problem: problem)
    }

    /// Throws if the ledger is offline and this station has, or may have, made this payment or
    /// top-up before. A cashier who was told that nothing was done would take cash or give it back.
    private static func requireFirstTry(
        _ problem: TapcardError, _ kind: Operation.Kind, in session: Session
    ) throws(TapcardError) {
        guard problem.kind == .ledgerOffline else { return }
        // If the memory cannot be read, this throws, so nothing is claimed about earlier attempts.
        let memory = try session.journal.payments.memory()
        let (id, named) = (session[.operation], session[.card])
        let configured = try session.settings.currency
        let keyCurrency = try session.keyFile.load()?.currency
        let currency = configured ?? keyCurrency
        func refusal(_ earlier: StationMemory.Note) -> TapcardError {
            TapcardError(
                earlier, in: currency ?? .usd, because: problem.what, uid: problem.uid)
        }
        if let earlier = id.flatMap({ memory.earlierRequest(of: $0) }),
            // A voided payment counts, too: a customer who was told "not paid" may have paid in
            // cash.
            earlier.state != .voided || kind == .pay
        {
            throw refusal(earlier)
        }
        let card = problem.uid ?? named
        guard id == nil || card != nil else { return }
        // Without a currency, the amount cannot be compared with earlier ones.
        let amount = try currency.flatMap { currency throws(TapcardError) in
            try amountDue(for: session.command, session.settings, currency)
        }
        guard let earlier = memory.possiblyRepeated(kind, amount, on: card) else { return }
        throw refusal(earlier)
    }

    /// The error for a request that this station has not tried before. A request with an ID may
    /// have been tried elsewhere, so its error does not say that nothing was done.
    private static func beforeBeginning(
        _ problem: TapcardError, _ kind: Operation.Kind, in session: Session
    ) -> TapcardError {
        session[.operation] == nil ? problem.beforeBeginning(kind) : problem
    }
}

extension AuditReport: DocumentedObject {
    static let fields: Fields<AuditReport> = [
        "cards": .of(\.cards), "operations": .of(\.operations), "open": .of(\.open),
        "violations": .of(\.violations), "activating": .of(\.activating),
        "journals": .of(\.journals),
    ]
}
