/// The base address of a service, with the scheme http or https.
///
/// It contains no user name or password, because addresses are displayed. It contains no query or
/// fragment, because paths are appended to it.
package struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address without a trailing slash.
    package let text: String
    /// The host, followed by the port if there is one, for use in messages.
    package let host: String

    private static let maximumLength = 2_048

    /// Checks an address. The error does not quote it, because it may contain a password.
    package init(_ text: String) throws(ServiceError) {
        func refusal(_ reason: String) -> ServiceError { ServiceError(.badAddress, reason) }
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else {
            throw refusal("it does not begin with https:// or http://")
        }
        guard text.utf8.count <= ServiceAddress.maximumLength else {
            throw refusal("it has more than \(ServiceAddress.maximumLength) bytes")
        }
        guard !text.contains("?"), !text.contains("#") else {
            throw refusal("it has a query or a fragment")
        }
        guard text.utf8.allSatisfy(ServiceAddress.isAllowed) else {
            throw refusal("it contains an invalid character")
        }
        let rest = text.dropFirst(scheme.utf8.count)
        let host = rest.prefix { $0 != "/" }
        guard !host.contains("@") else { throw refusal("it contains a user name or password") }
        guard ServiceAddress.isHost(host) else {
            throw refusal("it has no valid host, or its port is not between 1 and 65535")
        }
        var path = rest.dropFirst(host.utf8.count)
        // Appended paths begin with a slash.
        while path.last == "/" { path.removeLast() }
        (self.text, self.host) = (scheme + host + path, String(host))
    }

    package var description: String { text }

    /// This address with a call's path appended.
    package func appending(_ path: String) -> String { text + path }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !Array("\"<>\\^`{|}".utf8).contains(byte)
    }

    /// Whether the text is a host name or an IPv6 address in brackets, with an optional port. The
    /// caller must make sure that the text is ASCII.
    private static func isHost(_ text: Substring) -> Bool {
        let name: Substring
        let rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return false }
            name = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard name.contains(":"),
                name.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
            else { return false }
        } else {
            name = text.prefix { $0 != ":" }
            rest = text.dropFirst(name.count)
            // A dot may separate two parts of a name or follow the last one.
            guard name.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }),
                !name.hasPrefix("."), !name.contains("..")
            else { return false }
        }
        guard !name.isEmpty else { return false }
        if rest.isEmpty { return true }
        let digits = rest.dropFirst()
        return rest.first == ":" && digits.utf8.count <= 5 && digits.allSatisfy(\.isNumber)
            && (Int(digits).map((1...65_535).contains) ?? false)
    }
}
