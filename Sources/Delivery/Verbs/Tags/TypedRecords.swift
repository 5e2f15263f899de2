import Tags
import TapcardCore
import TextCodecs

/// The records that the user typed, in the order of their options. Files are read before a tag is
/// waited for.
struct TypedRecords: Sendable {
    private enum Typed: Sendable {
        case uri(String)
        case text(String, language: String)
        case wifi(WiFiNetwork)
        case record(NDEFRecord)
    }

    private var records: [Typed] = []

    init(_ session: Session) throws(TapcardError) {
        let language = session[.language] ?? "en"
        guard !language.isEmpty, language.utf8.count <= NDEFText.maximumLanguageByteCount,
            language.utf8.allSatisfy({ $0 < 0x80 })
        else {
            throw TypedRecords.usage(
                "the value of --lang is not a language code: \(language.quotation)",
                advice: "Use a code such as en or es.")
        }
        var (urls, texts) = (session[.urls][...], session[.texts][...])
        var (media, wifi) = (session[.media][...], session[.wifi][...])
        var (contacts, messages) = (session[.contacts][...], session[.messages][...])
        // A page gives at most one of each.
        let order = session.command.order
        for option in order.isEmpty ? ["url", "text", "mime", "ndef"] : order {
            switch option {
            case "url": records += urls.popFirst().map { [.uri($0)] } ?? []
            case "text": records += texts.popFirst().map { [.text($0, language: language)] } ?? []
            case "mime":
                if let media = media.popFirst() {
                    records.append(.record(.media(media.type, try media.content.bytes())))
                }
            case "wifi":
                if let path = wifi.popFirst() { records.append(try TypedRecords.wifi(path)) }
            case "vcard":
                if let path = contacts.popFirst() { records.append(try TypedRecords.contact(path)) }
            case "ndef":
                if let content = messages.popFirst() {
                    records += try TypedRecords.message(content)
                }
            default: break
            }
        }
        guard !records.isEmpty else {
            throw TypedRecords.usage(
                "there are no records to write",
                advice: "Pass at least one of --url, --text, --mime, --wifi, --vcard, or --ndef.")
        }
    }

    /// The message for the tag with this UID.
    func message(for uid: [UInt8]) throws(TapcardError) -> NDEFMessage {
        let number = Hexadecimal.encode(uid)
        func filled(_ template: String) -> String { template.replacing("{uid}", with: number) }
        return NDEFMessage(
            records.map { record in
                switch record {
                // A UID has only digits and letters, so it needs no escaping in a URL.
                case .uri(let uri): NDEFURI(filled(uri)).record
                case .text(let text, let language):
                    NDEFText(language: language, text: filled(text)).record
                case .wifi(let network):
                    WiFiNetwork(
                        name: filled(network.name), password: network.password,
                        security: network.security
                    ).record
                case .record(let record): record
                }
            })
    }

    private static func contact(_ path: String) throws(TapcardError) -> Typed {
        let bytes = try NamedFile(path).content()
        _ = try translating(VCard(bytes)) { (error: NDEFError) in
            usage("\(path) is not a contact: \(error.detail)")
        }
        return .record(.media(VCard.mediaType, bytes))
    }

    private static func message(_ content: GivenContent) throws(TapcardError) -> [Typed] {
        let bytes = try content.bytes()
        let message = try translating(NDEFMessage(decoding: bytes)) { (error: NDEFError) in
            usage("\(content.name) is not an NDEF message: \(error.detail)")
        }
        return message.records.map { .record($0) }
    }

    private static func wifi(_ path: String) throws(TapcardError) -> Typed {
        let text = String(decoding: try NamedFile(path).content(), as: UTF8.self)
        guard let network = WiFiNetwork(code: text) else {
            throw usage(
                "\(path) does not contain the text of a Wi-Fi QR code",
                advice: "The text must look like this: WIFI:S:NAME;T:WPA;P:PASSWORD;;")
        }
        return .wifi(network)
    }

    private static func usage(_ what: String, advice: String = "") -> TapcardError {
        TapcardError(
            .usage, "\(what.prefix(1).uppercased() + what.dropFirst()).",
            meaning: "Nothing was written to a tag.", advice: advice)
    }
}

extension WiFiNetwork {
    /// Reads the text of a Wi-Fi QR code, as phones make it. `nil` if it is not valid.
    init?(code: String) {
        let text = code.filter { !$0.isNewline }
        guard text.uppercased().hasPrefix("WIFI:") else { return nil }
        var fields: [String: String] = [:]
        var field = ""
        var isEscaped = false
        for character in text.dropFirst("WIFI:".count) {
            if isEscaped {
                field.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == ";" {
                let parts = field.split(
                    separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { fields[parts[0].uppercased()] = String(parts[1]) }
                field = ""
            } else {
                field.append(character)
            }
        }
        let password = fields["P"] ?? ""
        guard let name = fields["S"], (1...32).contains(name.utf8.count),
            password.utf8.count <= 64
        else { return nil }
        let security: Security
        switch fields["T"]?.uppercased() {
        case "WEP": security = .wep
        case nil, "", "NOPASS": security = password.isEmpty ? .open : .wpa
        case "WPA", "WPA2", "SAE", "WPA3": security = .wpa
        default: return nil
        }
        // A protected network without a password could not be joined.
        guard (security == .open) == password.isEmpty else { return nil }
        self.init(name: name, password: password, security: security)
    }
}
