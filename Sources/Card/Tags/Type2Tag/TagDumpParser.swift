import TextCodecs

/// Reads a dump line by line. Fields and pages have a fixed order, so each line is checked as it is
/// read, and an error can give the line number.
struct TagDumpParser {
    /// The number of the current line, starting at 1.
    private var line = 0
    private var seen: [TagDumpField] = []
    /// The fields that may still follow.
    private var remaining = TagDumpField.allCases[...]

    /// `nil` for a chip outside the table, until page 3 gives its size.
    private var chip: Type2Chip?
    private var uid: [UInt8] = []
    private var signature: [UInt8]?
    private var counter: UInt32?
    private var password: [UInt8] = []
    private var pack: [UInt8] = []
    private var failedPasswords = 0
    private var pages: [Page?] = []

    mutating func take(_ text: Substring) throws(Type2Error) {
        line += 1
        if line == 1 {
            guard text == TagDump.firstLine else {
                throw refusal(.unknownVersion, "not \"\(TagDump.firstLine)\"")
            }
        } else if text.utf8.starts(with: TagDump.commentMark.utf8) {
            return
        } else if text.utf8.starts(with: TagDump.pageMark.utf8) {
            try takePage(text.dropFirst(TagDump.pageMark.count))
        } else {
            try takeField(text)
        }
    }

    /// Completes the dump after the last line.
    mutating func finish() throws(Type2Error) -> TagDump {
        line += 1
        // Errors about the end of the file give the line after the last one.
        guard line > 1 else { throw refusal(.unknownVersion, "the file is empty") }
        try requireFields()
        guard let chip, pages.count == chip.pageCount else {
            throw refusal(.missingPage, "the file ends before page \(hexadecimal(pages.count))")
        }
        var dump = try TagDump(
            chip: chip, uid: uid, pages: pages, signature: signature, counter: counter)
        if seen.contains(.password) {
            dump.secrets = try TagDump.Secrets(
                password: password, pack: pack, failedPasswords: failedPasswords)
        }
        return dump
    }

    /// The name and the value in a line.
    private func split(_ text: Substring) throws(Type2Error) -> (name: Substring, value: Substring)
    {
        // Bytes are faster than characters, and a simulated reader reads its file for every frame.
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text.utf8[colon...].starts(with: TagDump.separator.utf8)
        else { throw refusal(.unknownLine, "this line is not a field, a page, or a comment") }
        return (text[..<colon], text[colon...].dropFirst(TagDump.separator.count))
    }

    private mutating func takeField(_ text: Substring) throws(Type2Error) {
        let (name, value) = try split(text)
        guard let field = TagDumpField(rawValue: String(name)) else {
            throw refusal(.unknownLine, "the field \(TagDump.shown(name)) is unknown")
        }
        guard let index = remaining.firstIndex(of: field) else {
            throw seen.contains(field)
                ? refusal(.duplicateField, "\(name) is given twice")
                : refusal(.misplacedField, "the field \(name) comes too late in the file")
        }
        // The chip determines which fields and how many pages may follow.
        guard field == .chip || seen.contains(.chip) else {
            throw refusal(.missingField, "the chip field must come first")
        }
        guard field == .chip || field == .uid || chip != nil else {
            throw refusal(.contradiction, "a \(Type2Chip.otherName) has no field \(name)")
        }
        // From now on, a repeated field or a field that belongs earlier is refused.
        remaining = remaining[(index + 1)...]
        seen.append(field)
        try set(field, to: value)
    }

    private mutating func set(
        _ field: TagDumpField, to value: Substring
    ) throws(Type2Error) {
        switch field {
        case .chip:
            chip = Type2Chip(named: value)
            guard chip != nil || value == Type2Chip.otherName else {
                throw refusal(.unknownChip, "tapcard does not support \(TagDump.shown(value))")
            }
        case .uid:
            guard let bytes = Hexadecimal.decode(value), bytes.count == TagMemory.uidLength else {
                throw refusal(.wrongUID, "a UID is \(2 * TagMemory.uidLength) hexadecimal digits")
            }
            uid = bytes
        case .version:
            guard Hexadecimal.decode(value) == chip?.version else {
                throw refusal(
                    .contradiction, "the version bytes do not match the chip \(chip?.name ?? "")")
            }
        case .signature: signature = try bytes(value, TagMemory.signatureLength)
        case .counter: counter = try number(value, atMost: TagMemory.maximumCounter)
        case .password: password = try bytes(value, Page.size)
        case .pack: pack = try bytes(value, TagMemory.packLength)
        case .failedPasswords:
            failedPasswords = Int(
                try number(value, atMost: UInt32(TagMemory.maximumFailedPasswords)))
        }
    }

    private mutating func takePage(_ text: Substring) throws(Type2Error) {
        if pages.isEmpty { try requireFields() }
        // No field may follow the first page.
        remaining = []
        let (name, value) = try split(text)
        let number = try bytes(name, 1)[0]
        guard number == pages.count else {
            throw number < pages.count
                ? refusal(.duplicatePage, "page \(hexadecimal(Int(number))) is given twice")
                : refusal(.missingPage, "page \(hexadecimal(pages.count)) is missing")
        }
        if let chip, !chip.contains(number) {
            throw refusal(.excessPage, "\(chip.name) has \(chip.pageCount) pages")
        }
        let page = try page(value)
        pages.append(page)
        // For a chip outside the table, the capability container in page 3 is all that is known.
        if chip == nil && number == 3 {
            chip = page.flatMap(Type2Chip.other(capability:))
            guard chip != nil else {
                throw refusal(
                    .unknownChip, "the capability container with the memory size is missing")
            }
        }
    }

    /// Requires the fields that come before the first page: a chip, a UID, and either all secrets
    /// or none.
    private func requireFields() throws(Type2Error) {
        var required: [TagDumpField] = [.chip, .uid]
        let secrets: [TagDumpField] = [.password, .pack, .failedPasswords]
        if secrets.contains(where: seen.contains) { required += secrets }
        for field in TagDumpField.allCases where required.contains(field) && !seen.contains(field) {
            throw refusal(.missingField, "the field \(field.rawValue) is missing")
        }
    }

    /// Parses a page; returns `nil` if the dump marks it as unread.
    private func page(_ text: Substring) throws(Type2Error) -> Page? {
        if text.utf8.elementsEqual(TagDump.unreadPage.utf8) { return nil }
        // Removes the spaces between the bytes; any other character there is not a digit and is
        // refused.
        var digits = Array(text.utf8)
        // Spaces are removed from back to front, so that the positions of the others stay valid.
        for position in [8, 5, 2]
        where position < digits.count && digits[position] == UInt8(ascii: " ") {
            digits.remove(at: position)
        }
        guard text.utf8.count == 3 * Page.size - 1,
            let bytes = Hexadecimal.decode(String(decoding: digits, as: UTF8.self)),
            let page = Page(bytes)
        else { throw refusal(.badValue, "a page is four bytes of two hexadecimal digits") }
        return page
    }

    private func bytes(_ text: Substring, _ count: Int) throws(Type2Error) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(text), bytes.count == count else {
            throw refusal(
                .badValue, "\(TagDump.shown(text)) is not \(2 * count) hexadecimal digits")
        }
        return bytes
    }

    /// A decimal number in its only valid form, without a sign or leading zeros.
    private func number(
        _ text: Substring, atMost limit: UInt32
    ) throws(Type2Error) -> UInt32 {
        guard let number = UInt32(text), number <= limit, "\(number)" == text else {
            throw refusal(.badValue, "\(TagDump.shown(text)) is not a number from 0 to \(limit)")
        }
        return number
    }

    private func hexadecimal(_ page: Int) -> String {
        Hexadecimal.encode([UInt8(truncatingIfNeeded: page)])
    }

    private func refusal(_ kind: Type2Error.Kind, _ reason: String) -> Type2Error {
        Type2Error(kind, "line \(line): \(reason)")
    }
}
