public import TagReading

/// Passes everything on to another reader and keeps what went by.
public actor TracingReader: TagReader {
    /// One frame and what came back.
    public struct Exchange: Sendable, Hashable {
        public let frame: [UInt8]
        public let answer: [UInt8]?
        public let failure: ReaderError.Kind?
    }

    public nonisolated let name = "tracing reader"
    public private(set) var exchanges: [Exchange] = []
    public private(set) var selections = 0
    private let reader: any TagReader

    public init(_ reader: any TagReader) {
        self.reader = reader
    }

    public var longestAnswer: Int { get async { await reader.longestAnswer } }

    public func forget() {
        exchanges = []
        selections = 0
    }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        selections += 1
        return try await reader.select(within: limit)
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        do {
            let answer = try await reader.exchange(frame)
            exchanges.append(Exchange(frame: frame, answer: answer, failure: nil))
            return answer
        } catch {
            exchanges.append(Exchange(frame: frame, answer: nil, failure: error.kind))
            throw error
        }
    }

    public func release() async { await reader.release() }
}
