extension Unicode.Scalar {
    /// Whether the scalar could disguise text or break a line. This is true for control characters,
    /// line and paragraph separators, and characters that change the direction of text.
    public var isMisleading: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // The embeddings, overrides, and isolates of the bidirectional algorithm (UAX #9).
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}

/// Makes text that a user typed safe to display: shortens it and replaces misleading characters.
package func printable(_ text: String) -> String {
    let maximumScalars = 40
    let safe = text.unicodeScalars.prefix(maximumScalars).map { scalar in
        scalar.isMisleading ? "\u{FFFD}" : scalar
    }
    let end = text.unicodeScalars.count > maximumScalars ? "…" : ""
    return String(String.UnicodeScalarView(safe)) + end
}

extension String {
    /// The maximum length of a quotation that is not shortened.
    private static let longestQuotation = 100

    /// The text in quotation marks, for an error message, shortened if it is long.
    package var quotation: String {
        let whole = debugDescription
        return whole.count <= String.longestQuotation ? whole : "\"\(printable(self))\""
    }
}
