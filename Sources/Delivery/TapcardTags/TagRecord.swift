import Tags

/// A record on a tag.
public enum TagRecord: Sendable, Hashable {
    /// A URL. A Smart Poster is read as its URL.
    case url(String)
    /// Text and its language code, such as `en`.
    case text(String, language: String = "en")
    /// Data with a media type, such as `application/json`.
    case media(type: String, [UInt8])
    /// Data with a type of your own, such as `example.com:card`.
    case external(type: String, [UInt8])
    /// Data without a type. A record of any other type is read as this case.
    case unknown([UInt8])

    init(_ record: NDEFRecord) {
        let type = String(decoding: record.type, as: UTF8.self)
        self =
            switch (RecordContent(record), record.format) {
            case (.uri(let uri), _): .url(uri)
            case (.smartPoster(let poster), _): .url(poster.uri)
            case (.text(let text), _): .text(text.text, language: text.language)
            case (_, .media): .media(type: type, record.payload)
            case (_, .external): .external(type: type, record.payload)
            default: .unknown(record.payload)
            }
    }

    /// The NDEF record to write; nil if a record cannot store the language code.
    var encoded: NDEFRecord? {
        switch self {
        case .url(let url): NDEFURI(url).record
        case .text(let text, let language):
            NDEFText.isLanguage(language) ? NDEFText(language: language, text: text).record : nil
        case .media(let type, let data): .media(type, data)
        case .external(let type, let data):
            NDEFRecord(format: .external, type: Array(type.utf8), payload: data)
        case .unknown(let data): NDEFRecord(format: .unknown, payload: data)
        }
    }
}
