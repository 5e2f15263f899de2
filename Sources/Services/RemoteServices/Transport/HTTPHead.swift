/// The headers of a response: names in lower case, values without surrounding spaces.
package struct HTTPHead: Hashable, Sendable {
    package private(set) var fields: [Field] = []

    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package init() {}

    /// Adds one line as received. A status line begins a new header block and discards the previous
    /// one, which belonged to an interim response or came from a proxy. Ignores invalid lines.
    package mutating func take(_ bytes: [UInt8]) {
        let text = bytes.filter { $0 != 0x0D && $0 != 0x0A }
        if HTTPHead.isStatusLine(text) {
            fields = []
            return
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            text.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 })
        else { return }
        let name = text[..<colon]
        // HTTP no longer allows a line that begins with a space to continue the previous line.
        guard !name.contains(where: { $0 == 0x20 || $0 == 0x09 }) else { return }
        fields.append(
            Field(
                name: String(decoding: name, as: UTF8.self).lowercased(),
                value: HTTPHead.trimmed(text[(colon + 1)...])))
    }

    static func isStatusLine(_ line: [UInt8]) -> Bool { line.starts(with: Array("HTTP/".utf8)) }

    /// The values of the headers with this name, in order.
    package subscript(all name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// The value of the header with this name, if there is exactly one.
    package subscript(name: String) -> String? {
        // Two values may contradict each other, so neither is used.
        let values = self[all: name]
        return values.count == 1 ? values[0] : nil
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var rest = bytes.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}
