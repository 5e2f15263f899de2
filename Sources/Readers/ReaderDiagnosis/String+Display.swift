extension String {
    /// The text, made safe to display on a single line of a terminal. The names of processes and
    /// readers come from other programs and must not be able to move the cursor or change colors.
    public var escapedForOneLine: String {
        var line = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                line += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
