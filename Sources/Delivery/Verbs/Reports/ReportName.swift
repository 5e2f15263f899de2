import Ledger
import TapcardDomain
import TextCodecs

/// The reports that `tapcard report` can show.
enum ReportName: String, Sendable, CaseIterable {
    case days, hours, shifts, products, cashiers, tills, outstanding, refunds

    /// The first columns of each report that groups the bookings, such as by day.
    private static let divisions: [ReportName: [ReportTable.Column]] = [
        .days: [.text("day", "day", ValueSchemas.day)], .hours: [.text("hour", "hour")],
        .shifts: [.text("opened", "opened"), .text("shift", "shift", ValueSchemas.operation)],
        .cashiers: [.text("cashier", "cashier")],
        .tills: [.text("server", "server"), .text("till", "till")],
    ]

    var columns: [ReportTable.Column] {
        switch self {
        case .days, .hours, .shifts, .cashiers, .tills:
            (ReportName.divisions[self] ?? []) + ReportName.sums.map(\.column)
        case .products:
            [
                .text("product", "product"), .text("kind", "kind", ProductKey.Kind.schema),
                .number("quantity", "quantity"), .amount("amount", "amount"),
            ]
        case .outstanding:
            [
                .text("status", "status", LedgerCard.Status.schema),
                .text("lastUsed", "last used", CardAge.schema), .number("cards", "cards"),
                .amount("amount", "amount"),
            ]
        case .refunds:
            [
                .text("time", "time"), .text("operation", "operation", ValueSchemas.operation),
                .text("kind", "kind"), .text("cashier", "cashier"),
                .text("supervisor", "approved by"), .text("till", "till"),
                .text("card", "card", ValueSchemas.card), .text("name", "name"),
                .text("reverses", "reverses", ValueSchemas.operation), .amount("amount", "amount"),
                .amount("otherwise", "otherwise"),
            ]
        }
    }

    /// A column that shows a sum for each row.
    struct Sum: Sendable {
        let column: ReportTable.Column
        /// Makes the column's cell from the sums of a row.
        let cell: @Sendable (BookedSums) -> ReportTable.Cell

        static func number(
            _ name: String, _ title: String, _ number: @escaping @Sendable (BookedSums) -> Int
        ) -> Sum { Sum(column: .number(name, title)) { .number(number($0)) } }

        static func amount(
            _ name: String, _ title: String, _ amount: @escaping @Sendable (BookedSums) -> Int64
        ) -> Sum { Sum(column: .amount(name, title)) { .amount(amount($0)) } }
    }

    /// The columns that follow ``divisions`` in every report that groups the bookings.
    static let sums: [Sum] =
        [
            .number("sales", "sales") { $0.sales.number },
            .amount("sold", "sold") { $0.sales.amount },
            .number("refunds", "refunds") { $0.refunds.number },
            .amount("refunded", "refunded") { $0.refunds.amount },
            .number("credits", "credits") { $0.credits.number },
            .amount("credited", "credited") { $0.credits.amount },
            .number("topUps", "top-ups") { $0.topUps.number },
            .number("reversals", "reversals") { $0.reversals.number },
        ]
        + tenders("toppedUp", "topped up") { $0.toppedUp }
        + tenders("rest", "rest") { $0.rests } + [
            .number("payouts", "payouts") { $0.payouts.number },
            .amount("paidOut", "paid out") { $0.payouts.amount },
            .amount("cashMoved", "cash in and out") { $0.cashMoved },
            .amount("drawer", "drawer") { $0.drawer },
        ]

    /// One column of amounts for each tender, such as `toppedUpCash`.
    private static func tenders(
        _ name: String, _ title: String, _ sums: @escaping @Sendable (BookedSums) -> [Tender: Int64]
    ) -> [Sum] {
        Tender.allCases.map { tender in
            let word = tender.rawValue
            return .amount(
                name + word.prefix(1).uppercased() + word.dropFirst(), "\(title): \(word)"
            ) { sums($0)[tender, default: 0] }
        }
    }
}

/// What a row of the products report counts. A product that has been renamed has a row for each
/// name.
struct ProductKey: Hashable, Sendable {
    /// What was sold or returned.
    enum Kind: String, DocumentedWord {
        /// Products.
        case sold
        /// Returned deposits, and lottery tickets.
        case returned, ticket
        /// Amounts without a product.
        case unnamed
        /// Refunds, whatever had been sold.
        case refund
    }

    let kind: Kind
    /// The product; nil if the row is not about a product.
    var product: ProductID?
    /// The product's name at the time of the sale.
    var name: String?

    /// Creates the key of a row that is not about a product.
    init(_ kind: Kind) { self.kind = kind }

    /// Creates the key of the row that a line of a sale belongs to.
    init(_ line: SaleLine) {
        self.init(line.product == nil ? .unnamed : line.price < 0 ? .returned : .sold)
        if line.product != nil { (product, name) = (line.product, line.name.text) }
    }
}

/// How long ago a card was last used.
enum CardAge: String, DocumentedWord {
    case days30 = "under 30 days"
    case days90 = "30 to 90 days"
    case year = "90 to 365 days"
    case older = "over a year"

    /// Creates an age from the time of the last use. A card that was never used counts as
    /// ``older``.
    init(of use: Timestamp?, at now: Timestamp) {
        let days = use.map { (now.milliseconds - $0.milliseconds) / 86_400_000 } ?? .max
        self = days < 30 ? .days30 : days < 90 ? .days90 : days <= 365 ? .year : .older
    }
}
