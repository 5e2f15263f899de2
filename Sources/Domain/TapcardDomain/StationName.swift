/// A station's name, which is also the name of its database login.
package struct StationName: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 40
    package let text: String

    /// Accepts the letters a to z, digits, "-", and "_"; the first character must be a letter.
    package init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { character in
            (0x61...0x7A).contains(character) || (0x30...0x39).contains(character)
                || character == UInt8(ascii: "-") || character == UInt8(ascii: "_")
        }
        guard isAllowed, let first = text.utf8.first, (0x61...0x7A).contains(first),
            text.utf8.count <= StationName.maximumLength
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}
