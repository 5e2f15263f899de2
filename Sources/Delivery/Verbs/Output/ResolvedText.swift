import Ledger
package import TapcardCore
import TapcardDomain
package import TextCodecs

extension ResolvedOperation {
    /// The outcome of an operation that an earlier tap left open, and what to do now.
    var words: String {
        let noun = operation.kind.noun
        let sum = Money(minorUnits: operation.amount, amount.currency).shown
        let movesMoney = operation.amount != 0
        let about = movesMoney ? "\(noun) of \(sum)" : noun
        return switch (operation.kind, isDone) {
        case (.protect, false), (.unprotect, false):
            "Resolved: the interrupted \(noun) has been abandoned, because someone locked the "
                + "tag's configuration. The tag stays as it is, and the card can still be used."
        case (_, false):
            "Resolved: the interrupted \(about) \(movesMoney ? "did not go through" : "was voided")."
        case (_, true):
            "Resolved: the interrupted \(about) \(movesMoney ? "went through" : "was completed")."
                + (cashToPayOut.map { " Give the customer \($0.shown) now." } ?? "")
        }
    }

    /// The cash to pay out now, because this tap completed the operation.
    private var cashToPayOut: Money? {
        if closed.minorUnits > 0 { return closed }
        guard operation.kind.paysOutCash, operation.amount > 0 else { return nil }
        return Money(minorUnits: operation.amount, amount.currency)
    }
}

extension ResolvedOperation: DocumentedObject {
    static var schema: JSONValue { ValueSchemas.resolved }
    /// The operations that earlier taps left open and this tap resolved.
    static let fields: Fields<ResolvedOperation> = [
        "operation": .of(\.operation.id), "kind": .of(\.operation.kind),
        "amount": .of(ValueSchemas.signedAmount, \.amount),
        "outcome": .of(Schema.oneOf(["committed", "voided"]), \.operation.state),
        "closed": .ifAny { $0.closed.minorUnits > 0 ? $0.closed : nil },
    ]
}

extension JSONValue {
    package static func resolved(_ resolved: [ResolvedOperation]) -> JSONValue {
        resolved.document
    }
}

extension Report {
    static func words(resolved: [ResolvedOperation]) -> [String] { resolved.map(\.words) }
}
