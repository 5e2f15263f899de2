/// A URI with titles and hints about what a phone should do with it.
package struct SmartPoster: Hashable, Sendable {
    /// What a phone should do with the URI.
    package enum Action: UInt8, Hashable, Sendable, CaseIterable {
        case open = 0
        case save = 1
        case edit = 2
    }

    static let typeName = "Sp"

    package let uri: String
    /// The titles, at most one for each language.
    package let titles: [NDEFText]
    package let action: Action?
    /// The media type of the content behind the URI.
    package let mediaType: String?
    /// The size of the content behind the URI in bytes.
    package let size: UInt32?

    /// Reads the message inside a Smart Poster record. Skips records of other types, such as icons.
    init(_ payload: [UInt8]) throws(NDEFError) {
        let records = try NDEFMessage(decoding: payload, .lenient).records
        var uri: String?
        var titles: [NDEFText] = []
        var action: Action?
        var mediaType: String?
        var size: UInt32?
        for record in records where record.format == .wellKnown {
            switch String(decoding: record.type, as: UTF8.self) {
            case NDEFURI.typeName:
                guard uri == nil else {
                    throw NDEFError(.badURI, "a Smart Poster with more than one URI")
                }
                uri = try NDEFURI(record).uri
            case NDEFText.typeName: titles.append(try NDEFText(record))
            case "act": action = record.payload.first.flatMap(Action.init)
            case "t": mediaType = String(validating: record.payload, as: UTF8.self)
            case "s" where record.payload.count == 4:
                size = record.payload.reduce(0) { $0 << 8 | UInt32($1) }
            default: break
            }
        }
        guard let uri else { throw NDEFError(.badURI, "a Smart Poster without a URI") }
        self.uri = uri
        self.titles = titles
        self.action = action
        self.mediaType = mediaType
        self.size = size
    }
}
