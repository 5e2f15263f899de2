import StyledText

extension String {
    /// The text in lines of at most `width` cells, broken between words where possible.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ") {
            var rest = String(word).steady
            let joined = line.isEmpty ? rest : "\(line) \(rest)"
            if joined.cellCount <= width {
                line = joined
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while rest.cellCount > width {
                let head = rest.cut(to: width)
                // Not even one character fits, so nothing can be shown.
                guard !head.isEmpty else { return lines }
                lines.append(head)
                rest = String(rest.dropFirst(head.count))
            }
            line = rest
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// The text in at most `limit` lines; an ellipsis marks omitted text.
    func wrapped(to width: Int, lines limit: Int) -> [String] {
        let lines = wrapped(to: width)
        guard lines.count > limit, limit > 0 else { return Array(lines.prefix(max(0, limit))) }
        return lines.prefix(limit - 1) + [lines[limit - 1].cut(to: width - 1) + "…"]
    }
}
