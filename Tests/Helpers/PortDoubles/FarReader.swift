import BlockingLane
package import Tags

/// A reader at the end of a line: every call is a round trip. The line can be lost while a batch is
/// carried out, so that nobody hears what became of it.
package final class FarReader: BatchReader {
    private struct State: Sendable {
        var trips = 0
        var batches: [Int] = []
        /// The batch whose report gets lost, counted from 1, and how much of it is carried out.
        var lost: (batch: Int, items: Int)?
        var isDown = false
    }

    package let name = "a far reader"
    private let reader: any TagReader
    private let state = Guarded(State())

    package init(_ reader: any TagReader) { self.reader = reader }

    package var maximumAnswerLength: Int { get async { await reader.maximumAnswerLength } }
    package var answerToSelect: [UInt8] { get async { await reader.answerToSelect } }
    /// The number of round trips.
    package var trips: Int { state.withLock { $0.trips } }
    /// The number of items in each batch.
    package var batches: [Int] { state.withLock { $0.batches } }
    package var isDown: Bool { state.withLock { $0.isDown } }

    /// Loses the line during a batch, after this many of its items were carried out.
    package func lose(batch: Int, after items: Int) {
        state.withLock { $0.lost = (batch, items) }
    }

    /// Mends the line.
    package func mend() { state.withLock { ($0.isDown, $0.lost) = (false, nil) } }

    private func requireLine() throws(ReaderError) {
        let isDown = state.withLock { state in
            state.trips += 1
            return state.isDown
        }
        if isDown { throw ReaderError(.noReader) }
    }

    package func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try requireLine()
        return try await reader.select(within: limit)
    }

    package func exchange(_ batch: [BatchItem]) async -> BatchReport {
        do throws(ReaderError) { try requireLine() } catch { return BatchReport(failure: error) }
        let lost = state.withLock { state in
            state.batches.append(batch.count)
            guard let lost = state.lost, lost.batch == state.batches.count else { return Int?.none }
            state.isDown = true
            return lost.items
        }
        guard let lost else { return await reader.exchange(batch) }
        _ = await reader.exchange(Array(batch.prefix(lost)))
        await reader.release()
        return BatchReport(failure: ReaderError(.readerLost))
    }

    /// Needs no round trip: the next command releases the tag.
    package func release() async {
        if !state.withLock({ $0.isDown }) { await reader.release() }
    }
}
