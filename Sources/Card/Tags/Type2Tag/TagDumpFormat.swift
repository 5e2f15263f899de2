extension TagDump {
    /// The file format of a dump.
    public enum Format: String, CaseIterable, Sendable {
        /// tapcard's own format, the only one that can represent everything in a dump.
        case text
        /// The `.nfc` file of a Flipper Zero.
        case flipper
        /// The JSON file of a Proxmark3.
        case proxmark
        /// Only the bytes of the pages, as in nfc-mfultralight's files (.mfd). This format is read,
        /// but never written.
        case raw

        /// The formats in which a dump can be written.
        public static let allCases = [Format.text, .flipper, .proxmark]
    }

    /// Reads a file in any format, and returns the format along with the dump. Windows line endings
    /// are accepted.
    public static func reading(
        _ file: [UInt8]
    ) throws(Type2Error) -> (dump: TagDump, format: Format) {
        guard file.count <= TagDump.maximumTextBytes else {
            throw Type2Error(
                .tooLong,
                "the file has \(file.count) bytes, which is more than any dump has "
                    + "(\(TagDump.maximumTextBytes))")
        }
        // The raw format is tried first, because the others are text, and text has no zero bytes.
        if let dump = try RawDump.parsing(file) { return (dump, .raw) }
        if let offset = file.firstIndex(of: 0) {
            throw Type2Error(
                .badSyntax,
                "byte \(offset) is zero, so this is not text; a raw dump must have the chip's size "
                    + "(\(RawDump.lengths)), not \(file.count)")
        }
        let text = String(decoding: TagDump.withUnixLineEndings(file), as: UTF8.self)
        if text.hasPrefix(FlipperDump.firstField + TagDump.separator) {
            return (try FlipperDump.parsing(text), .flipper)
        }
        // JSON may begin with whitespace.
        if text.first(where: { !$0.isWhitespace }) == "{" {
            return (try ProxmarkDump.parsing(text), .proxmark)
        }
        guard text.hasPrefix(TagDump.firstLine) else {
            throw Type2Error(
                .unknownVersion,
                "the first line is neither tapcard's \"\(TagDump.firstLine)\" nor that of a "
                    + "Flipper or Proxmark3 file")
        }
        return (try TagDump(parsing: text), .text)
    }

    /// The dump in this format. Throws if the format cannot represent all of it.
    public func written(as format: Format) throws(Type2Error) -> String {
        switch format {
        case .text: text
        case .flipper: try FlipperDump.text(of: self)
        case .proxmark: try ProxmarkDump.text(of: self)
        case .raw: throw Type2Error(.inexpressible, "the bytes of a raw dump as text")
        }
    }

    /// A word from the file, safe to display: without control characters and limited in length.
    static func shown(_ word: some StringProtocol) -> String {
        let maximumShown = 40
        let end = word.unicodeScalars.count > maximumShown ? "..." : ""
        return "\""
            + word.unicodeScalars.prefix(maximumShown).map { $0.escaped(asASCII: true) }.joined()
            + end + "\""
    }

    private static func withUnixLineEndings(_ file: [UInt8]) -> [UInt8] {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        // The extra zero gives the last byte a partner; otherwise, `zip` would drop that byte.
        return zip(file, file.dropFirst() + [0])
            // A carriage return is dropped only before a line feed.
            .filter { $0 != carriageReturn || $1 != lineFeed }.map(\.0)
    }
}
