public import TextCodecs

extension KeyRing {
    private static let format = "tapcard keys 1"
    private static let members = ["format", "currency", "keys"]
    private static let entryMembers = ["id", "status", "created", "mac", "pwd"]

    /// The ring with its master keys, for a file that only its owner may read.
    public func json() -> JSONValue {
        let keys = entries.map { entry -> JSONValue in
            [
                "id": .number(String(entry.id)),
                "status": .string(entry.status.rawValue),
                "created": .string(entry.created),
                "mac": .string(Hexadecimal.encode(entry.macMaster)),
                "pwd": .string(Hexadecimal.encode(entry.passwordMaster)),
            ]
        }
        var members = [JSONMember(key: "format", value: .string(Self.format))]
        if let currencyCode {
            members.append(JSONMember(key: "currency", value: .string(currencyCode)))
        }
        return .object(members + [JSONMember(key: "keys", value: .array(keys))])
    }

    /// Reads the output of `json` and nothing else: a ring that is guessed could seal cards with a
    /// key that no station has.
    public init(parsing bytes: [UInt8]) throws(KeyError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parsing(bytes)
        } catch {
            throw KeyError(.malformed, "the keys are no JSON: \(error.detail)")
        }
        guard let format = value["format"]?.string else {
            throw KeyError(.malformed, "the keys name no format")
        }
        guard format == Self.format else {
            throw KeyError(.unknownFormat, "the keys are not of the format \"\(Self.format)\"")
        }
        try Self.check(value, has: Self.members, "the ring")
        guard let list = value["keys"]?.array else {
            throw KeyError(.malformed, "the ring has no list of keys")
        }
        var entries: [KeyEntry] = []
        for element in list {
            let entry = try Self.entry(element)
            guard !entries.contains(where: { $0.id == entry.id }) else {
                throw KeyError(.malformed, "key \(entry.id) is there twice")
            }
            entries.append(entry)
        }
        guard let ring = KeyRing(entries: entries) else {
            throw KeyError(.malformed, "no key of the ring is active")
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
        // One spelling per id: `-0` would be read as 0 too.
        guard let text = value["id"]?.numberText, let id = ids.first(where: { "\($0)" == text })
        else {
            throw KeyError(.malformed, "a key has no id from 0 to 15")
        }
        try check(value, has: entryMembers, "key \(id)")
        guard let word = value["status"]?.string, let status = KeyStatus(rawValue: word) else {
            throw KeyError(.malformed, "key \(id) has no status that is known")
        }
        guard let created = value["created"]?.string else {
            throw KeyError(.malformed, "key \(id) has no date")
        }
        let keys = CardKeys(
            macMaster: try master("mac", of: value, id),
            passwordMaster: try master("pwd", of: value, id),
            keyID: id)
        return KeyEntry(keys: keys, status: status, created: created)
    }

    private static func master(
        _ name: String, of value: JSONValue, _ id: UInt8
    ) throws(KeyError) -> [UInt8] {
        guard let text = value[name]?.string, let bytes = Hexadecimal.decode(text),
            bytes.count == CardKeys.masterSize
        else {
            let digits = CardKeys.masterSize * 2
            throw KeyError(.malformed, "\"\(name)\" of key \(id) is not \(digits) digits")
        }
        return bytes
    }

    private static func check(
        _ value: JSONValue, has names: [String], _ place: String
    ) throws(KeyError) {
        // The parser has refused duplicate names, so two members of one name cannot hide here.
        for member in value.members ?? [] where !names.contains(member.key) {
            throw KeyError(.malformed, "\(place) has a member that is not known")
        }
    }
}
