import BlockingLane
public import Tags

/// Whichever reader is currently plugged in. If the reader is unplugged, the next selection looks
/// for a reader again, and may find a different one.
public actor PersistentReader: TagReader {
    private let find: @Sendable () async throws(ReaderError) -> any TagReader
    private let waitForChange: @Sendable (Duration) async -> Void
    private var reader: (any TagReader)?
    private var isKnownToBeMissing = false
    private nonisolated let lane = BlockingLane(label: "tapcard.persistent-reader")

    /// `find` opens the requested reader. `waitForChange` returns when a device has been plugged in
    /// or time runs out, so it determines how often a missing reader is searched for.
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
    public var maximumAnswerLength: Int { get async { await reader?.maximumAnswerLength ?? 0 } }

    /// Selects a tag. If the reader is missing, the first selection reports that immediately; later
    /// selections wait for a reader as they would for a tag.
    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        if reader == nil, isKnownToBeMissing {
            await waitForChange(limit)
            if Task.isCancelled { throw ReaderError(.cancelled) }
        }
        return try await dropOnLoss { reader throws(ReaderError) in
            // The time spent finding a reader counts toward the limit.
            try await reader.select(within: max(.zero, clock.now.duration(to: end)))
        }
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        // A missing reader is not opened here, because the frame could then reach a different tag.
        guard reader != nil else { throw ReaderError(.tagLost, "no tag is selected") }
        return try await dropOnLoss { reader throws(ReaderError) in
            try await reader.exchange(frame)
        }
    }

    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard reader != nil else { throw ReaderError(.tagLost, "no tag is selected") }
        return try await dropOnLoss { reader throws(ReaderError) in
            try await reader.exchange(command: command)
        }
    }

    public func exchange(_ batch: [BatchItem]) async -> BatchReport {
        guard let reader else {
            return BatchReport(failure: ReaderError(.tagLost, "no tag is selected"))
        }
        let report = await reader.exchange(batch)
        if let failure = report.failure { await drop(after: failure) }
        return report
    }

    public func release() async { await release(signaling: nil) }

    public func release(signaling signal: TagSignal?) async {
        await reader?.release(signaling: signal)
    }

    private func dropOnLoss<Success: Sendable>(
        _ body: (any TagReader) async throws(ReaderError) -> Success
    ) async throws(ReaderError) -> Success {
        do throws(ReaderError) {
            let reader = if let reader { reader } else { try await find() }
            (self.reader, isKnownToBeMissing) = (reader, false)
            return try await body(reader)
        } catch {
            await drop(after: error)
            throw error
        }
    }

    private func drop(after error: ReaderError) async {
        switch error.kind {
        // These errors concern the reader, not the tag, so the next selection looks for a reader.
        case .noReader, .busy, .readerLost:
            await reader?.release()
            reader = nil
            isKnownToBeMissing = true
        default: break
        }
    }
}
