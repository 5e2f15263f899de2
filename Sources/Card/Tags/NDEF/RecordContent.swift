/// The decoded content of a record. Decodes the types that are common on tags.
package enum RecordContent: Hashable, Sendable {
    /// A record without type or content, as on a freshly formatted tag.
    case empty
    case text(NDEFText)
    case uri(String)
    case smartPoster(SmartPoster)
    /// The networks that a phone offers to join. There is usually exactly one.
    case wifi([WiFiNetwork])
    case contact(VCard)
    /// The package name of an app that Android starts, or offers in its store.
    case androidApp(String)
    /// A media type and its data.
    case media(type: String, [UInt8])
    /// A private type, such as `example.com:card`, and its data.
    case external(type: String, [UInt8])
    /// A URI that identifies the type of the data.
    case absoluteURI(type: String, [UInt8])
    /// A record of another type. `type` is empty if the record does not name its type.
    case unknown(type: String, [UInt8])
    /// A record of a known type whose data is not valid, and the reason.
    case invalid(type: String, [UInt8], reason: String)

    /// Never fails, because tags hold all kinds of data. A record that cannot be decoded becomes
    /// `.invalid` or `.unknown`.
    package init(_ record: NDEFRecord) {
        let type = String(decoding: record.type, as: UTF8.self)
        do throws(NDEFError) {
            self = try Self.decoded(record, type)
        } catch {
            self = .invalid(type: type, record.payload, reason: error.detail)
        }
    }

    private static func decoded(
        _ record: NDEFRecord, _ type: String
    ) throws(NDEFError) -> RecordContent {
        switch record.format {
        case .empty: return .empty
        case .unknown: return .unknown(type: "", record.payload)
        case .absoluteURI: return .absoluteURI(type: type, record.payload)
        case .wellKnown:
            return switch type {
            case NDEFText.typeName: .text(try NDEFText(record))
            case NDEFURI.typeName: .uri(try NDEFURI(record).uri)
            case SmartPoster.typeName: .smartPoster(try SmartPoster(record.payload))
            default: .unknown(type: type, record.payload)
            }
        case .external:
            // External types are case-insensitive (NFC Forum RTD).
            guard type.lowercased() == androidAppType else {
                return .external(type: type, record.payload)
            }
            guard let name = String(validating: record.payload, as: UTF8.self),
                !name.isEmpty, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw NDEFError(.badText, "the name of an Android app is not a package name") }
            return .androidApp(name)
        case .media:
            // Parameters may follow a media type, as in `text/vcard;charset=utf-8`.
            let name = type.prefix { $0 != ";" }.lowercased()
            if name == WiFiNetwork.mediaType {
                return .wifi(try WiFiNetwork.networks(in: record.payload))
            }
            if VCard.mediaTypes.contains(name) { return .contact(try VCard(record.payload)) }
            return .media(type: type, record.payload)
        }
    }

    static let androidAppType = "android.com:pkg"
}

extension NDEFRecord {
    /// A record that makes Android start this app, or offer it in its store.
    package static func androidApp(_ packageName: String) -> NDEFRecord {
        NDEFRecord(
            format: .external, type: Array(RecordContent.androidAppType.utf8),
            payload: Array(packageName.utf8))
    }

    package static func media(_ type: String, _ data: [UInt8]) -> NDEFRecord {
        NDEFRecord(format: .media, type: Array(type.utf8), payload: data)
    }
}
