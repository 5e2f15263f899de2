import Ledger
import StyledText
package import TapcardCore
import TapcardDomain
package import TextCodecs

extension Settled {
    /// The outcome of an operation that an earlier tap left open, and what to do now.
    var words: String {
        let noun = operation.kind.noun
        let sum = Money(minorUnits: operation.amount, amount.currency).shown
        let about = operation.amount == 0 ? noun : "\(noun) of \(sum)"
        return switch (operation.kind, isDone) {
        case (.protect, false), (.unprotect, false):
            "Settled: the interrupted \(noun) was given up: somebody has locked the tag's settings. "
                + "The tag stays as it is, and the card works."
        case (_, false): "Settled: the interrupted \(about) did not go through."
        case (_, true):
            "Settled: the interrupted \(about) went through."
                + (handedOut.map { " Hand out \($0.shown) now." } ?? "")
        }
    }

    /// The cash to hand out now, because the operation was open until this tap.
    private var handedOut: Money? {
        if closed.minorUnits > 0 { return closed }
        guard operation.kind.handsOutCash, operation.amount > 0 else { return nil }
        return Money(minorUnits: operation.amount, amount.currency)
    }
}

extension Settled: DocumentedObject {
    static var schema: JSONValue { ValueSchemas.settled }
    /// The operations that earlier taps left open and this tap settled.
    static let fields: Fields<Settled> = [
        "operation": .of(\.operation.id), "kind": .of(\.operation.kind),
        "amount": .of(ValueSchemas.signedAmount, \.amount),
        "outcome": .of(Schema.words(["committed", "voided"]), \.operation.state),
        "closed": .ifAny { $0.closed.minorUnits > 0 ? $0.closed : nil },
    ]
}

extension JSONValue {
    package static func settled(_ settled: [Settled]) -> JSONValue {
        settled.document
    }
}

extension Report {
    static func words(settled: [Settled]) -> [String] { settled.map(\.words) }
}
