/// Prints columns that line up.
enum Table {
    static func print(_ heading: [String], _ rows: [[String]]) {
        let all = [heading] + rows
        let widths = heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for (number, row) in all.enumerated() {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            Swift.print(cells.joined(separator: "  "))
            if number == 0 {
                Swift.print(
                    widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
            }
        }
    }
}
