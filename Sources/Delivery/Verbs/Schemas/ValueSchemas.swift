import Ledger
import ReaderDiagnosis
import TapcardCore
package import TapcardDomain
package import TextCodecs

/// Schemas for values that many documents share.
package enum ValueSchemas {
    package static let card = Schema.named("CardNumber")
    package static let operation = Schema.named("OperationID")
    /// An ID in a request; the nil UUID is not valid.
    package static let givenID = Schema.named("GivenID")
    package static let time = Schema.named("Time")
    static let day = Schema.named("Day")
    static let amount = Schema.named("Amount")
    static let signedAmount = Schema.named("SignedAmount")
    static let game = Schema.named("GameID")
    static let result = Schema.named("Result")
    static let lotteryName = Schema.named("LotteryName")
    static let nextStep = Schema.named("NextStep")
    static let kind = Schema.named("OperationKind")
    static let resolved = Schema.named("Resolved")
    static let ticket = Schema.named("Ticket")
    static let shownTicket = Schema.named("ShownTicket")
    static let serviceError = Schema.named("ServiceError")
    static let finding = Schema.named("Finding")

    /// The named components of the API document. If no currency is given, amounts in any currency
    /// match.
    package static func components(_ currency: Currency?) -> [(name: String, schema: JSONValue)] {
        let fraction =
            switch currency?.decimals {
            case nil: "(\\.[0-9]+)?"
            case 0: ""
            case let decimals?: "\\.[0-9]{\(decimals)}"
            }
        return [
            (
                "CardNumber",
                Schema.described(
                    Schema.pattern("^[0-9A-F]{14}$"), "UID of a card or tag, 7 bytes.")
            ),
            (
                "OperationID",
                Schema.described(
                    Schema.pattern("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"), "A UUID.")
            ),
            (
                "GivenID",
                Schema.described(
                    Schema.pattern(
                        "^(?=.*[1-9A-Fa-f])[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"),
                    "UUID in upper- or lower-case hexadecimal, not all zeros")
            ),
            (
                "Time",
                Schema.described(
                    Schema.pattern(
                        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
                            + "(\\.[0-9]{3})?Z$"),
                    "ISO 8601, UTC.")
            ),
            ("Day", Schema.pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
            (
                "Amount",
                Schema.described(
                    Schema.pattern("^[0-9]+\(fraction)$"),
                    "In \(currency?.code ?? "the document's currency"), as a decimal.")
            ),
            (
                "SignedAmount",
                Schema.described(
                    Schema.pattern("^-?[0-9]+\(fraction)$"),
                    "Signed amount, negative if taken off the card.")
            ),
            ("GameID", Schema.pattern("^[0-9a-f]{32}$")),
            (
                "LotteryName",
                Schema.described(
                    Schema.pattern(lotteryNamePattern), "The lottery's name for a draw or ticket.")
            ),
            (
                "Result",
                Schema.described(
                    Schema.oneOf(["done"] + resultWords),
                    "Outcome; all except done come with error and message.")
            ),
            ("NextStep", Schema.described(step, "Next step, in machine-readable form.")),
            ("OperationKind", Schema.oneOf(Operation.Kind.allCases.map(\.rawValue))),
            ("Resolved", ResolvedOperation.fields.schema), ("Ticket", Ticket.fields.schema),
            ("ShownTicket", ShownTicket.fields.schema),
            ("ServiceError", Schema.oneOf(ServiceError.Kind.allCases.map(\.rawValue))),
            ("Finding", Finding.fields.schema),
        ]
    }

    private static let step = Schema.object(
        [
            "step": Schema.described(
                Schema.pattern("^[a-z]+(-[a-z]+)*$"), "identifier of the step")
        ],
        optional: [
            "uid": card, "operation": operation,
            "kind": kind,
            "amount": Schema.described(amount, "amount for the step"),
            "currency": Schema.described(Schema.text, "the card's currency"),
            "ticket": lotteryName, "file": Schema.text,
            "setting": Schema.described(Schema.text, "name of the setting to set or confirm"),
            "address": Schema.described(Schema.text, "built-in service URL to confirm"),
            "chip": Schema.described(Schema.text, "chip that can become a card"),
            "because": Schema.described(Schema.text, "error that left the operation open"),
            "seconds": Schema.described(Schema.text, "seconds to wait"),
        ])

    private static let lotteryNamePattern = #"^[!#-\[\]-~]{1,40}$"#

    /// A pattern that matches the name of any chip, in upper or lower case.
    private static var chips: String {
        Chip.allCases.map { chip in
            chip.name.map { $0.isLetter ? "[\($0.uppercased())\($0.lowercased())]" : "\($0)" }
                .joined()
        }.joined(separator: "|")
    }

    /// The schema for a parameter of a call.
    package static func parameter(
        _ form: PageParameter.Form, _ currency: Currency
    ) -> JSONValue {
        switch form {
        case .text(let lengths):
            [
                "type": "string", "minLength": .number(String(lengths.lowerBound)),
                "maxLength": .number(String(lengths.upperBound)),
            ]
        case .choice(let words): Schema.oneOf(words)
        case .amount: amount("", currency)
        case .positiveAmount: amount("(?=.*[1-9])", currency)
        case .card: Schema.pattern("^[: ]*([0-9A-Fa-f][: ]*){14}$")
        case .operation: givenID
        case .lotteryName: Schema.pattern(lotteryNamePattern)
        case .day: ["type": "string", "format": "date"]
        case .wholeNumber(let range): Schema.number(range)
        case .boolean: Schema.boolean
        case .tags:
            [
                "type": "array", "maxItems": 64,
                "items": Schema.pattern("^(\(chips)|([0-9A-Fa-f]{2}){1,10})$"),
            ]
        case .digits(let range, let counts):
            [
                "type": "array", "items": Schema.number(range),
                "minItems": .number(String(counts.lowerBound)),
                "maxItems": .number(String(counts.upperBound)),
            ]
        case .fault: Schema.nullable(Schema.text)
        case .content:
            [
                "type": "string",
                "maxLength": .number(String(PageParameter.maximumContentLength)),
            ]
        case .base64: base64
        case .saleLines:
            [
                "type": "array", "minItems": .number("1"),
                "maxItems": .number(String([SaleLine].maximumCount)),
                "items": Schema.object(
                    ["price": amount("-?", currency)],
                    optional: [
                        "product": Schema.nullable(givenID), "name": Schema.nullable(Schema.text),
                        "quantity": Schema.number(SaleLine.possibleQuantities),
                    ]),
            ]
        case .rest:
            Schema.object([
                "tender": Tender.schema, "amount": amount("(?=.*[1-9])", currency),
            ])
        case .media:
            Schema.object(["type": Schema.pattern(GivenMedia.typePattern), "base64": base64])
        }
    }

    private static let base64 = Schema.pattern(
        "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$")

    private static func amount(_ condition: String, _ currency: Currency) -> JSONValue {
        let fraction = currency.decimals == 0 ? "" : "(\\.[0-9]{1,\(currency.decimals)})?"
        return [
            "type": "string", "pattern": .string("^\(condition)[0-9]+\(fraction)$"),
            "maxLength": .number(String(PageParameter.maximumAmountLength)),
        ]
    }
}
