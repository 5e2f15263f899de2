import Ledger
import TapcardCore
import TextCodecs

/// Schemas for the ledger's history.
enum MoneySchemas {
    static let history = PrintedDocument.shown([
        "entries": [HistoryLine].schema, "activations": [ActivationAttempt].schema,
    ])

    static let takings = PrintedDocument.shown([
        "day": ValueSchemas.day, "currency": Schema.text,
        "hours": Schema.list(
            of: Schema.object([
                "hour": Schema.number(0...23), "paid": ValueSchemas.signedAmount,
                "added": ValueSchemas.signedAmount, "paidOut": ValueSchemas.amount,
            ])), "paid": ValueSchemas.signedAmount, "added": ValueSchemas.signedAmount,
        "paidOut": ValueSchemas.amount, "drawer": ValueSchemas.signedAmount,
        "payments": Schema.count, "topUps": Schema.count, "payouts": Schema.count,
        "shortfall": ValueSchemas.amount, "withoutCard": ValueSchemas.signedAmount,
        "tenders": Schema.object(
            Tender.allCases.reduce(into: Members()) {
                $0 += [$1.rawValue: ValueSchemas.signedAmount]
            }), "rounding": ValueSchemas.signedAmount, "cashIn": ValueSchemas.amount,
        "cashOut": ValueSchemas.amount,
    ])
}
