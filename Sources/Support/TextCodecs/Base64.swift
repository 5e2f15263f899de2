/// Bytes in the alphabet of RFC 4648 section 4, with padding.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + padding(after: text.count)
    }

    /// The bytes; nil if the text is not what `encode` returns for them. The padding may be left
    /// out.
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
