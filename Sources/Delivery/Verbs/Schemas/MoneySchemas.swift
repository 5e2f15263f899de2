import Ledger
import TapcardCore
import TextCodecs

/// Schemas for the ledger's history.
enum MoneySchemas {
    static let history = PrintedDocument.shown([
        "entries": [HistoryLine].schema, "activations": [ActivationAttempt].schema,
    ])

    /// Sums that are hidden while they would show the cash of an open shift.
    private static let hidden = Schema.nullable(ValueSchemas.amount)
    private static let signed = Schema.nullable(ValueSchemas.signedAmount)

    static let takings = PrintedDocument.shown([
        "day": ValueSchemas.day, "currency": Schema.text,
        "hours": Schema.list(
            of: Schema.object([
                "hour": Schema.number(0...23), "paid": ValueSchemas.signedAmount,
                "added": signed, "paidOut": hidden,
            ])), "paid": ValueSchemas.signedAmount, "added": signed, "paidOut": hidden,
        "drawer": signed, "payments": Schema.count, "topUps": Schema.count,
        "payouts": Schema.count, "shortfall": ValueSchemas.amount, "withoutCard": signed,
        "tenders": Schema.nullable(
            Schema.object(
                Tender.allCases.reduce(into: Members()) {
                    $0 += [$1.rawValue: ValueSchemas.signedAmount]
                })), "rounding": signed, "cashIn": hidden, "cashOut": hidden,
    ])
}
