import TapcardDomain

/// Text of others on its way to people: nothing that misleads a reader or moves a terminal, and
/// not without end.
enum Shown {
    static let longest = 80

    /// An address without its query, in which codes stand.
    static func place(_ url: String) -> String { text(url.prefix { $0 != "?" }) }

    static func text(_ text: some StringProtocol, longest: Int = longest) -> String {
        let scalars = text.unicodeScalars
        let safe = scalars.prefix(longest).map { $0.isMisleading ? "\u{FFFD}" : $0 }
        let end = scalars.dropFirst(longest).isEmpty ? "" : "…"
        return String(String.UnicodeScalarView(safe)) + end
    }
}
