import CardCryptography
import Ledger
import ReaderDiagnosis
import TapcardCore
import TapcardDomain
import TextCodecs

/// A type whose values have only one form in documents, so that a member's type determines its
/// schema.
protocol Documented: Sendable {
    static var schema: JSONValue { get }
    var document: JSONValue { get }
}

/// A type whose values are objects in documents.
protocol DocumentedObject: Documented {
    static var fields: Fields<Self> { get }
}

extension DocumentedObject {
    static var schema: JSONValue { fields.schema }
    var document: JSONValue { members.object }
    var members: Members { Self.fields.members(of: self) }
}

extension Optional: Documented where Wrapped: Documented {
    static var schema: JSONValue { Schema.nullable(Wrapped.schema) }
    var document: JSONValue { map(\.document) ?? .null }
}

extension Array: Documented where Element: Documented {
    static var schema: JSONValue { Schema.list(of: Element.schema) }
    var document: JSONValue { .array(map(\.document)) }
}

extension Bool: Documented {
    static var schema: JSONValue { Schema.boolean }
    var document: JSONValue { .bool(self) }
}

extension Timestamp: Documented {
    static var schema: JSONValue { ValueSchemas.time }
    var document: JSONValue { .string(LocalTime.iso(self)) }
}

/// A type whose values are counts in documents.
protocol DocumentedCount: Documented, BinaryInteger {}

extension DocumentedCount {
    static var schema: JSONValue { Schema.count }
    var document: JSONValue { .number(String(self)) }
}

extension Int: DocumentedCount {}
extension Int64: DocumentedCount {}
extension UInt8: DocumentedCount {}
extension UInt32: DocumentedCount {}

/// A type whose values are strings in documents.
protocol DocumentedText: Documented, CustomStringConvertible {}

extension DocumentedText {
    static var schema: JSONValue { Schema.text }
    var document: JSONValue { .string(description) }
}

extension String: DocumentedText {}
extension ReaderName: DocumentedText {}
extension HolderName: DocumentedText {}
extension CashierName: DocumentedText {}
extension SaleText: DocumentedText {}
extension CardUID: DocumentedText { static var schema: JSONValue { ValueSchemas.card } }
extension UniqueID: DocumentedText { static var schema: JSONValue { ValueSchemas.operation } }
// An amount is a string, because some JSON parsers would round a number.
extension Money: DocumentedText { static var schema: JSONValue { ValueSchemas.amount } }
extension DrawID: DocumentedText { static var schema: JSONValue { ValueSchemas.lotteryName } }
extension TicketID: DocumentedText { static var schema: JSONValue { ValueSchemas.lotteryName } }
extension MastermindGameID: DocumentedText { static var schema: JSONValue { ValueSchemas.game } }
extension CalendarDate: DocumentedText { static var schema: JSONValue { ValueSchemas.day } }

/// An enumeration whose values are words in documents.
protocol DocumentedWord: Documented, RawRepresentable<String>, CaseIterable {}

extension DocumentedWord {
    static var schema: JSONValue { Schema.oneOf(allCases.map(\.rawValue)) }
    var document: JSONValue { .string(rawValue) }
}

extension CardSummary.Seal: DocumentedWord {}
extension CardSummary.Standing: DocumentedWord {}
extension DisplayState: DocumentedWord {}
extension Tender: DocumentedWord {}
extension CardlessOperation.Kind: DocumentedWord {}
extension Product.Color: DocumentedWord {}
extension TagInfo.Originality: DocumentedWord {}
extension Operation.Kind: DocumentedWord { static var schema: JSONValue { ValueSchemas.kind } }
extension Operation.State: DocumentedWord {}
extension ActivationAttempt.State: DocumentedWord {}
extension LedgerCard.Status: DocumentedWord {}
extension SchemaReach: DocumentedWord {}
extension Finding.ID: DocumentedWord {}
extension Finding.Severity: DocumentedWord {}
extension ShownTicket.Claim: DocumentedWord {}
