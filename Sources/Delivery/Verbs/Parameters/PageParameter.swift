package import TextCodecs

/// A member of the JSON that a page sends with a call.
package struct PageParameter: Sendable {
    /// What its value is, and how it comes in JSON.
    package enum Form: Sendable, Hashable {
        /// A text of so many characters.
        case text(ClosedRange<Int>)
        case choice([String])
        case amount
        /// An amount that moves, which is above zero.
        case moved
        /// A card's number, an operation's id, what the lottery calls a draw or a ticket, a day.
        case card, operation, lotteryName, day
        case wholeNumber(ClosedRange<Int>)
        case truth
        case tags
        case digits(ClosedRange<Int>, count: ClosedRange<Int>)
        /// The words of an armed fault; null disarms.
        case fault

        /// Whether a query has it in digits.
        package var isNumber: Bool {
            if case .wholeNumber = self { true } else { false }
        }
    }

    /// Whether and under which name a page sends a parameter.
    package enum Name: Sendable, Hashable {
        /// Its own name in camel case: noScratch for no-scratch, ticket for TICKET.
        case same
        case other(String)
        /// Only a command line has it.
        case never

        /// The name in JSON.
        func text(for name: String) -> String? {
            switch self {
            case .other(let text): return text
            case .never: return nil
            case .same:
                let words = name.lowercased().split(separator: "-")
                return words.dropFirst().reduce(String(words[0])) { name, word in
                    name + word.prefix(1).uppercased() + word.dropFirst()
                }
            }
        }
    }

    package let name: String
    package let form: Form
    package let isRequired: Bool
    /// The default value of a call that leaves it out.
    package let usual: JSONValue?

    /// More than there is money on any card.
    package static let longestAmount = 12
}
