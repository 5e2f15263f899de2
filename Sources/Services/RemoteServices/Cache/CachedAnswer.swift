import TapcardDomain
import TextCodecs

/// The last good answer to a request.
struct CachedAnswer: Sendable {
    let url: String
    /// When the service last confirmed the answer, according to this machine's clock.
    var confirmed: Timestamp
    /// The service's name for this version of the answer, if the service sent one.
    let etag: String?
    let body: [UInt8]
}

extension CachedAnswer {
    private static let newline = UInt8(ascii: "\n")

    /// The content of the file: a line of JSON, and the body as received. The checksum covers both.
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

    /// `nil` for a damaged file. The body is not checked here; its parser does that.
    init?(parsing bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: CachedAnswer.newline),
            let about = try? JSONValue.parsing(Array(bytes[..<end])),
            let url = about["url"]?.string,
            let confirmed = about["confirmed"]?.numberText.flatMap({ Int64($0) })
        else { return nil }
        self.init(
            url: url, confirmed: Timestamp(milliseconds: confirmed), etag: about["etag"]?.string,
            body: Array(bytes[(end + 1)...]))
        // Without the checksum, a changed digit would go unnoticed, and prizes are paid according
        // to this answer.
        guard self.bytes == bytes else { return nil }
    }
}
