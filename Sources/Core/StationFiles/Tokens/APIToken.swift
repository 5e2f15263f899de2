import CardCryptography
package import TapcardDomain
import TextCodecs

/// A credential that lets another program or website use a till's reader. It never allows payments.
/// Only a hash of its text is stored.
package struct APIToken: Hashable, Sendable {
    /// What the token allows.
    package enum Right: String, CaseIterable, Sendable {
        /// Receive tap events.
        case watch
        /// Read and write tags, and receive tap events.
        case tags
        /// Show the customer's display.
        case display

        package func includes(_ other: Right) -> Bool {
            self == other || (self == .tags && other == .watch)
        }
    }

    /// The number of random bytes in a token.
    package static let secretBytes = 32
    private static let prefix = "tapcard_"

    package let name: String
    package let right: Right
    /// The web origins that may use the token. If empty, only programs may use it.
    package let origins: [WebOrigin]
    /// The reader that the token is limited to; nil if it works with any reader.
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

    /// Returns the text of a token made from the given random bytes.
    package static func text(_ secret: [UInt8]) -> String { prefix + Base64URL.encode(secret) }

    /// Whether `text` has the prefix of an API token. Session tokens of the till page do not.
    package static func isToken(_ text: String) -> Bool { text.hasPrefix(prefix) }

    package func isExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }

    // Tokens are long and random, so they need no slow password hash. Comparing hashes in variable
    // time reveals nothing useful about the token.
    fileprivate static func digest(of text: String) -> [UInt8] { SHA256.digest(Array(text.utf8)) }
}

extension [APIToken] {
    /// Returns the token with this text, or nil if it is not in the list.
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
        // Dropping an invalid origin could turn the token into one for programs.
        guard self.origins.count == origins.count else { return nil }
        (self.name, self.right, self.reader) = (name, right, reader.string)
        (self.expires, self.added, self.digest) = (time("expires"), added, digest)
    }
}
