/// How a piece of a line looks on a color terminal. Color alone never carries meaning.
package struct Style: Hashable, Sendable {
    /// The terminal's codes for this style; empty for plain text.
    private let codes: String

    package static let plain = Style(codes: "")
    package static let title = Style(codes: "1")
    package static let bad = Style(codes: "31")
    package static let good = Style(codes: "32")
    package static let gold = Style(codes: "33")

    package func applied(to text: String, _ hasColor: Bool) -> String {
        hasColor && !codes.isEmpty ? "\u{1B}[\(codes)m\(text)\u{1B}[0m" : text
    }
}
