import TapcardCore

/// A reader of your own: it passes everything to another one, and counts the frames that write.
actor CountingReader<Inner: TagReader>: TagReader {
    private let inner: Inner
    private(set) var writes = 0

    init(_ inner: Inner) { self.inner = inner }

    var name: String { get async { "counting \(await inner.name)" } }
    var maximumAnswerLength: Int { get async { await inner.maximumAnswerLength } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await inner.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        // The command WRITE: one page of four bytes.
        if frame.first == 0xA2 { writes += 1 }
        return try await inner.exchange(frame)
    }

    func release() async { await inner.release() }
}
