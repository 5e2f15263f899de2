/// Reads and writes CSV (RFC 4180). The separator is a comma, or a semicolon if the first line
/// contains more semicolons than commas.
package enum CSVText {
    package struct Malformed: Error { package let line: Int }

    /// Splits a file into rows of cells. Skips rows whose cells are all empty.
    package static func rows(_ bytes: [UInt8]) throws(Malformed) -> [[String]] {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: content, as: UTF8.self) else {
            throw Malformed(line: 1)
        }
        // A combining mark after a separator would merge with it into one Character, so this works
        // on scalars.
        let scalars = Array(text.unicodeScalars)
        let first = scalars.prefix { $0 != "\n" && $0 != "\r" }
        let separator: Unicode.Scalar =
            first.count { $0 == ";" } > first.count { $0 == "," } ? ";" : ","
        var rows: [[String]] = []
        var (row, cell, line) = ([String](), String.UnicodeScalarView(), 1)
        // True once the current cell's opening or closing quotation mark has been read.
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
                    // A doubled quotation mark is an escaped one.
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

    /// Formats one row. A cell that looks like a formula gets a leading apostrophe, so that
    /// spreadsheets display it as text instead of evaluating it; cells in `numbers` do not.
    package static func line(_ cells: [String], numbers: Set<Int> = []) -> String {
        cells.enumerated().map { index, cell in
            let formulas: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n"]
            let special: Set<Unicode.Scalar> = [",", ";", "\"", "\n", "\r"]
            var text = String.UnicodeScalarView()
            let needsQuotes = cell.unicodeScalars.contains(where: special.contains)
            if needsQuotes { text.append("\"") }
            let first = numbers.contains(index) ? nil : cell.unicodeScalars.first
            if let first, formulas.contains(first) { text.append("'") }
            for scalar in cell.unicodeScalars {
                if scalar == "\"" { text.append(scalar) }
                text.append(scalar)
            }
            if needsQuotes { text.append("\"") }
            return String(text)
        }.joined(separator: ",") + "\r\n"
    }
}
