/// A text with placeholders such as `{uid}`. Write `{{` for a literal `{`. A brace that does not
/// start a placeholder stays as it is, so most JSON needs no escaping.
package struct Template: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(String)
    }

    private var parts: [Part] = []

    package init(_ text: String) {
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            let after = rest[brace...].dropFirst()
            let name = after.prefix(while: Template.isInName)
            let end = after.dropFirst(name.count)
            if after.first == "{" {
                parts.append(.text(String(rest[...brace])))
                rest = after.dropFirst()
            } else if !name.isEmpty, end.first == "}" {
                parts += [.text(String(rest[..<brace])), .placeholder(String(name))]
                rest = end.dropFirst()
            } else {
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
    /// the value is safe in any part of a URL.
    package static func percentEncoded(_ value: String) -> String {
        value.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isUnreserved =
                byte < 0x80
                && (character.isLetter || character.isNumber || "-._~".contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            return isUnreserved ? String(character) : "%" + (byte < 0x10 ? "0" : "") + digits
        }.joined()
    }
}
