/// A text with placeholders such as `{uid}`. Braces around anything but a name stand for
/// themselves, so that JSON can be written as it is.
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
            let isPlaceholder = !name.isEmpty && after.dropFirst(name.count).first == "}"
            let end = isPlaceholder ? rest.index(after: name.endIndex) : after.startIndex
            parts.append(.text(String(isPlaceholder ? rest[..<brace] : rest[..<end])))
            if isPlaceholder { parts.append(.placeholder(String(name))) }
            rest = rest[end...]
        }
        parts.append(.text(String(rest)))
    }

    private static func isInName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || " -_.".contains(character)
    }

    /// The names in braces, in order.
    package var names: [String] {
        parts.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// The text with a value for each name.
    package func filled(_ value: (String) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .placeholder(let name): value(name)
            }
        }.joined()
    }

    /// A value as it may stand anywhere in a URL (RFC 3986, section 2).
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
