/// The decoded target from a request's first line. A target that a proxy could interpret
/// differently is refused.
package struct RequestTarget: Hashable {
    /// The host and port from an absolute address, as sent by clients that use a proxy. `nil` for a
    /// path.
    package let host: String?
    package let path: String
    package let query: [WebField]

    /// Parses a target; `nil` if it is not served.
    package init?(_ text: some Collection<UInt8>) {
        var rest = text[...]
        guard rest.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        // Clients that use a proxy send an absolute address.
        var host: String?
        for scheme in ["http://", "https://"] where rest.starts(with: scheme.utf8) {
            rest = rest.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
            host = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...]
        }
        self.host = host
        let slash = UInt8(ascii: "/")
        let question = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard let path = Self.decoded(rest[..<question], plusIsSpace: false), path.first == "/",
            !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            // An encoded slash is refused, because a proxy may interpret it differently.
            path.utf8.count(where: { $0 == slash })
                == rest[..<question].count(where: { $0 == slash }),
            // The parts are checked after decoding, because "%2e%2e" is also "..".
            !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return nil }
        self.path = path
        guard let query = Self.parsed(rest[question...].dropFirst()) else { return nil }
        self.query = query
    }

    private static func parsed(_ query: some Collection<UInt8>) -> [WebField]? {
        var fields: [WebField] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let sides = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0], plusIsSpace: true),
                // A part without "=" is a name with an empty value.
                let value = sides.count == 1 ? "" : decoded(sides[1], plusIsSpace: true)
            else { return nil }
            fields.append(WebField(name, value))
        }
        return fields
    }

    /// The decoded text. `nil` for an invalid escape, a NUL, or invalid UTF-8.
    private static func decoded(
        _ escaped: some Collection<UInt8>, plusIsSpace: Bool
    ) -> String? {
        var bytes: [UInt8] = []
        var rest = escaped[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimalValue,
                    // %00 is refused, because C code would treat it as the end of the path.
                    let low = rest.popFirst()?.hexadecimalValue, high + low > 0
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
