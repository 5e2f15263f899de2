import Tags
import TapcardCore
import TextCodecs

/// The records given on the command line, in the order of the options. `init` reads all files, so
/// a missing file is reported before the command waits for a tag.
struct TypedRecords: Sendable {
    private enum Typed: Sendable {
        /// A link. `encodes` is false if the whole URL comes from a column, because it is already
        /// encoded.
        case uri(Template, encodes: Bool)
        case text(Template, language: Template)
        case wifi(WiFiNetwork)
        case record(NDEFRecord)
    }

    private var records: [Typed] = []

    /// `columns` are the columns of a job's table. If no option adds a record, the columns `url`,
    /// `text`, and `lang` are used.
    init(_ session: Session, columns: [String] = []) throws(TapcardError) {
        let language = session[.language] ?? "en"
        guard TypedRecords.isLanguage(language) else {
            throw TypedRecords.usage(
                "The value of --lang is not a language code: \(language.quotation)",
                advice: "Use a code such as en or es.")
        }
        var (urls, texts) = (session[.urls][...], session[.texts][...])
        var (media, wifi) = (session[.media][...], session[.wifi][...])
        var (contacts, messages) = (session[.contacts][...], session[.messages][...])
        // An API request has no order, but it has at most one option of each kind.
        let order = session.command.order
        for option in order.isEmpty ? ["url", "text", "mime", "ndef"] : order {
            switch option {
            case "url":
                if let url = urls.popFirst() { records.append(try TypedRecords.link(url)) }
            case "text":
                records +=
                    texts.popFirst().map {
                        [.text(Template($0), language: Template(language))]
                    } ?? []
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
        if records.isEmpty { records = TypedRecords.records(of: columns, language) }
        guard !records.isEmpty else {
            throw TypedRecords.usage(
                "There are no records to write",
                advice: "Pass at least one of --url, --text, --mime, --wifi, --vcard, or --ndef.")
        }
        let text = description
        let uid = "\0uid\0"
        if session[.mirror] == .both, text.contains(uid), !text.contains(uid + "x\0counter\0") {
            throw TypedRecords.usage(
                "With --mirror both, the chip fills in {uid}x{counter}, which no record contains",
                advice: "Write {uid}x{counter} instead of {uid}.")
        }
    }

    /// The records that a table's own `url`, `text`, and `lang` columns describe.
    private static func records(of columns: [String], _ language: String) -> [Typed] {
        var records: [Typed] = []
        if columns.contains("url") { records.append(.uri(Template("{url}"), encodes: false)) }
        if columns.contains("text") {
            let code = columns.contains("lang") ? "{lang}" : language
            records.append(.text(Template("{text}"), language: Template(code)))
        }
        return records
    }

    /// Throws an error if a record uses a placeholder that is not in `known`.
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
            "Unknown placeholder: {\(unknown)}",
            advice: unknown == "counter"
                ? "To let the chip fill in its counter, add --mirror counter."
                : "Use one of these: \(names). For a literal brace, write {{.")
    }

    private static func isLanguage(_ text: String) -> Bool {
        !text.isEmpty && NDEFText.isLanguage(text)
    }

    /// Returns true if every text record has a valid language code.
    func hasLanguages(in values: [String: String]) -> Bool {
        records.allSatisfy { record in
            guard case .text(_, let language) = record else { return true }
            return TypedRecords.isLanguage(language.filled { values[$0] ?? "" })
        }
    }

    /// Returns the first empty column that makes a record unusable: any column in a link, or the
    /// columns of a text that would be empty. Returns nil if there is none.
    func missingValue(in values: [String: String]) -> String? {
        records.lazy.compactMap { record in
            switch record {
            // A URL with a missing part would open the wrong page.
            case .uri(let template, _): template.names.first { (values[$0] ?? "").isEmpty }
            case .text(let template, _):
                template.filled { values[$0] ?? "" }.isEmpty ? template.names.first : nil
            case .wifi, .record: nil
            }
        }.first
    }

    /// Returns what is wrong with a link that comes from a column; nil if nothing is.
    func linkFault(in values: [String: String]) -> String? {
        records.lazy.compactMap { record in
            guard case .uri(let template, encodes: false) = record else { return nil }
            return LinkText.fault(in: template.filled { values[$0] ?? "" })?.what
        }.first
    }

    /// Returns the link with these values, as it is written to the tag.
    private static func address(
        _ template: Template, _ encodes: Bool, _ values: [String: String]
    ) -> String {
        LinkText.encoded(
            template.filled { name in
                let value = values[name] ?? ""
                return encodes ? Template.percentEncoded(value) : value
            })
    }

    /// A readable summary of the records with these values, for the result file. Leaves out Wi-Fi
    /// passwords.
    func summary(_ values: [String: String]) -> String {
        records.map { record in
            switch record {
            case .uri(let template, let encodes): TypedRecords.address(template, encodes, values)
            case .text(let template, _): template.filled { values[$0] ?? "" }
            case .wifi(let network): "Wi-Fi \(network.name)"
            case .record(let record): "\(record.payload.count) bytes"
            }
        }.joined(separator: " | ")
    }

    /// The records before placeholders are replaced. The journal stores a hash of this text, so
    /// that a job cannot be resumed with other records by mistake.
    var description: String {
        // Options cannot contain NUL, so a placeholder differs from the same text in braces.
        func text(_ template: Template) -> String { template.filled { "\0\($0)\0" } }
        return records.map { record in
            switch record {
            case .uri(let template, let encodes): "url \(encodes) \(text(template))"
            case .text(let template, let language): "text \(text(language)) \(text(template))"
            case .wifi(let network):
                "wifi \(network.security) \(network.name) \(network.password)"
            case .record(let record):
                "record " + Hexadecimal.encode(record.type) + Hexadecimal.encode(record.payload)
            }
        }.joined(separator: "\0\0")
    }

    /// Builds the NDEF message, with placeholders replaced by these values.
    func message(_ values: [String: String]) -> NDEFMessage {
        func filled(_ template: Template) -> String { template.filled { values[$0] ?? "" } }
        return NDEFMessage(
            records.map { record in
                switch record {
                case .uri(let template, let encodes):
                    NDEFURI(TypedRecords.address(template, encodes, values)).record
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

    private static func link(_ url: String) throws(TapcardError) -> Typed {
        let template = Template(url)
        guard !template.hasUnclosedBrace else {
            throw usage(
                "The URL \(url.quotation) has a { without a }",
                advice: "For a literal brace, write {{.")
        }
        // Every value is percent-encoded, so it cannot change the answer.
        if let fault = LinkText.fault(in: template.filled { _ in "x" }) {
            throw usage("The URL \(url.quotation) \(fault.what)", advice: fault.advice)
        }
        return .uri(template, encodes: true)
    }

    private static func contact(_ path: String) throws(TapcardError) -> Typed {
        let bytes = try NamedFile(path).content()
        _ = try translating(VCard(bytes)) { (error: NDEFError) in
            usage("\(path) is not a valid vCard: \(error.detail)")
        }
        return .record(.media(VCard.mediaType, bytes))
    }

    private static func message(_ content: GivenContent) throws(TapcardError) -> [Typed] {
        let bytes = try content.bytes()
        let message = try translating(NDEFMessage(decoding: bytes)) { (error: NDEFError) in
            usage("\(content.name) is not a valid NDEF message: \(error.detail)")
        }
        return message.records.map { .record($0) }
    }

    private static func wifi(_ path: String) throws(TapcardError) -> Typed {
        let text = String(decoding: try NamedFile(path).content(), as: UTF8.self)
        guard let network = WiFiNetwork(code: text) else {
            throw usage(
                "\(path) does not contain valid Wi-Fi QR text",
                advice: "The text must look like this: WIFI:S:NAME;T:WPA;P:PASSWORD;;")
        }
        return .wifi(network)
    }

    private static func usage(_ what: String, advice: String = "") -> TapcardError {
        TapcardError(
            .usage, "\(what).",
            meaning: "Nothing was written to a tag.", advice: advice)
    }
}

extension WiFiNetwork {
    /// Parses the text of a Wi-Fi QR code, which phones generate to share a network. Returns nil if
    /// the text is not valid.
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
        // A protected network needs a password, and an open one has none.
        guard (security == .open) == password.isEmpty else { return nil }
        self.init(name: name, password: password, security: security)
    }
}
