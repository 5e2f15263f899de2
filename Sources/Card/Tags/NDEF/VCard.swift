/// A contact in vCard format (RFC 6350 and earlier versions).
package struct VCard: Hashable, Sendable {
    /// One line of a contact, such as `TEL;TYPE=cell:+1 555 0100`.
    package struct Field: Hashable, Sendable {
        /// The name in capitals, such as `TEL`.
        package let name: String
        /// The text between the name and the colon, such as `TYPE=cell`; empty if there is none.
        package let parameters: String
        /// The value, without escapes.
        package let value: String
    }

    static let mediaTypes: Set = ["text/vcard", "text/x-vcard", "text/directory"]
    package static let mediaType = "text/vcard"

    /// The fields in order, without BEGIN, VERSION, and END.
    package let fields: [Field]

    /// Reads one contact. Refuses lines that are not fields, because the data is probably not a
    /// contact then.
    package init(_ bytes: [UInt8]) throws(NDEFError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw NDEFError(.badText, "a contact that is not UTF-8")
        }
        var fields: [Field] = []
        for line in Self.unfolded(text) {
            guard let field = Field(line) else {
                throw NDEFError(.badText, "a contact with a line that is not a field")
            }
            fields.append(field)
        }
        func isFrame(_ field: Field?, _ name: String) -> Bool {
            field?.name == name && field?.value.uppercased() == "VCARD"
        }
        guard isFrame(fields.first, "BEGIN"), isFrame(fields.last, "END"), fields.count > 2 else {
            throw NDEFError(.badText, "a contact without BEGIN:VCARD and END:VCARD")
        }
        self.fields = fields.dropFirst().dropLast().filter { $0.name != "VERSION" }
    }

    /// The lines of a contact. A line that begins with a space continues the previous line.
    private static func unfolded(_ text: String) -> [String] {
        var lines: [String] = []
        // In Swift, CR and LF together are one character.
        for line in text.split(whereSeparator: \.isNewline) {
            if let first = line.first, first == " " || first == "\t", !lines.isEmpty {
                lines[lines.count - 1] += line.dropFirst()
            } else if line.contains(where: { !$0.isWhitespace }) {
                lines.append(String(line))
            }
        }
        return lines
    }
}

extension VCard.Field {
    /// Reads an unfolded line; `nil` if it has no name or no colon.
    fileprivate init?(_ line: String) {
        // A quoted parameter may contain a colon.
        var isQuoted = false
        guard
            let colon = line.firstIndex(where: { character in
                if character == "\"" { isQuoted.toggle() }
                return character == ":" && !isQuoted
            })
        else { return nil }
        let head = line[..<colon]
        // A group name, as in `item1.TEL`, only ties fields together, so it is dropped.
        let title = head.prefix { $0 != ";" }
        let name = title.split(separator: ".").last ?? ""
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else { return nil }
        self.name = name.uppercased()
        parameters = String(head[title.endIndex...].dropFirst())
        value = Self.withoutEscapes(line[line.index(after: colon)...])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func withoutEscapes(_ value: Substring) -> String {
        var plain = ""
        var isEscaped = false
        for character in value {
            if isEscaped {
                plain.append(character == "n" || character == "N" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                plain.append(character)
            }
        }
        return plain
    }
}
