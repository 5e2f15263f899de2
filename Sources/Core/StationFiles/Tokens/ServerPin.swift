import CardCryptography
import TextCodecs

/// The hash of a server's public key (SHA-256 of its SubjectPublicKeyInfo). An agent with this pin
/// recognizes the server without a certificate authority.
package struct ServerPin: Hashable, Sendable {
    package let hash: [UInt8]

    /// Reads a pin from its text; nil if it is incomplete.
    package init?(_ text: some StringProtocol) {
        guard let hash = Base64URL.decode(text), hash.count == SHA256.size else { return nil }
        self.hash = hash
    }

    /// Creates the pin of the first certificate in a PEM file, which is the server's own; nil if
    /// there is none.
    package init?(certificatePEM bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let start = text.firstRange(of: "-----BEGIN CERTIFICATE-----")?.upperBound,
            let end = text[start...].firstRange(of: "-----END")?.lowerBound,
            let certificate = Base64.decode(text[start..<end].filter { !$0.isWhitespace }),
            let key = ServerPin.publicKey(in: certificate)
        else { return nil }
        hash = SHA256.digest(Array(key))
    }

    /// The pin as a part of a code.
    package var text: String { Base64URL.encode(hash) }

    /// The SubjectPublicKeyInfo of an X.509 certificate in DER.
    private static func publicKey(in certificate: [UInt8]) -> ArraySlice<UInt8>? {
        var rest = certificate[...]
        guard var content = element(from: &rest)?.content,
            var fields = element(from: &content)?.content
        else { return nil }
        var elements: [Element] = []
        while let element = element(from: &fields) { elements.append(element) }
        // A certificate of version 1 omits the version.
        if elements.first?.tag == 0xA0 { elements.removeFirst() }
        // The serial number, algorithm, issuer, dates, and name come before the key.
        return elements.count > 5 ? elements[5].whole : nil
    }

    private typealias Element = (
        tag: UInt8, whole: ArraySlice<UInt8>, content: ArraySlice<UInt8>
    )

    /// Removes the next element from a structure in DER; nil if it is incomplete.
    private static func element(from rest: inout ArraySlice<UInt8>) -> Element? {
        let all = rest
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // The other bits say how many bytes of length follow.
            let count = Int(first & 0x7F)
            guard count <= 4, count <= rest.count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest.removeFirst(count)
        }
        guard length <= rest.count else { return nil }
        let content = rest.prefix(length)
        rest.removeFirst(length)
        return (tag, all[..<content.endIndex], content)
    }
}
