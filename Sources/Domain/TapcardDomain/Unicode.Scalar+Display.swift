extension Unicode.Scalar {
    /// Whether the scalar can make text look like other text or break a line: true for control
    /// characters, line and paragraph separators, and marks that change the writing direction.
    public var isMisleading: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // The embeddings, overrides, and isolates of the bidirectional algorithm (UAX #9).
        default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}

/// Text that someone typed, made safe to display: shortened, and without misleading characters.
package func printable(_ text: String) -> String {
    let longestShown = 40
    let safe = text.unicodeScalars.prefix(longestShown).map { scalar in
        scalar.isMisleading ? "\u{FFFD}" : scalar
    }
    let end = text.unicodeScalars.count > longestShown ? "…" : ""
    return String(String.UnicodeScalarView(safe)) + end
}

extension String {
    /// The maximum length of text that an error shows unchanged.
    private static let longestQuotation = 100

    /// The text in quotation marks, for an error message, shortened if it is long.
    package var quotation: String {
        let whole = debugDescription
        return whole.count <= String.longestQuotation ? whole : "\"\(printable(self))\""
    }
}
