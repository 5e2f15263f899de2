import TapcardDomain

/// External text made safe to display: without characters that mislead a reader or control a
/// terminal, and limited in length.
enum Shown {
    static let longest = 80

    /// An address without anything that may be secret: the query and the fragment, which contain
    /// codes and tokens, and everything before an "@".
    static func place(_ url: String) -> String {
        var place = ""
        var piece = ""
        for character in url.prefix(while: { $0 != "?" && $0 != "#" }) {
            switch character {
            // Anything before an "@" may be a user name and a password.
            case "@": piece = ""
            case "/", "\\":
                place += piece + String(character)
                piece = ""
            default: piece.append(character)
            }
        }
        return text(place + piece)
    }

    static func text(_ text: some StringProtocol, longest: Int = longest) -> String {
        let scalars = text.unicodeScalars
        let safe = scalars.prefix(longest).map { $0.isMisleading ? "\u{FFFD}" : $0 }
        let end = scalars.dropFirst(longest).isEmpty ? "" : "…"
        return String(String.UnicodeScalarView(safe)) + end
    }
}
