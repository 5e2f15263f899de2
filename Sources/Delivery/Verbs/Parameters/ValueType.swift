import TapcardCore
import TapcardDomain

/// The type of a parameter's value: its JSON form and the meaning of its text. Command lines and
/// pages share it, including the words of refusals.
package struct ValueType<Value: Sendable>: Sendable {
    /// The JSON form; nil if pages cannot send it.
    var form: PageParameter.Form?
    /// The accepted words; empty if any word is accepted.
    var choices: [String] = []
    var completes: CompletedValue?
    let parse: @Sendable (_ text: String, CommandParameter) throws(TapcardError) -> Value

    var optional: @Sendable ([String]?, CommandParameter) throws(TapcardError) -> Value? {
        { [parse] texts, row throws(TapcardError) in
            guard let text = texts?.first else { return nil }
            return try parse(text, row)
        }
    }

    var all: @Sendable ([String]?, CommandParameter) throws(TapcardError) -> [Value] {
        { [parse] texts, row throws(TapcardError) in
            var values: [Value] = []
            for text in texts ?? [] { values.append(try parse(text, row)) }
            return values
        }
    }
}

extension ValueType {
    /// A type whose initialiser accepts valid texts; `what` describes the invalid ones.
    private static func made(
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

/// A typed amount, not yet in a currency.
package struct TypedAmount: Sendable, Hashable {
    let text: String
}

extension ValueType<String> {
    /// A text for the command line alone.
    package static var word: Self { Self { text, _ in text } }
    package static var file: Self { Self(completes: .files) { text, _ in text } }
    /// The name of a reader; the settings say whether it is one.
    package static var reader: Self { Self(completes: .readers) { text, _ in text } }
    package static var verb: Self { Self(completes: .verbs) { text, _ in text } }
    static var fault: Self { Self(form: .fault) { text, _ in text } }
    static var tag: Self { Self(form: .tags) { text, _ in text } }

    /// A text with a length in this range.
    static func text(_ lengths: ClosedRange<Int>) -> Self {
        Self(form: .text(lengths)) { text, _ in text }
    }

    static var settingValue: Self { Self(completes: .settingValue) { text, _ in text } }

    static func oneOf(_ words: [String]) -> Self { Self(choices: words) { text, _ in text } }
}

extension ValueType<Bool> {
    static var truth: Self { Self(form: .truth) { text, _ in Settings.truth(text) ?? false } }
}

extension ValueType where Value: RawRepresentable<String> & CaseIterable {
    /// A word of an enumeration.
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
        made(
            by: { StationName($0) },
            "a station name (up to \(StationName.longest) of a-z, 0-9, - and _, starting with a "
                + "letter)")
    }
}

extension ValueType<TypedAmount> {
    static var amount: Self { Self(form: .amount) { text, _ in TypedAmount(text: text) } }
    /// An amount to move, above zero.
    static var moved: Self { Self(form: .moved) { text, _ in TypedAmount(text: text) } }
}

extension ValueType<CardUID> {
    static var card: Self {
        .made(
            by: CardUID.init, "a card UID (14 hexadecimal digits)", form: .card,
            completes: .cards)
    }
}

extension ValueType<OperationID> {
    static var operation: Self {
        .made(
            by: OperationID.init, "an operation id (a UUID)", form: .operation,
            advice: "To list the ids, run: tapcard history")
    }
    static var journal: Self {
        .made(
            by: OperationID.init, "a journal id (a UUID)", form: .operation,
            advice: "To list the journals, run: tapcard ledger status")
    }
}

extension ValueType<HolderName> {
    static var holderName: Self {
        Self(form: .text(1...HolderName.longestInBytes)) { text, _ throws(TapcardError) in
            try TapcardError.wrapping { () throws(Refusal) in try HolderName(text) }
        }
    }
}

extension ValueType<HolderID> {
    static var holderID: Self {
        Self(form: .wholeNumber(1...Int.max)) { text, _ throws(TapcardError) in
            try TapcardError.wrapping { () throws(Refusal) in try HolderID(parsing: text) }
        }
    }
}

extension ValueType<DrawID> {
    static var draw: Self {
        .made(
            by: DrawID.init, "the name of a draw (such as draw-1)", form: .lotteryName)
    }
}

extension ValueType<TicketID> {
    static var ticket: Self {
        .made(
            by: TicketID.init, "the name of a ticket", form: .lotteryName,
            advice: "To list the tickets, run: tapcard tickets")
    }
}

extension ValueType<CalendarDate> {
    static var day: Self {
        .made(
            by: CalendarDate.init, "a date (such as 2026-11-22)", form: .day,
            meaning: "Nothing was read.")
    }
}

extension ValueType<CashierName> {
    static var cashier: Self {
        Self { text, _ throws(TapcardError) in
            do throws(Refusal) {
                return try CashierName(text)
            } catch {
                throw TapcardError(
                    .refusal(.badName),
                    "\(text.quotation) is not a valid cashier name: \(error.detail).",
                    meaning: "Nothing was changed.")
            }
        }
    }
}

extension ValueType<UInt8> {
    static var key: Self {
        .made(
            by: { UInt8($0) }, "a key number", completes: .keys,
            meaning: "The key file was not changed.",
            advice: "To list the keys, run: tapcard keys list")
    }
}

extension ValueType<Int> {
    /// A whole number within limits; `meaning` is part of the refusal. With `forPagesOnly` the
    /// limits hold for pages, and the command checks the rest.
    package static func wholeNumber(
        _ limits: ClosedRange<Int>, orSay meaning: String, forPagesOnly: Bool = false
    ) -> Self {
        Self(form: .wholeNumber(limits)) { text, row throws(TapcardError) in
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
                forPagesOnly || limits.contains(number)
            else {
                throw TapcardError(
                    .usage,
                    "The value for --\(row.name) must be a whole number"
                        + (forPagesOnly ? "" : " from \(limits.words)")
                        + ", not \(text.quotation).",
                    meaning: meaning)
            }
            return number
        }
    }
}

extension ValueType<UInt16> {
    /// A port; zero chooses a free one.
    package static func port(orSay meaning: String) -> Self {
        let number = ValueType<Int>.wholeNumber(0...Int(UInt16.max), orSay: meaning)
        return Self { text, row throws(TapcardError) in UInt16(try number.parse(text, row)) }
    }
}

extension ValueType<[Int]> {
    /// The colours of a game as digits, also without spaces between them.
    static func colours(_ counts: ClosedRange<Int>) -> Self {
        Self(form: .digits(0...9, count: counts)) { text, _ throws(TapcardError) in
            var colours: [Int] = []
            for character in text {
                guard let colour = character.wholeNumberValue, character.isASCII else {
                    throw TapcardError(
                        .usage,
                        "Colors must be written as digits, not "
                            + "\(String(character).debugDescription).",
                        meaning: "Nothing was sent.",
                        advice: "For example: 152561, or 1 5 2 5 6 1.")
                }
                colours.append(colour)
            }
            return colours
        }
    }
}

extension TapcardError {
    /// Converts a refusal of the domain into an error of the command.
    static func wrapping<Value>(
        _ body: () throws(Refusal) -> Value
    ) throws(TapcardError) -> Value {
        do {
            return try body()
        } catch {
            throw TapcardError(error)
        }
    }
}
