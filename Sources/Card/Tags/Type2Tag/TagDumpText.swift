import TextCodecs

/// The fields of a dump, in the order in which they are written and must be read.
enum TagDumpField: String, CaseIterable {
    case chip
    case uid
    case version
    case signature
    case counter
    case password
    case pack
    case failedPasswords = "failed-passwords"
}

extension TagDump {
    static let firstLine = "tapcard tag 1"
    static let commentMark = "#"
    static let pageMark = "page "
    static let separator = ": "
    static let unreadPage = "-- -- -- --"

    /// The dump as text, with a line ending after every line.
    public var text: String {
        let values: [(TagDumpField, String?)] = [
            (.chip, chip.name),
            (.uid, Hexadecimal.encode(uid)),
            (.version, chip.version.map { Hexadecimal.encode($0) }),
            (.signature, signature.map { Hexadecimal.encode($0) }),
            (.counter, counter.map { "\($0)" }),
            (.password, secrets.map { Hexadecimal.encode($0.password) }),
            (.pack, secrets.map { Hexadecimal.encode($0.pack) }),
            (.failedPasswords, secrets.map { "\($0.failedPasswords)" }),
        ]
        let fields = values.compactMap { field, value in
            value.map { field.rawValue + TagDump.separator + $0 }
        }
        let rows = zip(UInt8.min..., pages).map { number, page in
            TagDump.pageMark + Hexadecimal.encode([number]) + TagDump.separator
                + (page?.description ?? TagDump.unreadPage)
        }
        return ([TagDump.firstLine] + fields + rows).map { $0 + "\n" }.joined()
    }

    /// Reads the output of `text`, with or without comments. Every error gives the line and the
    /// reason.
    public init(parsing text: String) throws(Type2Error) {
        guard text.utf8.count <= TagDump.maximumTextBytes else {
            throw Type2Error(
                .tooLong, "line 1: \(text.utf8.count) bytes, more than \(TagDump.maximumTextBytes)")
        }
        var parser = TagDumpParser()
        var lines = text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // `split` returns an empty line after the last line ending.
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines { try parser.take(Substring(line)) }
        self = try parser.finish()
    }
}
