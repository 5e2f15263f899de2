import TapcardDomain

/// Text of others on its way to people: nothing that misleads a reader or moves a terminal, and
/// not without end.
enum Shown {
    static let longest = 80

    /// An address without what may be secret: query and fragment, in which codes and tokens
    /// stand, and whatever stands before an "@".
    static func place(_ url: String) -> String {
        var place = ""
        var piece = ""
        for character in url.prefix(while: { $0 != "?" && $0 != "#" }) {
            switch character {
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
