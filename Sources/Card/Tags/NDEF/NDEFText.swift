/// A Text record: human-readable text and its language.
package struct NDEFText: Hashable, Sendable {
    /// The encoding of the text.
    package enum Encoding: Hashable, Sendable {
        case utf8
        /// Written most significant byte first, and without a byte order mark unless the text
        /// begins with a character that could be mistaken for one.
        case utf16
    }

    /// The maximum number of bytes in a language tag: the length is stored in six bits of the
    /// status byte.
    package static let maximumLanguageByteCount = 63

    static let typeName = "T"
    private static let utf16Bit: UInt8 = 0x80
    private static let reservedBit: UInt8 = 0x40

    /// A language tag such as `en` or `zh-Hans`.
    package let language: String
    package var text: String
    package var encoding: Encoding

    /// Creates a text record. A language tag that is longer than 63 bytes or contains non-ASCII
    /// characters is a programming error.
    package init(language: String, text: String, encoding: Encoding = .utf8) {
        precondition(
            Self.isLanguage(language),
            "a language tag is at most \(Self.maximumLanguageByteCount) ASCII characters")
        self.language = language
        self.text = text
        self.encoding = encoding
    }

    /// Returns whether a text record can store this language tag.
    package static func isLanguage(_ tag: String) -> Bool {
        tag.utf8.count <= maximumLanguageByteCount && tag.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Reads a Text record. Accepts UTF-16 with either byte order mark; without a mark, reads it as
    /// big-endian.
    package init(_ record: NDEFRecord) throws(NDEFError) {
        guard record.isWellKnown(Self.typeName) else {
            throw NDEFError(.badType, "a record other than a text record")
        }
        guard let status = record.payload.first else {
            throw NDEFError(.badText, "a record without a status byte")
        }
        guard status & Self.reservedBit == 0 else {
            throw NDEFError(.badText, "the reserved bit of the status byte is set")
        }
        // The length is in the low six bits of the status byte, so the mask is also the maximum
        // length.
        let languageCount = Int(status & UInt8(Self.maximumLanguageByteCount))
        let content = record.payload.dropFirst()
        guard languageCount <= content.count else {
            throw NDEFError(.badText, "the language is longer than the payload")
        }
        guard
            let language = String(validating: content.prefix(languageCount), as: Unicode.ASCII.self)
        else { throw NDEFError(.badText, "the language is not ASCII") }
        let encoding: Encoding = status & Self.utf16Bit == 0 ? .utf8 : .utf16
        guard let text = Self.text(of: content.dropFirst(languageCount), in: encoding) else {
            throw NDEFError(.badText, "the text is not valid in its encoding")
        }
        self.init(language: language, text: text, encoding: encoding)
    }

    /// This text as a record.
    package var record: NDEFRecord {
        var status = UInt8(truncatingIfNeeded: language.utf8.count)
        if encoding == .utf16 { status |= Self.utf16Bit }
        var payload = [status] + Array(language.utf8)
        switch encoding {
        case .utf8:
            payload += text.utf8
        case .utf16:
            let marks: [UInt16] = [0xFEFF, 0xFFFE]
            // Without our own mark, a reader would mistake the text's first character for one.
            if let first = text.utf16.first, marks.contains(first) { payload += [0xFE, 0xFF] }
            payload += text.utf16.flatMap { unit in
                [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
            }
        }
        return NDEFRecord(format: .wellKnown, type: Array(Self.typeName.utf8), payload: payload)
    }

    private static func text(of bytes: ArraySlice<UInt8>, in encoding: Encoding) -> String? {
        switch encoding {
        case .utf8:
            return String(validating: bytes, as: UTF8.self)
        case .utf16:
            guard bytes.count.isMultiple(of: 2) else { return nil }
            let isSwapped = bytes.starts(with: [0xFF, 0xFE])
            // Without a mark, the most significant byte comes first (NFC Forum Text RTD).
            let hasMark = isSwapped || bytes.starts(with: [0xFE, 0xFF])
            let content = Array(bytes.dropFirst(hasMark ? 2 : 0))
            let units = stride(from: 0, to: content.count, by: 2).map { index in
                let unit = UInt16(content[index]) << 8 | UInt16(content[index + 1])
                return isSwapped ? unit.byteSwapped : unit
            }
            return String(validating: units, as: UTF16.self)
        }
    }
}
