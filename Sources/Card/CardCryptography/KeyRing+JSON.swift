public import TextCodecs

extension KeyRing {
    private static let format = "tapcard keys 1"
    /// What the formats of all versions begin with.
    private static let formatPrefix = "tapcard keys "
    private static let members = ["format", "currency", "keys"]
    private static let entryMembers = ["id", "status", "created", "mac", "pwd"]

    /// The ring as JSON, including all its secrets, for a file that only its owner may read.
    public func json() -> JSONValue {
        var members = [JSONMember(key: "format", value: .string(KeyRing.format))]
        if let currencyCode {
            members.append(JSONMember(key: "currency", value: .string(currencyCode)))
        }
        let keys = entries.map { JSONValue.object(KeyRing.members(of: $0)) }
        return .object(members + [JSONMember(key: "keys", value: .array(keys))])
    }

    private static func members(of entry: KeyEntry) -> [JSONMember] {
        func digits(_ bytes: [UInt8]) -> JSONValue { .string(Hexadecimal.encode(bytes)) }
        return [
            JSONMember(key: "id", value: .number(String(entry.id))),
            JSONMember(key: "status", value: .string(entry.status.rawValue)),
            JSONMember(key: "created", value: .string(entry.created)),
            JSONMember(key: "mac", value: digits(entry.masters.macMaster)),
            JSONMember(key: "pwd", value: digits(entry.masters.passwordMaster)),
        ]
    }

    /// Accepts only the output of `json`: a ring guessed from other input could seal cards with a
    /// key that no station has.
    public init(parsing bytes: [UInt8]) throws(KeyError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parsing(bytes)
        } catch {
            throw KeyError(.malformed, "the keys are not JSON: \(error.detail)")
        }
        guard let format = value["format"]?.string else {
            throw KeyError(.malformed, "the format is missing")
        }
        guard format == Self.format else {
            throw KeyError(
                format.hasPrefix(Self.formatPrefix) ? .newerFormat : .unknownFormat,
                "the keys are not in the format \"\(Self.format)\"")
        }
        // An unknown member is refused, because it could change what the keys are for.
        try Self.check(value, has: Self.members, "the file")
        guard let list = value["keys"]?.array else {
            throw KeyError(.malformed, "the list of keys is missing")
        }
        var entries: [KeyEntry] = []
        for element in list {
            let entry = try Self.entry(element)
            guard !entries.contains(where: { $0.id == entry.id }) else {
                throw KeyError(.malformed, "key \(entry.id) is listed twice")
            }
            entries.append(entry)
        }
        guard let ring = KeyRing(entries: entries) else {
            throw KeyError(.malformed, "there is no active key")
        }
        var code: String?
        if let currency = value["currency"] {
            code = currency.string
            let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
            guard code?.utf8.count == 3, code?.utf8.allSatisfy(letters.contains) == true else {
                throw KeyError(.malformed, "the currency of the keys is not three capital letters")
            }
        }
        self = ring.sealing(currency: code)
    }

    private static func entry(_ value: JSONValue) throws(KeyError) -> KeyEntry {
        // Compared as text, because `-0` would otherwise be read as 0.
        guard let text = value["id"]?.numberText, let id = ids.first(where: { "\($0)" == text })
        else {
            throw KeyError(.malformed, "every key must have an ID from 0 to 15")
        }
        try check(value, has: entryMembers, "key \(id)")
        guard let word = value["status"]?.string, let status = KeyStatus(rawValue: word) else {
            throw KeyError(.malformed, "key \(id) has an unknown status")
        }
        guard let created = value["created"]?.string else {
            throw KeyError(.malformed, "key \(id) has no date")
        }
        let keys = CardKeys(
            macMaster: try master("mac", of: value, id),
            passwordMaster: try master("pwd", of: value, id),
            keyID: id)
        return KeyEntry(keys, status: status, created: created)
    }

    private static func master(
        _ name: String, of value: JSONValue, _ id: UInt8
    ) throws(KeyError) -> [UInt8] {
        guard let text = value[name]?.string, let bytes = Hexadecimal.decode(text),
            bytes.count == CardKeys.masterSize
        else {
            let digits = CardKeys.masterSize * 2
            throw KeyError(
                .malformed, "member \"\(name)\" of key \(id) must be \(digits) hexadecimal digits")
        }
        return bytes
    }

    private static func check(
        _ value: JSONValue, has names: [String], _ subject: String
    ) throws(KeyError) {
        // The parser has already refused duplicate names, so each name occurs at most once.
        for member in value.members ?? [] where !names.contains(member.key) {
            throw KeyError(.malformed, "\(subject) has an unknown member")
        }
    }
}
