import TapcardDomain
import TextCodecs

/// The last valid response to a request.
struct CachedAnswer: Sendable {
    let url: String
    /// When the service last confirmed the response, according to this machine's clock.
    var confirmed: Timestamp
    /// The ETag by which the service identifies this version of the response, if it sent one.
    let etag: String?
    let body: [UInt8]
}

extension CachedAnswer {
    private static let newline = UInt8(ascii: "\n")

    /// The contents of the file: a line of JSON, and the body as received. The line contains a
    /// checksum of both.
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

    /// Parses a file; `nil` if it is damaged. The body itself is parsed and checked elsewhere.
    init?(parsing bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: CachedAnswer.newline),
            let about = try? JSONValue.parsing(Array(bytes[..<end])),
            let url = about["url"]?.string,
            let confirmed = about["confirmed"]?.numberText.flatMap({ Int64($0) })
        else { return nil }
        self.init(
            url: url, confirmed: Timestamp(milliseconds: confirmed), etag: about["etag"]?.string,
            body: Array(bytes[(end + 1)...]))
        // This also compares the checksums. Without them, a changed digit would go unnoticed, and
        // prizes are paid according to this response.
        guard self.bytes == bytes else { return nil }
    }
}
