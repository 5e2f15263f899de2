import TapcardDomain

/// Text of others on its way to people: nothing that misleads a reader or moves a terminal, and
/// not without end.
enum Shown {
    static let longest = 80

    static func text(_ text: some StringProtocol, longest: Int = longest) -> String {
        let scalars = text.unicodeScalars
        let safe = scalars.prefix(longest).map { $0.isMisleading ? "\u{FFFD}" : $0 }
        let end = scalars.dropFirst(longest).isEmpty ? "" : "…"
        return String(String.UnicodeScalarView(safe)) + end
    }
}
