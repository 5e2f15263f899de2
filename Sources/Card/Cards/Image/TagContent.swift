import Tags
package import TapcardDomain
import TextCodecs

/// The content of a tag's NDEF area, to the extent that this program needs it.
package enum TagContent: Hashable, Sendable {
    /// A card's JSON in tapcard's own format.
    case tapcard(CardFace)
    /// A card's JSON as written by other software.
    case foreignCard(CardFace)
    /// A card's JSON with an invalid value, and a description of the problem.
    case badCard(String)
    case text(String)
    case uri(String)
    case other
    /// The tag is formatted, but has no message or an empty one.
    case empty
    /// Content that is not valid NDEF, and the reason.
    case unreadable(String)

    /// Reads the data area of a Type 2 tag, which starts at page 4.
    package init(decoding area: [UInt8], currency: Currency) {
        do {
            guard let block = try TLVArea(decoding: area).message, !block.value.isEmpty else {
                self = .empty
                return
            }
            self.init(message: block.value, currency: currency)
        } catch {
            self = .unreadable(error.detail)
        }
    }

    /// Reads an NDEF message.
    package init(message bytes: [UInt8], currency: Currency) {
        do {
            let message = try NDEFMessage(decoding: bytes, .lenient)
            guard let record = message.records.first, record.format != .empty else {
                self = .empty
                return
            }
            self.init(record, currency)
        } catch {
            self = .unreadable(error.detail)
        }
    }

    /// The word for this content in `--json`.
    package var word: String {
        switch self {
        case .tapcard: "tapcard"
        case .foreignCard, .badCard: "json"
        case .text: "text"
        case .uri: "uri"
        case .other: "other"
        case .empty: "empty"
        case .unreadable: "none"
        }
    }

    package var face: CardFace? {
        switch self {
        case .tapcard(let face), .foreignCard(let face): face
        default: nil
        }
    }

    private init(_ record: NDEFRecord, _ currency: Currency) {
        if let uri = try? NDEFURI(record) {
            self = .uri(uri.uri)
            return
        }
        let isText = record.format == .wellKnown && record.type == Array("T".utf8)
        let isJSON = record.format == .media && record.type == Array("application/json".utf8)
        // Our format: a Text record with a language, followed by JSON.
        if isText, let text = try? NDEFText(record), text.text.first == "{" {
            self.init(json: Array(text.text.utf8), isOwnForm: true, currency)
        } else if (isText || isJSON) && record.payload.first == UInt8(ascii: "{") {
            // The app's format: type T with bare JSON. The opening brace, 7Bh, is not a valid
            // status byte.
            self.init(json: record.payload, isOwnForm: false, currency)
        } else if isText, let text = try? NDEFText(record) {
            self = .text(text.text)
        } else {
            self = .other
        }
    }

    private init(json: [UInt8], isOwnForm: Bool, _ currency: Currency) {
        do {
            let face = try CardFace(try JSONValue.parsing(json), currency: currency)
            // Our JSON in any other kind of record was written by other software.
            self = isOwnForm && face.style == .tapcard ? .tapcard(face) : .foreignCard(face)
        } catch let error as CardImageError where error.kind == .badValue {
            // This is still a card's data, so report which value is wrong.
            self = .badCard(error.detail)
        } catch {
            // JSON that does not describe a card is treated as text.
            self = String(validating: json, as: UTF8.self).map(TagContent.text) ?? .other
        }
    }
}
