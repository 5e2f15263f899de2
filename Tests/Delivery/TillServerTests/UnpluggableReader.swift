import SimulatedReader
import Tags

/// A reader with tags in memory that waits for them as a real one does, and whose cable and writes
/// a test controls.
actor UnpluggableReader: TagReader {
    private static let pause = Duration.milliseconds(1)
    private static let write: UInt8 = 0xA2

    private let inside = SimulatedReader(.fresh)
    private var isPlugged = true
    private var holdsWrites = false
    private var holdsLooks = false
    private var comesWhenStopped = false
    private var selecting = 0
    /// The most callers that have waited for a card at once.
    private(set) var mostSelecting = 0

    nonisolated let name = "played reader"
    nonisolated let maximumAnswerLength = SimulatedReader.answerLimit

    func put() async throws {
        try await inside.change { world in world.put([world.tags[0].uid]) }
    }

    /// What lies on the reader, and what there is besides.
    var world: Simulation { get async throws { try await inside.change { $0 } } }

    /// Lays down what lay on another reader, or on this one earlier.
    func put(_ world: Simulation) async throws { try await inside.change { $0 = world } }

    func take() async throws { try await inside.change { world in world.take() } }
    func plug(_ isPlugged: Bool) { self.isPlugged = isPlugged }
    func holdWrites(_ holdsWrites: Bool) { self.holdsWrites = holdsWrites }
    /// Holds up the looks that do not wait for a card.
    func holdLooks(_ holdsLooks: Bool) { self.holdsLooks = holdsLooks }

    /// Lays the tag down at the moment the wait for it is canceled.
    func putWhenStopped() { comesWhenStopped = true }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        selecting += 1
        mostSelecting = max(mostSelecting, selecting)
        defer { selecting -= 1 }
        while limit == .zero, holdsLooks {
            await Task.detached { try? await Task.sleep(for: Self.pause) }.value
        }
        let end = ContinuousClock.now.advanced(by: limit)
        while true {
            do throws(ReaderError) {
                guard isPlugged else { throw ReaderError(.noReader) }
                return try await inside.select(within: .zero)
            } catch {
                if Task.isCancelled {
                    guard comesWhenStopped else { throw ReaderError(.cancelled) }
                    comesWhenStopped = false
                    try? await put()
                    continue
                }
                let isWaiting = error.kind == .noTag && ContinuousClock.now < end
                // When it is cancelled, that is seen in the next round.
                try? await Task.sleep(for: Self.pause)
                guard isWaiting || Task.isCancelled else { throw error }
            }
        }
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        while frame.first == Self.write, holdsWrites {
            // A card that is being written is not left alone, even if its client has gone.
            await Task.detached { try? await Task.sleep(for: Self.pause) }.value
        }
        return try await inside.exchange(frame)
    }

    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await inside.exchange(command: command)
    }

    func release() async { await inside.release() }
}
