/// Tables as spreadsheets exchange them (RFC 4180). Cells are separated by commas, or by semicolons
/// if the first line has more of those.
package enum CSVText {
    package struct Malformed: Error { package let line: Int }

    /// The rows with their cells. Empty lines are left out.
    package static func rows(_ bytes: [UInt8]) throws(Malformed) -> [[String]] {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: content, as: UTF8.self) else {
            throw Malformed(line: 1)
        }
        // Scalars, because a combining mark would make one character of itself and a separator.
        let scalars = Array(text.unicodeScalars)
        let first = scalars.prefix { $0 != "\n" && $0 != "\r" }
        let separator: Unicode.Scalar =
            first.count { $0 == ";" } > first.count { $0 == "," } ? ";" : ","
        var rows: [[String]] = []
        var (row, cell, line) = ([String](), String.UnicodeScalarView(), 1)
        /// Whether the cell began with a quotation mark, and whether that has been closed.
        var (isQuoted, isClosed) = (false, false)
        func endCell() {
            row.append(String(cell))
            (cell, isQuoted, isClosed) = (String.UnicodeScalarView(), false, false)
        }
        func endRow() {
            endCell()
            if row.contains(where: { !$0.isEmpty }) { rows.append(row) }
            row = []
        }
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            let next = index < scalars.count ? scalars[index] : nil
            let isNewline = scalar == "\n" || scalar == "\r"
            if scalar == "\n" || scalar == "\r" && next != "\n" { line += 1 }
            if isQuoted, !isClosed {
                if scalar != "\"" {
                    cell.append(scalar)
                } else if next == "\"" {
                    // Two quotation marks within a quoted cell stand for one.
                    cell.append(scalar)
                    index += 1
                } else {
                    isClosed = true
                }
            } else if scalar == separator {
                endCell()
            } else if isNewline {
                endRow()
            } else if scalar == "\"", cell.isEmpty, !isQuoted {
                isQuoted = true
            } else if isClosed {
                throw Malformed(line: line)
            } else {
                cell.append(scalar)
            }
        }
        guard !isQuoted || isClosed else { throw Malformed(line: line) }
        if !cell.isEmpty || !row.isEmpty { endRow() }
        return rows
    }

    /// A line with these cells. Spreadsheets run a cell that begins like a formula, so such a cell
    /// gets an apostrophe in front, which they show as text.
    package static func line(_ cells: [String]) -> String {
        cells.map { cell in
            let formulas: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n"]
            let special: Set<Unicode.Scalar> = [",", ";", "\"", "\n", "\r"]
            var text = String.UnicodeScalarView()
            let needsQuotes = cell.unicodeScalars.contains(where: special.contains)
            if needsQuotes { text.append("\"") }
            if let first = cell.unicodeScalars.first, formulas.contains(first) { text.append("'") }
            for scalar in cell.unicodeScalars {
                if scalar == "\"" { text.append(scalar) }
                text.append(scalar)
            }
            if needsQuotes { text.append("\"") }
            return String(text)
        }.joined(separator: ",") + "\n"
    }
}
