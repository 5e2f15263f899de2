import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<TypedAmount?> {
    static var given: Self {
        .option(
            "given", "AMOUNT", .positiveAmount,
            "Cash that the customer gave you; the command reports the change")
    }
}

extension Parameter<CashDirection> {
    fileprivate static var direction: Self {
        .argument("in|out", .choice(CashDirection.self), "`in` or `out`", page: .other("direction"))
    }
}

extension Parameter<SaleText?> {
    fileprivate static var reason: Self {
        .option(
            "reason", "TEXT", .saleText,
            "Reason, up to \(SaleText.maximumLength) characters (required)", isRequired: true)
    }
}

/// Whether cash is put into the drawer or taken out of it.
enum CashDirection: String, Sendable, CaseIterable {
    case `in`, out
}

extension Command {
    static let cashMove = Command(
        "shift cash", group: .money, "Record cash put into the drawer or taken out of it",
        discussion: "Use this for cash that does not come from a sale, top-up, or payout, such as "
            + "change from the bank or a purchase paid from the drawer; cash from sales, top-ups, "
            + "and payouts is recorded automatically. No shift has to be open, and no reader or "
            + "card is needed.",
        takes: .direction, .amount.withHelp("Amount (must be more than 0)"), .reason, .operation,
        page: .post("shift/cash", reader: .never, for: .cashiers), answers: .cardless,
        example: "tapcard shift cash in 50 --reason Change",
        run: CardlessCommands.moveCash)
}

/// Carries out changes without a card.
enum CardlessCommands {
    /// Sells products that are paid for without a card. Throws if a shift is required and none is
    /// open.
    static func sell(
        _ lines: [SaleLine], _ tender: Tender, from ledger: any LedgerStore, in session: Session
    ) async throws(TapcardError) -> Report {
        try await ShiftCommands.requireShift(in: session, ledger)
        return report(
            try await change(in: session, ledger).sell(
                lines, for: tender, given: try session[.given, in: ledger.currency],
                newID: session.dependencies.newID()), ledger.currency)
    }

    /// Undoes a sale without a card. Throws if only part of it is to be undone.
    ///
    /// - Returns: nil if the ID does not belong to a change without a card.
    static func undo(
        _ id: OperationID, from ledger: any LedgerStore, in session: Session
    ) async throws(TapcardError) -> Report? {
        let known = try await queryingLedger(await ledger.cardless(id))
        guard known != nil else { return nil }
        guard session[.part] == nil else {
            throw TapcardError.usage("A sale without a card can be undone only in full.")
        }
        try await ShiftCommands.requireShift(in: session, ledger)
        return report(try await change(in: session, ledger).undo(id), ledger.currency)
    }

    /// Records cash that is put into the drawer or taken out of it. No shift has to be open.
    static func moveCash(in session: Session) async throws(TapcardError) -> Report {
        guard let reason = session[.reason] else {
            throw TapcardError.usage("The reason is missing: --reason TEXT.")
        }
        let ledger = try await session.ledger()
        return report(
            try await change(in: session, ledger).moveCash(
                try session[.amount, in: ledger.currency], isTaken: session[.direction] == .out,
                because: reason, newID: session.dependencies.newID()), ledger.currency)
    }

    /// Prepares a change with the command's operation ID and the station's limits.
    private static func change(
        in session: Session, _ ledger: any LedgerStore
    ) throws(TapcardError) -> CardlessChange {
        CardlessChange(
            in: ledger, id: session[.operation],
            settings: Station.Settings(
                ceilings: try session.settings.ceilings(ledger.currency),
                isConfirmed: session.command.isGiven(Parameter<Bool>.confirmedAmount)),
            dependencies: session.dependencies)
    }

    private static func report(_ booked: CardlessChange.Booked, _ currency: Currency) -> Report {
        let shown = ShownCardless(booked, currency)
        var lines = [shown.title + (booked.isReplayed ? " (already done)" : "")]
        if !booked.isReplayed { lines += shown.steps }
        if let sold = booked.operation.lines.words { lines.append("Sold: \(sold)") }
        lines.append("Operation \(booked.operation.id)")
        return Report(shown.members, lines, isChange: true)
    }
}

/// A change without a card, as shown in JSON and to users.
struct ShownCardless: DocumentedObject {
    let operation: CardlessOperation
    /// Whether the change had already been booked by an earlier attempt.
    let isReplayed: Bool
    let currency: Currency

    init(_ booked: CardlessChange.Booked, _ currency: Currency) {
        (operation, isReplayed, self.currency) = (booked.operation, booked.isReplayed, currency)
    }

    static let fields: Fields<ShownCardless> = [
        "operation": .of(\.operation.id), "kind": .of(\.operation.kind),
        "amount": .of(ValueSchemas.signedAmount) { $0.money($0.operation.amount) },
        "tender": .of(\.operation.tender),
        "rounding": .of(ValueSchemas.signedAmount) { $0.money($0.operation.rounding) },
        "paid": .of(ValueSchemas.signedAmount) { $0.money($0.operation.paid) },
        "given": .of { shown in shown.operation.given.map(shown.money) },
        "change": .of { shown in shown.operation.change.map(shown.money) },
        "currency": .of(\.currency.code), "replayed": .of(\.isReplayed),
        "time": .of(\.operation.at), "cashier": .of(\.operation.cashier),
        "till": .ifAny(\.operation.requester.till),
        "supervisor": .ifAny(\.operation.requester.supervisor),
        "lines": .ifAny { shown in
            shown.operation.lines.isEmpty
                ? nil : shown.operation.lines.map { ShownLine(line: $0, currency: shown.currency) }
        },
        "reverses": .ifAny(\.operation.reverses), "reason": .ifAny(\.operation.reason),
    ]

    fileprivate func money(_ units: Int64) -> Money { Money(minorUnits: units, currency) }

    /// What was done, in a few words.
    fileprivate var title: String {
        let amount = money(abs(operation.amount)).shown
        return switch operation.kind {
        case .sale: operation.amount < 0 ? "Returned \(amount)" : "Sold for \(amount)"
        case .undo: "Undone: the sale of \(amount)"
        case .cashIn: "Put \(amount) into the drawer"
        case .cashOut: "Took \(amount) out of the drawer"
        }
    }

    /// What the cashier has to do now; empty if there is nothing to do.
    fileprivate var steps: [String] {
        guard operation.kind == .sale || operation.kind == .undo else { return [] }
        let rounded = operation.rounding == 0 ? "" : " (rounded)"
        let paid = money(abs(operation.paid)).shown
        guard operation.paid > 0 else {
            guard operation.paid < 0 else { return [] }
            return switch operation.tender {
            case .cash: ["Give the customer \(paid) now\(rounded)."]
            case .terminal: ["Refund \(paid) at the card terminal now."]
            case .other: ["Return \(paid) to the customer the same way it was paid."]
            }
        }
        guard let change = operation.change else {
            return ["Collect \(paid): \(operation.tender.rawValue)\(rounded)"]
        }
        return [
            "Due: \(paid)\(rounded); given: \(money(operation.given ?? 0).shown)",
            "Give the customer \(money(change).shown) in change.",
        ]
    }
}
