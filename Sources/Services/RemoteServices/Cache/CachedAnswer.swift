import TapcardDomain
import TextCodecs

/// The last good answer to a request.
struct CachedAnswer: Sendable {
    let url: String
    /// When the service last confirmed it, according to our clock.
    var confirmed: Timestamp
    /// The service's name for this version, if it provided one.
    let etag: String?
    let body: [UInt8]
}

extension CachedAnswer {
    private static let newline = UInt8(ascii: "\n")

    /// A line of JSON, and the body as received.
    var bytes: [UInt8] {
        line(sum: Checksum.of(line(sum: "") + body)) + [CachedAnswer.newline] + body
    }

    private func line(sum: String) -> [UInt8] {
        let about: JSONValue = [
            "url": .string(url), "confirmed": .number(String(confirmed.milliseconds)),
            "etag": etag.map { .string($0) } ?? .null, "sum": .string(sum),
        ]
        return Array(about.text.utf8)
    }

    /// `nil` for a damaged file. Whether the body is any good is for its parser to say.
    init?(parsing bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: CachedAnswer.newline),
            let about = try? JSONValue.parsing(Array(bytes[..<end])),
            let url = about["url"]?.string,
            let confirmed = about["confirmed"]?.numberText.flatMap({ Int64($0) })
        else { return nil }
        self.init(
            url: url, confirmed: Timestamp(milliseconds: confirmed), etag: about["etag"]?.string,
            body: Array(bytes[(end + 1)...]))
        // A changed digit would get past the parser, and prizes are booked from this list.
        guard self.bytes == bytes else { return nil }
    }
}
