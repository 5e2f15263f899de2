import Ledger
import TextCodecs

/// Schemas of the ledger's history.
enum MoneySchemas {
    static let history = PrintedDocument.shown([
        "entries": Schema.list(of: entry), "activations": Schema.list(of: attempt),
    ])

    private static let entry = Schema.object(
        [
            "operation": ValueSchemas.operation, "uid": ValueSchemas.card,
            "kind": Schema.words(Operation.Kind.allCases.map(\.rawValue)),
            "state": Schema.words(Operation.State.allCases.map(\.rawValue)),
            "amount": Schema.orNull(ValueSchemas.signedAmount),
            "balance": Schema.orNull(ValueSchemas.amount), "sequence": Schema.orNull(Schema.count),
            "reverses": Schema.orNull(ValueSchemas.operation), "at": ValueSchemas.time,
            "ticket": Schema.orNull(ValueSchemas.lotteryName),
            "game": Schema.orNull(ValueSchemas.game),
            "paidOut": Schema.orNull(ValueSchemas.amount),
            "closed": Schema.orNull(ValueSchemas.amount),
            "attempt": Schema.orNull(ValueSchemas.operation),
            "cashier": Schema.orNull(Schema.text),
        ])

    private static let attempt = Schema.object([
        "operation": ValueSchemas.operation, "uid": ValueSchemas.card,
        "code": ValueSchemas.operation,
        "state": Schema.words(ActivationAttempt.State.allCases.map(\.rawValue)),
        "version": Schema.orNull(Schema.text), "at": ValueSchemas.time,
        "answered": Schema.orNull(ValueSchemas.time),
    ])

    static let takings = PrintedDocument.shown([
        "day": ValueSchemas.day, "currency": Schema.text,
        "hours": Schema.list(
            of: Schema.object([
                "hour": Schema.number(0...23), "paid": ValueSchemas.amount,
                "added": ValueSchemas.amount, "paidOut": ValueSchemas.amount,
            ])), "paid": ValueSchemas.amount, "added": ValueSchemas.amount,
        "paidOut": ValueSchemas.amount, "drawer": ValueSchemas.signedAmount,
        "payments": Schema.count, "additions": Schema.count, "payouts": Schema.count,
    ])

    static let audit = PrintedDocument.shown([
        "cards": Schema.count, "operations": Schema.count, "open": Schema.count,
        "violations": Schema.list(of: Schema.text),
        "activating": Schema.list(of: ValueSchemas.card),
    ])
}
