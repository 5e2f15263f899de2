/// Standard Base64 with padding (RFC 4648 section 4).
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + padding(after: text.count)
    }

    /// Decodes canonical Base64 with or without padding. Returns nil for any other text.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let bare = text.prefix { $0 != "=" }
        let rest = text.dropFirst(bare.count)
        guard !bare.contains(where: { "-_".contains($0) }),
            rest.isEmpty || rest == padding(after: bare.count)
        else { return nil }
        return Base64URL.decode(String(bare.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
    }

    private static func padding(after count: Int) -> String {
        String(repeating: "=", count: (4 - count % 4) % 4)
    }
}
