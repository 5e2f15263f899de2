package import TextCodecs

/// The keys for reading the addresses on cards, two for each issuer key that is not retired. They
/// cannot be used to write to a card or to seal anything.
package struct CustomerKeys: Equatable, Sendable {
    /// The two master keys derived from one of the issuer's keys.
    package struct Pair: Equatable, Sendable {
        /// The ID of the issuer's key.
        package let id: UInt8
        /// Key 1 of all the issuer's chips, which decrypts the UID and the read count.
        package let meta: AESKey
        /// The master key from which key 2 of each chip is derived. Key 2 authenticates the rest of
        /// the address.
        package let file: AESKey
    }

    /// The pairs, newest last.
    package let pairs: [Pair]

    private static let format = "tapcard customer keys 1"
    private static let (metaNumber, fileNumber): (UInt8, UInt8) = (1, 2)

    /// The keys of an issuer, except those that are retired in the ring or, according to `retired`,
    /// in the issuer's ledger.
    package init(of ring: KeyRing, without retired: Set<UInt8> = []) {
        let current = ring.entries.filter { $0.status != .retired && !retired.contains($0.id) }
        pairs = current.map(\.masters).map { masters in
            Pair(
                id: masters.keyID, meta: masters.chipMaster(CustomerKeys.metaNumber),
                file: masters.chipMaster(CustomerKeys.fileNumber))
        }
    }

    /// The keys as JSON, for a file that only its owner may read.
    package func json() -> JSONValue {
        .object([
            JSONMember(key: "format", value: .string(CustomerKeys.format)),
            JSONMember(
                key: "keys",
                value: .array(
                    pairs.map { pair in
                        [
                            "id": .number(String(pair.id)),
                            "meta": .string(Hexadecimal.encode(pair.meta.copyOfBytes())),
                            "file": .string(Hexadecimal.encode(pair.file.copyOfBytes())),
                        ]
                    })),
        ])
    }

    /// Accepts only the output of `json`.
    package init(parsing bytes: [UInt8]) throws(KeyError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parsing(bytes)
        } catch {
            throw KeyError(.malformed, "the keys are not JSON: \(error.detail)")
        }
        guard value["format"]?.string == CustomerKeys.format else {
            throw KeyError(
                .unknownFormat, "the keys are not in the format \"\(CustomerKeys.format)\"")
        }
        // A list with more keys than there are IDs would have to repeat an ID. Unknown members are
        // refused.
        guard value.members?.count == 2, let list = value["keys"]?.array, !list.isEmpty,
            list.count <= KeyRing.ids.count
        else {
            throw KeyError(
                .malformed, "the list of keys is missing or invalid, or there are extra members")
        }
        var pairs: [Pair] = []
        for element in list { pairs.append(try CustomerKeys.pair(element)) }
        guard Set(pairs.map(\.id)).count == pairs.count else {
            throw KeyError(.malformed, "a key is listed twice")
        }
        self.pairs = pairs
    }

    private static func pair(_ value: JSONValue) throws(KeyError) -> Pair {
        // The three members are the ID and two keys. Unknown members are refused.
        guard value.members?.count == 3, let text = value["id"]?.numberText,
            // Compared as text, so that neither `-0` nor `01` is accepted as an ID.
            let id = KeyRing.ids.first(where: { "\($0)" == text })
        else {
            throw KeyError(.malformed, "every key must have an ID from 0 to 15 and its two values")
        }
        func key(_ name: String) throws(KeyError) -> AESKey {
            guard var bytes = value[name]?.string.flatMap({ Hexadecimal.decode($0) }),
                bytes.count == AESKey.size
            else {
                throw KeyError(
                    .malformed,
                    "member \"\(name)\" of key \(id) must be \(AESKey.size * 2) hexadecimal digits")
            }
            return AESKey(wiping: &bytes)
        }
        return Pair(id: id, meta: try key("meta"), file: try key("file"))
    }
}
