import Tags
import TapcardCore
import TextCodecs

/// The records that the user typed, in the order of their options. Files are read before a tag is
/// waited for.
struct TypedRecords: Sendable {
    private enum Typed: Sendable {
        /// An address; a whole address from a column is not encoded again.
        case uri(Template, encodes: Bool)
        case text(Template, language: Template)
        case wifi(WiFiNetwork)
        case record(NDEFRecord)
    }

    private var records: [Typed] = []

    /// `columns` are those of a job's table, which may be placeholders, too.
    init(_ session: Session, columns: [String] = []) throws(TapcardError) {
        let language = session[.language] ?? "en"
        guard TypedRecords.isLanguage(language) else {
            throw TypedRecords.usage(
                "the value of --lang is not a language code: \(language.quotation)",
                advice: "Use a code such as en or es.")
        }
        var (urls, texts) = (session[.urls][...], session[.texts][...])
        var (media, wifi) = (session[.media][...], session[.wifi][...])
        var (contacts, messages) = (session[.contacts][...], session[.messages][...])
        for option in session.command.order {
            switch option {
            case "url": records += urls.popFirst().map { [.uri(Template($0), encodes: true)] } ?? []
            case "text":
                records +=
                    texts.popFirst().map {
                        [.text(Template($0), language: Template(language))]
                    } ?? []
            case "mime":
                if let word = media.popFirst() { records.append(try TypedRecords.media(word)) }
            case "wifi":
                if let path = wifi.popFirst() { records.append(try TypedRecords.wifi(path)) }
            case "vcard":
                if let path = contacts.popFirst() { records.append(try TypedRecords.contact(path)) }
            case "ndef":
                if let path = messages.popFirst() { records += try TypedRecords.message(path) }
            default: break
            }
        }
        if records.isEmpty { records = TypedRecords.records(of: columns, language) }
        guard !records.isEmpty else {
            throw TypedRecords.usage(
                "there are no records to write",
                advice: "Pass at least one of --url, --text, --mime, --wifi, --vcard, or --ndef.")
        }
    }

    /// The records of a table that has columns for them, if no option names any.
    private static func records(of columns: [String], _ language: String) -> [Typed] {
        var records: [Typed] = []
        if columns.contains("url") { records.append(.uri(Template("{url}"), encodes: false)) }
        if columns.contains("text") {
            let own = columns.contains("lang") ? "{lang}" : language
            records.append(.text(Template("{text}"), language: Template(own)))
        }
        return records
    }

    /// Refuses a placeholder that has no value, before a tag is waited for.
    func requireValues(for known: [String]) throws(TapcardError) {
        let used = records.flatMap { record -> [String] in
            switch record {
            case .uri(let template, _): template.names
            case .text(let template, let language): template.names + language.names
            case .wifi(let network): Template(network.name).names
            case .record: []
            }
        }
        guard let unknown = used.first(where: { !known.contains($0) }) else { return }
        let names = known.map { "{\($0)}" }.joined(separator: ", ")
        throw TypedRecords.usage(
            "nothing is known about {\(unknown)}", advice: "Use one of these: \(names).")
    }

    private static func isLanguage(_ text: String) -> Bool {
        !text.isEmpty && NDEFText.isLanguage(text)
    }

    /// Whether the languages of all texts are codes.
    func hasLanguages(in values: [String: String]) -> Bool {
        records.allSatisfy { record in
            guard case .text(_, let language) = record else { return true }
            return TypedRecords.isLanguage(language.filled { values[$0] ?? "" })
        }
    }

    /// The first column that an address or a text consists of, and that is empty in a row.
    func missingValue(in values: [String: String]) -> String? {
        records.lazy.compactMap { record in
            switch record {
            // An address with a gap leads nowhere.
            case .uri(let template, _): template.names.first { (values[$0] ?? "").isEmpty }
            case .text(let template, _):
                template.filled { values[$0] ?? "" }.isEmpty ? template.names.first : nil
            case .wifi, .record: nil
            }
        }.first
    }

    /// The addresses and texts with these values, for people.
    func summary(_ values: [String: String]) -> String {
        records.map { record in
            switch record {
            case .uri(let template, let encodes):
                template.filled { name in
                    let value = values[name] ?? ""
                    return encodes ? Template.percentEncoded(value) : value
                }
            case .text(let template, _): template.filled { values[$0] ?? "" }
            case .wifi(let network): "Wi-Fi \(network.name)"
            case .record(let record): "\(record.payload.count) bytes"
            }
        }.joined(separator: " | ")
    }

    /// The records as they were given, to notice that a job is continued with others.
    var description: String {
        func text(_ template: Template) -> String { template.filled { "{\($0)}" } }
        return records.map { record in
            switch record {
            case .uri(let template, _): "url \(text(template))"
            case .text(let template, let language): "text \(text(language)) \(text(template))"
            case .wifi(let network): "wifi \(network.name) \(network.password)"
            case .record(let record):
                "record " + Hexadecimal.encode(record.type) + Hexadecimal.encode(record.payload)
            }
        }.joined(separator: "\n")
    }

    /// The message with these values for its placeholders.
    func message(_ values: [String: String]) -> NDEFMessage {
        func filled(_ template: Template) -> String { template.filled { values[$0] ?? "" } }
        return NDEFMessage(
            records.map { record in
                switch record {
                case .uri(let template, encodes: true):
                    NDEFURI(template.filled { Template.percentEncoded(values[$0] ?? "") }).record
                case .uri(let template, encodes: false): NDEFURI(filled(template)).record
                case .text(let template, let language):
                    NDEFText(language: filled(language), text: filled(template)).record
                case .wifi(let network):
                    WiFiNetwork(
                        name: filled(Template(network.name)), password: network.password,
                        security: network.security
                    ).record
                case .record(let record): record
                }
            })
    }

    private static func media(_ word: String) throws(TapcardError) -> Typed {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].contains("/"), parts[0].utf8.count <= 255,
            parts[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw usage(
                "the value of --mime is not in the form TYPE=FILE: \(word.quotation)",
                advice: "Write it like this: --mime image/png=logo.png")
        }
        return .record(.media(String(parts[0]), try NamedFile(String(parts[1])).content()))
    }

    private static func contact(_ path: String) throws(TapcardError) -> Typed {
        let bytes = try NamedFile(path).content()
        _ = try translating(VCard(bytes)) { (error: NDEFError) in
            usage("\(path) is not a contact: \(error.detail)")
        }
        return .record(.media(VCard.mediaType, bytes))
    }

    private static func message(_ path: String) throws(TapcardError) -> [Typed] {
        let bytes = try NamedFile(path).content()
        let message = try translating(NDEFMessage(decoding: bytes)) { (error: NDEFError) in
            usage("\(path) is not an NDEF message: \(error.detail)")
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
