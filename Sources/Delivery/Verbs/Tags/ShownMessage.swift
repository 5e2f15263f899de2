import ReaderDiagnosis
import Tags
import TapcardCore
import TextCodecs

/// The message on a tag, as `tag read` shows it.
struct ShownMessage: DocumentedObject {
    private let reading: TagReading
    private let showsSecrets: Bool
    private let records: [ShownRecord]

    init(_ reading: TagReading, showsSecrets: Bool) {
        (self.reading, self.showsSecrets) = (reading, showsSecrets)
        records = reading.records.map { ShownRecord($0, showsSecrets: showsSecrets) }
    }

    static let fields: Fields<ShownMessage> = [
        "uid": .of { Hexadecimal.encode($0.reading.uid) }, "kind": .of(\.reading.kind),
        "format": .of(\.reading.format), "records": .of(\.records),
        "invalid": .of(\.reading.problem),
        "message": .message { (bytes: $0.reading.message, showsSecrets: $0.showsSecrets) },
        "otherBlocks": .of(\.reading.otherBlocks), "freeBytes": .of(\.reading.freeByteCount),
        "maximumBytes": .of(\.reading.maximumByteCount), "writable": .of(\.reading.isWritable),
    ]

    /// The content as lines. Escapes control characters, with which a tag could add lines.
    var lines: [String] {
        var lines = ["\(reading.kind), UID \(Hexadecimal.encode(reading.uid))"]
        if let problem = reading.problem {
            lines.append("Message is not valid: \(problem)")
        } else if reading.hasNoRecords {
            lines.append(
                "No records on the tag" + (reading.holdsOtherData ? ", but other data" : ""))
        }
        lines += records.flatMap(\.lines).map(\.escapedForOneLine)
        lines += reading.otherBlocks.map { block in
            "Other data block: \(block.kind.word), " + Hexadecimal.encode(block.value)
        }
        return lines + [
            "\(reading.freeByteCount) of \(reading.maximumByteCount) bytes free"
                + (reading.isWritable ? "" : "; the tag is read-only")
        ]
    }
}

extension Fields.Field {
    /// The bytes of a message in hexadecimal; null if they may contain a secret that is not shown.
    static func message(
        _ message: @escaping @Sendable (Subject) -> (bytes: [UInt8], showsSecrets: Bool)
    ) -> Self {
        .of(
            String?.schema.with([
                "description":
                    "the message in hexadecimal; null if it may contain a Wi-Fi password"
            ])
        ) { subject -> String? in
            let (bytes, showsSecrets) = message(subject)
            return showsSecrets || !WiFiNetwork.mayBe(in: bytes) ? Hexadecimal.encode(bytes) : nil
        }
    }
}

extension TagReading.Format: DocumentedWord {}

extension TLV: DocumentedObject {
    static let fields: Fields<TLV> = [
        "kind": .of(\.kind.word), "bytes": .of { Hexadecimal.encode($0.value) },
    ]
}

/// A record with its content, except for secrets that are not shown.
struct ShownRecord: DocumentedObject {
    let content: RecordContent
    let showsSecrets: Bool

    init(_ content: RecordContent, showsSecrets: Bool) {
        (self.content, self.showsSecrets) = (content, showsSecrets)
    }

    static let fields: Fields<ShownRecord> = [
        "kind": .of(\.kind),
        "text": .ifAny { if case .text(let text) = $0.content { text.text } else { nil } },
        "language": .ifAny { if case .text(let text) = $0.content { text.language } else { nil } },
        "uri": .ifAny(\.uri),
        "titles": .ifAny { if case .smartPoster(let it) = $0.content { it.titles } else { nil } },
        "action": .ifAny { if case .smartPoster(let it) = $0.content { it.action } else { nil } },
        "networks": .ifAny(\.networks),
        "fields": .ifAny { if case .contact(let card) = $0.content { card.fields } else { nil } },
        "package": .ifAny { if case .androidApp(let name) = $0.content { name } else { nil } },
        "type": .ifAny { $0.data?.type },
        "bytes": .ifAny { $0.hidesBytes ? nil : $0.data.map { Hexadecimal.encode($0.bytes) } },
        "invalid": .ifAny(\.problem),
    ]

    /// The kinds of records, as words in JSON.
    enum Kind: String, DocumentedWord {
        case empty, text, uri
        case smartPoster = "smart-poster"
        case wifi, vcard
        case androidApp = "android-app"
        case media, external
        case absoluteURI = "absolute-uri"
        case unknown, invalid
    }

    private var kind: Kind {
        switch content {
        case .empty: .empty
        case .text: .text
        case .uri: .uri
        case .smartPoster: .smartPoster
        case .wifi: .wifi
        case .contact: .vcard
        case .androidApp: .androidApp
        case .media: .media
        case .external: .external
        case .absoluteURI: .absoluteURI
        case .unknown: .unknown
        case .invalid: .invalid
        }
    }

    private var uri: String? {
        switch content {
        case .uri(let uri): uri
        case .smartPoster(let poster): poster.uri
        default: nil
        }
    }

    private var networks: [ShownNetwork]? {
        guard case .wifi(let networks) = content else { return nil }
        return networks.map { ShownNetwork(network: $0, showsSecrets: showsSecrets) }
    }

    /// The type and the bytes of a record that is not decoded.
    private var data: (type: String, bytes: [UInt8])? {
        switch content {
        case .media(let type, let bytes), .external(let type, let bytes),
            .absoluteURI(let type, let bytes), .unknown(let type, let bytes),
            .invalid(let type, let bytes, _):
            (type, bytes)
        default: nil
        }
    }

    /// Whether the bytes of a record that is not decoded may contain a Wi-Fi password.
    private var hidesBytes: Bool {
        guard !showsSecrets, let data else { return false }
        return WiFiNetwork.mayBe(in: Array(data.type.utf8)) || WiFiNetwork.mayBe(in: data.bytes)
    }

    private var problem: String? {
        if case .invalid(_, _, let reason) = content { reason } else { nil }
    }

    var lines: [String] {
        switch content {
        case .empty: return ["Empty record"]
        case .text(let text): return ["Text (\(text.language)): \(text.text)"]
        case .uri(let uri): return ["Link: \(uri)"]
        case .smartPoster(let poster):
            return ["Smart Poster: \(poster.uri)"]
                + poster.titles.map { "  Title (\($0.language)): \($0.text)" }
        case .wifi: return (networks ?? []).map(\.line)
        case .contact(let card): return ["Contact:"] + card.fields.map(\.line)
        case .androidApp(let name): return ["Android app: \(name)"]
        case .media, .external, .absoluteURI, .unknown, .invalid:
            guard let data else { return [] }
            let type = data.type.isEmpty ? "Unknown type" : data.type
            let why = problem.map { " (not valid: \($0))" } ?? ""
            let size = data.bytes.count == 1 ? "1 byte" : "\(data.bytes.count) bytes"
            return [
                "\(type)\(why), \(size)"
                    + (hidesBytes ? " hidden" : ": \(hexadecimal(data.bytes))")
            ]
        }
    }

    /// The first bytes, as many as fit on a line.
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        let maximum = 24
        return Hexadecimal.encode(Array(bytes.prefix(maximum)))
            + (bytes.count > maximum ? "\u{2026}" : "")
    }
}

private struct ShownNetwork: DocumentedObject {
    let network: WiFiNetwork
    let showsSecrets: Bool

    static let fields: Fields<ShownNetwork> = [
        "name": .of(\.network.name), "security": .of(\.security),
        "password": .ifAny { $0.showsSecrets ? $0.network.password : nil },
    ]

    private var security: String {
        switch network.security {
        case .open: "open"
        case .wep: "WEP"
        case .wpa: "WPA"
        case .other(let number): "method \(number)"
        }
    }

    var line: String {
        let password =
            network.password.isEmpty
            ? "no password"
            : showsSecrets
                ? "password \(network.password)" : "password hidden"
        return "Wi-Fi: \(network.name) (\(security), \(password))"
    }
}

extension SmartPoster.Action: Documented {
    static var schema: JSONValue { Schema.oneOf(allCases.map { "\($0)" }) }
    var document: JSONValue { .string("\(self)") }
}

extension NDEFText: DocumentedObject {
    static let fields: Fields<NDEFText> = ["text": .of(\.text), "language": .of(\.language)]
}

extension VCard.Field: DocumentedObject {
    static let fields: Fields<VCard.Field> = [
        "name": .of(\.name), "parameters": .of(\.parameters), "value": .of(\.value),
    ]

    var line: String {
        "  \(name)" + (parameters.isEmpty ? "" : " (\(parameters))") + ": \(value)"
    }
}
