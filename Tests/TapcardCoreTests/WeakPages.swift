import TagReading
import Type2Tag

/// Passes everything on and remembers the pages whose WRITE was not acknowledged: they may read
/// right today, and have lost their bits tomorrow.
actor WeakPages: TagReader {
    nonisolated let name = "reader that remembers weak pages"
    private(set) var pages: Set<UInt8> = []
    private let reader: any TagReader

    init(_ reader: any TagReader) {
        self.reader = reader
    }

    var longestAnswer: Int { get async { await reader.longestAnswer } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard case .write(let page, _)? = try? Type2Command(frame: frame) else {
            return try await reader.exchange(frame)
        }
        pages.insert(page)
        let answer = try await reader.exchange(frame)
        pages.remove(page)
        return answer
    }

    func release() async { await reader.release() }
}

extension TagMemory {
    /// The tag when every weak page has lost its bits.
    func decayed(_ weak: Set<UInt8>) -> TagMemory {
        var memory = self
        for page in weak { memory[page] = .zero }
        return memory
    }
}
