import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

/// The type of a parameter's value: its form in JSON, and how its text is parsed. Command lines and
/// pages use the same types, so their refusals have the same wording.
package struct ValueType<Value: Sendable>: Sendable {
    /// The JSON form; nil if pages cannot send it.
    var form: PageParameter.Form?
    /// The accepted words; empty if any word is accepted.
    var choices: [String] = []
    var completes: CompletedValue?
    /// Converts a JSON member that is not a single string; nil if the member has the wrong shape.
    var decode: (@Sendable (JSONValue) throws(TapcardError) -> [Value]?)?
    let parse: @Sendable (_ text: String, CommandParameter) throws(TapcardError) -> Value

    /// The values that were given; empty if the parameter counts as not given.
    func elements(
        of given: ParsedCommand.Given, _ row: CommandParameter
    ) throws(TapcardError) -> [Value] {
        switch given {
        case .texts(let texts):
            var elements: [Value] = []
            for text in texts { elements.append(try parse(text, row)) }
            return elements
        case .member(let member):
            // For a fault, null means "disarm"; for any other parameter, null counts as omitted.
            guard let form, member != .null || form == .fault else { return [] }
            if let decode {
                if let elements = try decode(member) { return elements }
            } else if let text = member.string, form.allows(text) {
                return [try parse(text, row)]
            }
            let name = row.page?.name ?? row.name
            throw TapcardError.usage("\(name.debugDescription) must be \(form.words).")
        }
    }
}

extension ValueType {
    /// A type whose values `make` creates from valid text. Invalid text is refused with the message
    /// that it is not `what`.
    static func parsed(
        by make: @escaping @Sendable (String) -> Value?, _ what: String,
        form: PageParameter.Form? = nil, completes: CompletedValue? = nil,
        meaning: String = "Nothing was done.", advice: String = ""
    ) -> Self {
        Self(form: form, completes: completes) { text, _ throws(TapcardError) in
            if let value = make(text) { return value }
            throw TapcardError(
                .usage, "\(text.quotation) is not \(what).", meaning: meaning,
                advice: advice)
        }
    }
}

/// An amount as typed, before its currency is known.
package struct TypedAmount: Sendable, Hashable {
    let text: String
}

extension ValueType<String> {
    /// Text that only the command line accepts.
    package static var word: Self { Self { text, _ in text } }
    package static var file: Self { Self(completes: .files) { text, _ in text } }
    /// The name of a reader; the settings check its form.
    package static var reader: Self { Self(completes: .readers) { text, _ in text } }
    package static var verb: Self { Self(completes: .verbs) { text, _ in text } }
    static var fault: Self {
        Self(form: .fault, decode: PageParameter.fault, parse: { text, _ in text })
    }
    static var tag: Self {
        Self(
            form: .tags, decode: { $0.array.flatMap { all($0.map(\.string)) } },
            parse: { text, _ in text })
    }

    /// Text with a length in this range.
    static func text(_ lengths: ClosedRange<Int>) -> Self {
        Self(form: .text(lengths)) { text, _ in text }
    }

    static var settingValue: Self { Self(completes: .settingValue) { text, _ in text } }

    static func oneOf(_ words: [String]) -> Self { Self(choices: words) { text, _ in text } }
}

extension ValueType<Bool> {
    static var boolean: Self {
        Self(
            // False counts as not given, like an omitted flag.
            form: .boolean, decode: { $0.bool.map { $0 ? [true] : [] } },
            parse: { text, _ in Settings.boolean(text) ?? false })
    }
}

extension ValueType where Value: RawRepresentable<String> & CaseIterable {
    /// The raw value of an enumeration.
    package static func choice(_ type: Value.Type) -> Self {
        let words = type.allCases.map(\.rawValue)
        return Self(form: .choice(words), choices: words) { text, row throws(TapcardError) in
            guard let choice = Value(rawValue: text) else {
                throw TapcardError.usage(
                    "\(text.quotation) is not one of the choices for \(row.name).")
            }
            return choice
        }
    }
}

extension ValueType<StationName> {
    static var station: Self {
        parsed(
            by: { StationName($0) },
            "a valid server name (up to \(StationName.maximumLength) characters: a-z, 0-9, -, and "
                + "_, starting with a letter)")
    }
}

extension ValueType<TypedAmount> {
    // The command parses the amount, because its currency is not known until then.
    static var amount: Self { Self(form: .amount) { text, _ in TypedAmount(text: text) } }
    /// An amount to move; must be greater than zero.
    static var positiveAmount: Self {
        Self(form: .positiveAmount) { text, _ in TypedAmount(text: text) }
    }
}

extension ValueType<CardUID> {
    static var card: Self {
        .parsed(
            by: CardUID.init, "a card UID (14 hexadecimal digits)", form: .card,
            completes: .cards)
    }
}

extension ValueType<OperationID> {
    static var operation: Self {
        .parsed(
            by: OperationID.init, "an operation ID (a UUID)", form: .operation,
            advice: "To list the IDs, run: tapcard history")
    }
    static var shift: Self {
        .parsed(
            by: OperationID.init, "a shift ID (a UUID)", form: .operation,
            advice: "To list the shifts, run: tapcard shift list")
    }
    static var journal: Self {
        .parsed(
            by: OperationID.init, "a journal ID (a UUID)", form: .operation,
            advice: "To list the journals, run: tapcard ledger status")
    }
}

extension ValueType<HolderName> {
    static var holderName: Self {
        Self(form: .text(1...HolderName.maximumBytes)) { text, _ throws(TapcardError) in
            try translating(HolderName(text)) { (error: Refusal) in TapcardError(error) }
        }
    }
}

extension ValueType<HolderID> {
    static var holderID: Self {
        let numbers = 1...Int.max
        return Self(
            form: .wholeNumber(numbers),
            decode: { $0.whole(in: numbers).flatMap { try? [HolderID(Int64($0))] } },
            parse: { text, _ throws(TapcardError) in
                try translating(HolderID(parsing: text)) { (error: Refusal) in TapcardError(error) }
            })
    }
}

extension ValueType<DrawID> {
    static var draw: Self {
        .parsed(
            by: DrawID.init, "a draw ID (such as draw-1)", form: .lotteryName)
    }
}

extension ValueType<TicketID> {
    static var ticket: Self {
        .parsed(
            by: TicketID.init, "a ticket ID", form: .lotteryName,
            advice: "To list the tickets, run: tapcard tickets")
    }
}

extension ValueType<CalendarDate> {
    static var day: Self {
        .parsed(
            by: CalendarDate.init, "a date (such as 2026-11-22)", form: .day,
            meaning: "Nothing was read.")
    }
}

extension ValueType<CashierName> {
    static var cashier: Self {
        Self { text, _ throws(TapcardError) in
            try translating(CashierName(text)) { (error: Refusal) in
                TapcardError(
                    .refusal(.badName),
                    "\(text.quotation) is not a valid cashier name: \(error.detail).",
                    meaning: "Nothing was changed.")
            }
        }
    }
}

extension ValueType<WebOrigin> {
    /// A web origin. If the text is invalid, the error's meaning is `meaning`.
    package static func origin(orSay meaning: String) -> Self {
        .parsed(
            by: WebOrigin.init, "the origin of a web page", meaning: meaning,
            advice: "Write it without a path, as in https://app.example; http is accepted only for "
                + "localhost and 127.0.0.1.")
    }
}

extension ValueType<UInt8> {
    static var key: Self {
        .parsed(
            by: { UInt8($0) }, "a key number", completes: .keys,
            meaning: "The key file was not changed.",
            advice: "To list the keys, run: tapcard keys list")
    }
}

extension ValueType<Int> {
    /// A whole number within limits; `meaning` is part of the refusal. If `forPagesOnly` is true,
    /// the limits apply only to pages; on a command line, the command itself checks the number.
    package static func wholeNumber(
        _ limits: ClosedRange<Int>, orSay meaning: String, forPagesOnly: Bool = false
    ) -> Self {
        Self(
            form: .wholeNumber(limits), decode: { $0.whole(in: limits).map { [$0] } },
            parse: { text, row throws(TapcardError) in
                // Int would also accept a sign.
                guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let number = Int(text), forPagesOnly || limits.contains(number)
                else {
                    throw TapcardError(
                        .usage,
                        "The value for --\(row.name) must be a whole number"
                            + (forPagesOnly ? "" : " from \(limits.words)")
                            + ", not \(text.quotation).",
                        meaning: meaning)
                }
                return number
            })
    }
}

extension ValueType<UInt16> {
    /// A port; zero selects a free one.
    package static func port(orSay meaning: String) -> Self {
        let number = ValueType<Int>.wholeNumber(0...Int(UInt16.max), orSay: meaning)
        return Self { text, row throws(TapcardError) in UInt16(try number.parse(text, row)) }
    }
}

extension ValueType<[Int]> {
    /// The colors of a guess as digits, with or without spaces between them.
    static func colors(_ counts: ClosedRange<Int>) -> Self {
        let digits = 0...9
        return Self(
            form: .digits(digits, count: counts),
            decode: { member in
                guard let found = member.array, counts.contains(found.count) else { return nil }
                return all(found.map { $0.whole(in: digits) }).map { [$0] }
            },
            parse: { text, _ throws(TapcardError) in
                var colors: [Int] = []
                for character in text {
                    // wholeNumberValue also recognizes the digits of other scripts.
                    guard let color = character.wholeNumberValue, character.isASCII else {
                        throw TapcardError(
                            .usage,
                            "Colors must be written as digits, not "
                                + "\(String(character).debugDescription).",
                            meaning: "Nothing was sent.",
                            advice: "For example: 152561, or 1 5 2 5 6 1.")
                    }
                    colors.append(color)
                }
                return colors
            })
    }
}

extension JSONValue {
    /// A whole number within the range. JSON has only one type of number, so 2.0 is also accepted.
    fileprivate func whole(in range: ClosedRange<Int>) -> Int? {
        let parts = numberText?.split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let parts, let number = Int(parts[0]), range.contains(number),
            parts.count == 1 || (!parts[1].isEmpty && parts[1].allSatisfy { $0 == "0" })
        else { return nil }
        return number
    }
}

/// All elements; nil if one of them is missing.
private func all<Element>(_ elements: [Element?]) -> [Element]? {
    let known = elements.compactMap(\.self)
    return known.count == elements.count ? known : nil
}
