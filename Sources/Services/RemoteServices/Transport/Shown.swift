import TapcardDomain

/// Makes text from other systems safe to display: shortens it, and replaces characters that could
/// mislead a user or control a terminal.
enum Shown {
    static let maximumLength = 80

    /// An address without the parts that may be secret. These are the query and the fragment, which
    /// may contain codes and tokens, and in each part between slashes, everything before an "@".
    static func place(_ url: String) -> String {
        var shown = ""
        var part = ""
        for character in url.prefix(while: { $0 != "?" && $0 != "#" }) {
            switch character {
            // Everything before an "@" may be a user name and a password.
            case "@": part = ""
            // Some programs treat a backslash as a slash.
            case "/", "\\":
                shown += part + String(character)
                part = ""
            default: part.append(character)
            }
        }
        return text(shown + part)
    }

    static func text(_ text: some StringProtocol, maximumLength: Int = maximumLength) -> String {
        let scalars = text.unicodeScalars
        let safe = scalars.prefix(maximumLength).map { $0.isMisleading ? "\u{FFFD}" : $0 }
        let end = scalars.dropFirst(maximumLength).isEmpty ? "" : "…"
        return String(String.UnicodeScalarView(safe)) + end
    }
}
