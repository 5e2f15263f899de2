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
        let first = text.prefix { !$0.isNewline }
        let separator: Character =
            first.count { $0 == ";" } > first.count { $0 == "," } ? ";" : ","
        var rows: [[String]] = []
        var (row, cell, line) = ([String](), "", 1)
        var rest = text[...]
        /// Whether the cell began with a quotation mark, and whether that has been closed.
        var (isQuoted, isClosed) = (false, false)
        func endRow() {
            row.append(cell)
            if row != [""] || isQuoted { rows.append(row) }
            (row, cell, isQuoted, isClosed) = ([], "", false, false)
        }
        while let character = rest.popFirst() {
            if character.isNewline { line += 1 }
            if isQuoted, !isClosed {
                if character != "\"" {
                    cell.append(character)
                } else if rest.first == "\"" {
                    // Two quotation marks within a quoted cell stand for one.
                    cell.append("\"")
                    rest.removeFirst()
                } else {
                    isClosed = true
                }
            } else if character == separator {
                row.append(cell)
                (cell, isQuoted, isClosed) = ("", false, false)
            } else if character.isNewline {
                endRow()
            } else if character == "\"", cell.isEmpty, !isQuoted {
                isQuoted = true
            } else if isClosed {
                throw Malformed(line: line)
            } else {
                cell.append(character)
            }
        }
        guard !isQuoted || isClosed else { throw Malformed(line: line) }
        if !cell.isEmpty || !row.isEmpty || isQuoted { endRow() }
        return rows
    }

    /// A line with these cells. Spreadsheets run a cell that begins like a formula, so such a cell
    /// gets an apostrophe in front, which they show as text.
    package static func line(_ cells: [String]) -> String {
        cells.map { cell in
            let formulas: Set<Character> = ["=", "+", "-", "@", "\t", "\r"]
            let isFormula = cell.first.map { formulas.contains($0) } ?? false
            let text = isFormula ? "'" + cell : cell
            let needsQuotes = text.contains { ",;\"".contains($0) || $0.isNewline }
            return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
        }.joined(separator: ",") + "\n"
    }
}
