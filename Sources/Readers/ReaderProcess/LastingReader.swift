import BlockingLane
public import TagReading

/// Whatever reader is plugged in now: one that was unplugged is looked for again at the next
/// selection, and may come back as another one.
public actor LastingReader: TagReader {
    private let find: @Sendable () async throws(ReaderError) -> any TagReader
    private let waitForChange: @Sendable (Duration) async -> Void
    private var reader: (any TagReader)?
    private var isKnownToBeMissing = false
    private nonisolated let lane = BlockingLane(label: "tapcard.lasting-reader")

    /// `find` opens the reader that is wanted. `waitForChange` returns when something was plugged
    /// in or the time is over: it paces the search for a reader that is not there.
    public init(
        find: @escaping @Sendable () async throws(ReaderError) -> any TagReader,
        waitForChange: @escaping @Sendable (Duration) async -> Void
    ) {
        self.find = find
        self.waitForChange = waitForChange
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    public var name: String { get async { await reader?.name ?? "no reader" } }
    public var longestAnswer: Int { get async { await reader?.longestAnswer ?? 0 } }

    /// Finds a reader if there is none yet.
    public func open() async throws(ReaderError) {
        if reader == nil { reader = try await find() }
        isKnownToBeMissing = false
    }

    /// Where a reader is missing, the first selection says so at once, and the next ones wait for
    /// one to be plugged in as they would wait for a tag.
    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        if reader == nil, isKnownToBeMissing {
            await waitForChange(limit)
            if Task.isCancelled { throw ReaderError(.cancelled) }
        }
        return try await whileThere { reader throws(ReaderError) in
            try await reader.select(within: max(.zero, clock.now.duration(to: end)))
        }
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard reader != nil else { throw ReaderError(.tagLost, "no tag is selected") }
        return try await whileThere { reader throws(ReaderError) in
            try await reader.exchange(frame)
        }
    }

    public func release() async { await reader?.release() }

    private func whileThere<Success: Sendable>(
        _ body: (any TagReader) async throws(ReaderError) -> Success
    ) async throws(ReaderError) -> Success {
        do throws(ReaderError) {
            try await open()
            guard let reader else { throw ReaderError(.noReader) }
            return try await body(reader)
        } catch {
            switch error.kind {
            case .noReader, .busy, .readerLost:
                await reader?.release()
                reader = nil
                isKnownToBeMissing = true
            default: break
            }
            throw error
        }
    }
}
