import Tags

/// A record of a tag's message.
public enum TagRecord: Sendable, Hashable {
    /// An address, such as that of a web page. The address of a Smart Poster is read as one, too.
    case url(String)
    /// A text, and the code of its language.
    case text(String, language: String = "en")
    /// Data of a media type, such as `application/json`.
    case media(type: String, [UInt8])
    /// Data of a private type, such as `example.com:card`.
    case external(type: String, [UInt8])
    /// Data of no known type. The data of all other records is read as such, too.
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

    /// This record as it is written; nil if no record can have its language.
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
