package import TapcardDomain
import TextCodecs

/// A cached answer, with the header lines that determine its lifetime.
package struct CacheEntry: Hashable, Sendable {
    package let url: String
    /// The times of the request and of the answer, by our clock.
    package let requested: Timestamp
    package let received: Timestamp
    package let head: HTTPHead
    package let body: [UInt8]

    static let keptLines: Set = [
        "etag", "last-modified", "cache-control", "date", "expires", "age", "vary",
    ]

    /// Keeps only the header lines that are needed later.
    package init(
        url: String, requested: Timestamp, received: Timestamp, head: HTTPHead, body: [UInt8]
    ) {
        (self.url, self.requested, self.received) = (url, requested, received)
        (self.head, self.body) = (head.keeping(CacheEntry.keptLines), body)
    }

    package var policy: CachePolicy { CachePolicy(head) }

    /// This body after the service confirmed that it has not changed, with the age and lifetime
    /// from the newer head.
    func renewed(requested: Timestamp, received: Timestamp, by newer: HTTPHead) -> CacheEntry {
        CacheEntry(
            url: url, requested: requested, received: received,
            head: head.updated(with: newer, dropping: ["age", "date"]), body: body)
    }

    /// The headers that request an answer only if it differs from this one.
    var conditions: [HTTPHeader] {
        let tag = head["etag"].flatMap { HTTPHeader("If-None-Match", $0) }
        let time = head["last-modified"].flatMap { HTTPHeader("If-Modified-Since", $0) }
        return [tag, time].compactMap { $0 }
    }
}

/// The reason why a cache file is unusable.
package enum CacheDamage: Error, Hashable, Sendable {
    /// The file is not an entry, or comes from another version of tapcard.
    case foreign
    /// The file is too short, or one of its bytes has changed.
    case torn
    case ofAnotherAddress
    /// The file cannot be read.
    case unreadable(String)

    package var words: String {
        switch self {
        case .foreign: "it is not of this version of tapcard's making"
        case .torn: "it is torn or changed"
        case .ofAnotherAddress: "it belongs to another address"
        case .unreadable(let why): why
        }
    }
}

extension CacheEntry {
    // A line with a checksum of everything after it; a line of JSON; the body as received.
    private static let magic = "tapcard cache 1 "
    private static let newline = UInt8(ascii: "\n")

    package var bytes: [UInt8] {
        let lines = head.lines.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        let about: JSONValue = [
            "url": .string(url), "requested": .number(String(requested.milliseconds)),
            "received": .number(String(received.milliseconds)), "head": .array(lines),
        ]
        let rest = Array(about.text.utf8) + [CacheEntry.newline] + body
        return Array("\(CacheEntry.magic)\(Checksum.of(rest))\n".utf8) + rest
    }

    /// Reads the output of `bytes`, and nothing else.
    package init(parsing bytes: [UInt8]) throws(CacheDamage) {
        let magic = Array(CacheEntry.magic.utf8)
        let start = magic.count + Checksum.digits + 1
        guard bytes.count >= magic.count else { throw .torn }
        guard bytes.starts(with: magic) else { throw .foreign }
        guard bytes.count >= start, bytes[start - 1] == CacheEntry.newline else { throw .torn }
        let rest = bytes[start...]
        let checksum = String(decoding: bytes[magic.count..<(start - 1)], as: UTF8.self)
        guard Checksum.of(rest) == checksum,
            let end = rest.firstIndex(of: CacheEntry.newline),
            let about = try? JSONValue.parsing(Array(rest[..<end])),
            let url = about["url"]?.string,
            let requested = about["requested"]?.numberText.flatMap({ Int64($0) }),
            let received = about["received"]?.numberText.flatMap({ Int64($0) }),
            let lines = about["head"]?.array
        else { throw .torn }
        var head = HTTPHead()
        for line in lines {
            guard let pair = line.array, pair.count == 2, let name = pair[0].string,
                let value = pair[1].string
            else { throw .torn }
            head.take(Array("\(name): \(value)".utf8))
        }
        self.init(
            url: url, requested: Timestamp(milliseconds: requested),
            received: Timestamp(milliseconds: received), head: head,
            body: Array(rest[(end + 1)...]))
        // Any other encoding of the same entry was not written by tapcard.
        guard self.bytes == bytes else { throw .torn }
    }
}
