import CardCryptography
package import TapcardDomain
import TextCodecs

/// What lets another program, or a web page of somebody else, use a till's reader. It never allows
/// a payment. Only a hash of the token's text is stored.
package struct APIToken: Hashable, Sendable {
    /// What the token allows.
    package enum Right: String, CaseIterable, Sendable {
        /// To hear taps.
        case watch
        /// To read and write tags, and to hear taps.
        case tags

        package func includes(_ other: Right) -> Bool { self == .tags || other == .watch }
    }

    /// The number of random bytes in a token.
    package static let secretBytes = 32
    private static let prefix = "tapcard_"

    package let name: String
    package let right: Right
    /// The origins whose pages may use the token. If there are none, only programs may.
    package let origins: [WebOrigin]
    /// The only reader that the token is for; nil for all.
    package let reader: String?
    package let expires: Timestamp?
    package let added: Timestamp
    fileprivate let digest: [UInt8]

    package init(
        _ name: String, _ right: Right, text: String, origins: [WebOrigin], reader: String?,
        expires: Timestamp?, added: Timestamp
    ) {
        (self.name, self.right, self.origins, self.reader) = (name, right, origins, reader)
        (self.expires, self.added, digest) = (expires, added, APIToken.digest(of: text))
    }

    /// The text of a new token, made of random bytes.
    package static func text(_ secret: [UInt8]) -> String { prefix + Base64URL.encode(secret) }

    /// Whether a text looks like an API token. The tokens of the till page's sessions do not.
    package static func isToken(_ text: String) -> Bool { text.hasPrefix(prefix) }

    package func isExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }

    // A token is random, so a fast hash is enough, and nobody can learn anything from the time that
    // a comparison of hashes takes.
    fileprivate static func digest(of text: String) -> [UInt8] { SHA256.digest(Array(text.utf8)) }
}

extension [APIToken] {
    /// The token with this text.
    package func token(_ text: String) -> APIToken? {
        let digest = APIToken.digest(of: text)
        return first { $0.digest == digest }
    }
}

extension APIToken: PrivateEntry {
    var document: JSONValue {
        [
            "name": .string(name), "may": .string(right.rawValue),
            "origins": .array(origins.map { .string($0.description) }),
            "reader": reader.map { .string($0) } ?? .null,
            "expires": expires.map { .number(String($0.milliseconds)) } ?? .null,
            "added": .number(String(added.milliseconds)),
            "sha256": .string(Hexadecimal.encode(digest)),
        ]
    }

    init?(_ document: JSONValue) {
        func time(_ name: String) -> Timestamp? {
            document[name]?.numberText.flatMap { Int64($0) }.map(Timestamp.init(milliseconds:))
        }
        guard let name = document["name"]?.string,
            let right = document["may"]?.string.flatMap(Right.init),
            let origins = document["origins"]?.array, let added = time("added"),
            let digest = document["sha256"]?.string.flatMap(Hexadecimal.decode),
            digest.count == SHA256.size, let reader = document["reader"],
            reader == .null || reader.string != nil, let expires = document["expires"],
            expires == .null || time("expires") != nil
        else { return nil }
        self.origins = origins.compactMap { $0.string.flatMap(WebOrigin.init) }
        // A token must not lose the origins that it is bound to.
        guard self.origins.count == origins.count else { return nil }
        (self.name, self.right, self.reader) = (name, right, reader.string)
        (self.expires, self.added, self.digest) = (time("expires"), added, digest)
    }
}
