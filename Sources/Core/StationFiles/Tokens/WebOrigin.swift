/// A web page's origin in the form that browsers send: scheme, host, and any non-default port.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 253

    private let text: String

    /// Accepts HTTPS origins, and HTTP for `localhost` and `127.0.0.1`. Returns nil for anything
    /// else, such as `*`, `null`, or a URL with a path.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= WebOrigin.maximumLength else { return nil }
        let place = parts[1].split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let (scheme, host) = (parts[0].lowercased(), place[0].lowercased())
        guard WebOrigin.isHost(host),
            scheme == "https" || (scheme == "http" && ["localhost", "127.0.0.1"].contains(host))
        else { return nil }
        var port = ""
        if place.count == 2 {
            // UInt16 also parses "+80" and "080", which browsers never send.
            guard let number = UInt16(place[1]), number > 0, String(number) == place[1] else {
                return nil
            }
            // Browsers omit the default port.
            if number != (scheme == "https" ? 443 : 80) { port = ":\(number)" }
        }
        self.text = "\(scheme)://\(host)\(port)"
    }

    package var description: String { text }

    /// Whether `host` is a host name or IPv4 address. ASCII is enough, because browsers send
    /// international names in Punycode.
    private static func isHost(_ host: String) -> Bool {
        host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || byte == UInt8(ascii: "-")
                }
        }
    }
}
