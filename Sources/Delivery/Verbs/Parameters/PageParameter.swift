import TapcardCore
import TapcardDomain
package import TextCodecs

/// A JSON member of a page's call.
package struct PageParameter: Sendable {
    /// A kind of value and its form in JSON.
    package enum Form: Sendable, Hashable {
        /// Text with a length in this range.
        case text(ClosedRange<Int>)
        case choice([String])
        case amount
        /// An amount to move; must be greater than zero.
        case positiveAmount
        /// A card's UID, an operation ID, the lottery's name for a draw or ticket, or a day.
        case card, operation, lotteryName, day
        case wholeNumber(ClosedRange<Int>)
        case boolean
        case tags
        case digits(ClosedRange<Int>, count: ClosedRange<Int>)
        /// The text of a fault to arm; null disarms the armed fault.
        case fault
        /// Text for a tag, bytes in Base64, or bytes with a media type.
        case content, base64, media
        /// The lines of a sale, and the part of it that is not paid with the card.
        case saleLines, rest

        /// Whether the text can have this form; the value's type checks the rest.
        func allows(_ text: String) -> Bool {
            switch self {
            case .choice(let words): words.contains(text)
            case .amount, .positiveAmount: text.utf8.count <= PageParameter.maximumAmountLength
            case .content: text.unicodeScalars.count <= PageParameter.maximumContentLength
            case .text, .card, .operation, .lotteryName, .day, .wholeNumber, .boolean, .tags,
                .digits, .fault, .base64, .media, .saleLines, .rest:
                true
            }
        }

        /// The form as described in a refusal.
        var words: String {
            switch self {
            case .text, .card, .operation, .lotteryName, .day: "a string"
            case .choice(let words): "one of \(words.joined(separator: ", "))"
            case .amount, .positiveAmount:
                "a string of at most \(PageParameter.maximumAmountLength) characters"
            case .fault: "a string or null"
            case .content:
                "a string of at most \(PageParameter.maximumContentLength) characters"
            case .base64: "a string in Base64"
            case .saleLines:
                "a list of objects with product, name, price (a string), and quantity"
            case .rest: "an object with tender and amount (a string)"
            case .media: "an object with type (such as text/plain) and base64"
            case .wholeNumber(let range): "a whole number from \(range.words)"
            case .boolean: "true or false"
            case .tags: "a list of strings"
            case .digits(let range, let counts):
                "a list of \(counts.words) whole numbers from \(range.words)"
            }
        }
    }

    /// The name of the parameter in JSON.
    package enum Name: Sendable, Hashable {
        /// The parameter's name in camel case: noScratch for no-scratch, ticket for TICKET.
        case same
        case other(String)
        /// Not available to pages.
        case never

        /// The name in JSON.
        func text(for name: String) -> String? {
            switch self {
            case .other(let text): return text
            case .never: return nil
            case .same: return camelCase(name)
            }
        }

        /// Converts the name byte by byte for speed, because the program does this for many
        /// parameters at every start.
        private func camelCase(_ name: String) -> String {
            // In ASCII, a lowercase letter differs from the uppercase letter only in this bit.
            let caseBit: UInt8 = 0x20
            var bytes: [UInt8] = []
            var startsWord = false
            for byte in name.utf8 {
                // A hyphen is left out, and the letter after it becomes uppercase.
                guard byte != UInt8(ascii: "-") else {
                    startsWord = true
                    continue
                }
                let uppercase = byte & ~caseBit
                let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(uppercase)
                bytes.append(!isLetter ? byte : startsWord ? uppercase : uppercase | caseBit)
                startsWord = false
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    package let name: String
    package let form: Form
    package let isRequired: Bool
    /// The default value, which applies if a call omits the parameter.
    package let defaultValue: JSONValue?

    /// The maximum length of an amount. It is more than any amount that fits on a card needs.
    package static let maximumAmountLength = 12
    /// The maximum length of text for a tag, more than fits on any tag.
    package static let maximumContentLength = 16_384

    /// The words that describe a fault; null, which disarms it, becomes "none".
    static func fault(_ member: JSONValue) throws(TapcardError) -> [String]? {
        if member == .null { return ["none"] }
        guard let words = member.string?.split(separator: " ").map(String.init) else { return nil }
        // A fault that kills the process would end the server for all clients.
        guard !words.contains(where: { $0.hasPrefix("killed") }) else {
            throw TapcardError.usage(
                "The faults killed-before and killed-after would end the server, so they are not "
                    + "allowed over HTTP; use tapcard sim tear instead.")
        }
        return words
    }
}
