import TapcardDomain
import TextCodecs

/// A value in a service's response, and its location, so that errors can say where the value is.
struct AnswerReader {
    /// The maximum number of values in a response. One mebibyte of draws or tickets in the
    /// documented format contains fewer.
    private static let maximumValueCount = 100_000

    let value: JSONValue
    private let location: String

    /// Parses a response. The value is the whole document.
    init(_ body: [UInt8]) throws(ServiceError) {
        do throws(JSONError) {
            value = try JSONValue.parsing(body, valueLimit: AnswerReader.maximumValueCount)
        } catch {
            guard error.kind != .tooLarge else {
                throw ServiceError(.tooLarge, "the response is too large: \(error.detail)")
            }
            let hint = body.first == UInt8(ascii: "<") ? "it looks like an HTML page; " : ""
            throw ServiceError(.notJSON, "the response is not JSON: \(hint)\(error.detail)")
        }
        location = "the response"
    }

    private init(_ value: JSONValue, at location: String) {
        (self.value, self.location) = (value, location)
    }

    /// The member with this name. Other members are ignored.
    func member(_ key: String) throws(ServiceError) -> AnswerReader {
        guard let found = try optional(key) else { throw wrong("has no member \"\(key)\"") }
        return found
    }

    /// The member with this name; `nil` if it is missing or null.
    func optional(_ key: String) throws(ServiceError) -> AnswerReader? {
        guard value.members != nil else { throw wrong("is not an object") }
        guard let found = value[key], found != .null else { return nil }
        return AnswerReader(found, at: "\"\(key)\" of \(location)")
    }

    func elements() throws(ServiceError) -> [AnswerReader] {
        guard let array = value.array else { throw wrong("is not an array") }
        // Error messages count from 1.
        return array.enumerated().map { AnswerReader($1, at: "number \($0 + 1) of \(location)") }
    }

    /// A nonempty string within the length limit.
    func string(maximumLength: Int = 1_024) throws(ServiceError) -> String {
        guard let string = value.string else { throw wrong("is not a string") }
        guard !string.isEmpty else { throw wrong("is empty") }
        guard string.utf8.count <= maximumLength else {
            throw wrong("has more than \(maximumLength) bytes")
        }
        return string
    }

    /// The text of a number, exactly as written, or of a string that represents one.
    func digits() throws(ServiceError) -> String {
        guard let text = value.numberText ?? value.string else {
            throw wrong("is neither a number nor a string")
        }
        return text
    }

    /// An integer, parsed from its exact digits. Some services put integers in quotes.
    func integer(in range: ClosedRange<Int>) throws(ServiceError) -> Int {
        let text = try digits()
        let isPlain =
            // 18 digits always fit in an Int. Signs, spaces, and exponents are refused: no ball is
            // numbered 2e1.
            (1...18).contains(text.utf8.count)
            && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        guard isPlain, let number = Int(text) else {
            throw wrong("is \"\(Shown.text(text))\", not a whole number")
        }
        guard range.contains(number) else {
            throw wrong("is \(number), not in the range \(range.words)")
        }
        return number
    }

    func date() throws(ServiceError) -> CalendarDate {
        let text = try string()
        guard let date = CalendarDate(text) else {
            throw wrong(
                "is \"\(Shown.text(text))\", not a date in the form yyyy-MM-dd", as: .badDate)
        }
        return date
    }

    func wrong(_ what: String, as kind: ServiceError.Kind = .wrongShape) -> ServiceError {
        ServiceError(kind, "\(location) \(what)")
    }
}
