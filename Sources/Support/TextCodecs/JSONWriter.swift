/// Writes a value as text.
struct JSONWriter {
    enum Form {
        /// On one line: `line` has spaces after colons and commas, and `dense` has none.
        case dense, line
        /// Indented by 2 spaces per level; a value that fits within the width is written on one
        /// line.
        case page
    }

    /// The width of the `page` form, in columns.
    private static let columns = 100

    let form: Form
    private(set) var bytes: [UInt8] = []

    init(_ form: Form) { self.form = form }

    mutating func write(_ value: JSONValue, level: Int = 0) {
        if form == .page, level > 0 {
            // The value is first written on a line of its own, to find out whether it fits.
            var line = JSONWriter(.line)
            line.write(value)
            // On the first line, -1 stands for a line break before the first byte.
            let start = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1
            // One column is reserved for the comma that follows.
            if bytes.count - start + line.bytes.count <= JSONWriter.columns {
                bytes += line.bytes
                return
            }
        }
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let text): bytes += text.utf8
        case .string(let text): write(text)
        case .array(let elements):
            list(elements, between: ("[", "]"), level: level) { writer, element in
                writer.write(element, level: level + 1)
            }
        case .object(let members):
            list(members, between: ("{", "}"), level: level) { writer, member in
                writer.write(member.key)
                writer.bytes += (writer.form == .dense ? ":" : ": ").utf8
                writer.write(member.value, level: level + 1)
            }
        }
    }

    private mutating func list<Element>(
        _ elements: [Element], between brackets: (String, String), level: Int,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        bytes += brackets.0.utf8
        for (index, element) in elements.enumerated() {
            // In the `page` form, a new line takes the place of the space.
            if index > 0 { bytes += (form == .line ? ", " : ",").utf8 }
            startLine(level: level + 1)
            write(&self, element)
        }
        if !elements.isEmpty { startLine(level: level) }
        bytes += brackets.1.utf8
    }

    private mutating func startLine(level: Int) {
        guard form == .page else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: level * 2)
    }

    /// Writes a string with only the necessary escapes, because space on a card is limited.
    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case 0x08: bytes += #"\b"#.utf8
            case 0x0C: bytes += #"\f"#.utf8
            case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
            case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
            case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
            // RFC 8259 forbids the other control characters in a string.
            case 0..<0x20: bytes += (#"\u00"# + Hexadecimal.encode([byte])).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONValue {
    /// The value on one line, without spaces outside strings.
    public var text: String { written(.dense) }

    /// The value formatted for reading: one member or element per line, indented by 2 spaces per
    /// level. A nested value that fits in 100 columns is written on one line.
    public var prettyText: String { written(.page) }

    private func written(_ form: JSONWriter.Form) -> String {
        var writer = JSONWriter(form)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
