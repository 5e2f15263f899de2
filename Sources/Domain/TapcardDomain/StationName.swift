/// The name of a station, which is also the name of its database login.
package struct StationName: Hashable, Sendable, CustomStringConvertible {
    package static let longest = 40
    package let text: String

    /// Accepts the letters a to z, digits, "-", and "_"; the first character must be a letter.
    package init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { letter in
            (0x61...0x7A).contains(letter) || (0x30...0x39).contains(letter)
                || letter == UInt8(ascii: "-") || letter == UInt8(ascii: "_")
        }
        guard isAllowed, let first = text.utf8.first, (0x61...0x7A).contains(first),
            text.utf8.count <= StationName.longest
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}
