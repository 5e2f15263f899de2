/// A text with placeholders such as `{uid}`. Write `{{` for a literal `{`, or `{{uid}}` for a
/// literal `{uid}`. A brace that does not start a placeholder stays as it is, so most JSON needs no
/// escaping.
package struct Template: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(String)
    }

    private var parts: [Part] = []
    /// Whether there is a `{` that neither starts a placeholder nor is escaped.
    private(set) var hasUnclosedBrace = false

    package init(_ text: String) {
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            let after = rest[brace...].dropFirst()
            let name = after.prefix(while: Template.isInName)
            let end = after.dropFirst(name.count)
            if after.first == "{" {
                let name = after.dropFirst().prefix(while: Template.isInName)
                let isClosed = !name.isEmpty && after[name.endIndex...].hasPrefix("}}")
                parts.append(.text(rest[...brace] + (isClosed ? name + "}" : "")))
                rest = isClosed ? after[name.endIndex...].dropFirst(2) : after.dropFirst()
            } else if !name.isEmpty, end.first == "}" {
                parts += [.text(String(rest[..<brace])), .placeholder(String(name))]
                rest = end.dropFirst()
            } else {
                hasUnclosedBrace = true
                parts.append(.text(String(rest[...brace])))
                rest = after
            }
        }
        parts.append(.text(String(rest)))
    }

    private static func isInName(_ character: Character) -> Bool {
        !"{}\":;,".contains(character) && !character.isNewline
    }

    /// The names of the placeholders, in order of appearance.
    package var names: [String] {
        parts.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// Returns the text with every placeholder replaced by its value.
    package func filled(_ value: (String) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .placeholder(let name): value(name)
            }
        }.joined()
    }

    /// Percent-encodes every character except the unreserved ones (RFC 3986, section 2.3), so that
    /// the value is safe in any part of a URL. Keeps the characters in `kept`.
    package static func percentEncoded(_ value: String, keeping kept: String = "") -> String {
        value.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isUnreserved =
                byte < 0x80
                && (character.isLetter || character.isNumber || ("-._~" + kept).contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            return isUnreserved ? String(character) : "%" + (byte < 0x10 ? "0" : "") + digits
        }.joined()
    }
}

/// The rules for a link on a tag.
package enum LinkText {
    /// The reserved characters of a URI (RFC 3986, section 2.2), and `%`, which encodes others.
    private static let kept = ":/?#[]@!$&'()*+,;=%"

    /// Returns what is wrong with a link, and what to do; nil if nothing is.
    package static func fault(in url: String) -> (what: String, advice: String)? {
        let isSpaced = url.unicodeScalars.contains {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }
        if isSpaced { return ("contains spaces or control characters", "Write %20 for a space.") }
        let scheme = url.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:/)?.output ?? ""
        let rest = url[scheme.endIndex...]
        // In example.com:8080, the first part is a host name.
        guard !scheme.isEmpty, !scheme.contains(".") || rest.first?.isNumber != true else {
            return ("has no scheme", "Write https://\(url.isEmpty ? "example.com" : url.shown).")
        }
        return rest.isEmpty ? ("is incomplete", "Write one such as https://example.com.") : nil
    }

    /// Percent-encodes the characters that cannot be in a URI.
    package static func encoded(_ url: String) -> String {
        Template.percentEncoded(url, keeping: kept)
    }
}
