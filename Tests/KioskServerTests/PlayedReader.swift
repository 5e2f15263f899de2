import SimulatedField
import SimulatedReader
import TagReading
import Type2Tag

/// A reader with tags in memory which waits for them as a real one does, and whose cable and writing
/// are in a test's hand.
actor PlayedReader: TagReader {
    private static let pause = Duration.milliseconds(1)
    private static let write: UInt8 = 0xA2

    private let inside = SimulatedReader(.fresh)
    private var isPlugged = true
    private var holdsWrites = false

    nonisolated let name = "played reader"
    nonisolated let longestAnswer = SimulatedReader.answerLimit

    func put() async throws {
        try await inside.change { world in world.put([world.tags[0].uid]) }
    }

    func take() async throws { try await inside.change { world in world.take() } }
    func plug(_ isPlugged: Bool) { self.isPlugged = isPlugged }
    func holdWrites(_ holdsWrites: Bool) { self.holdsWrites = holdsWrites }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let end = ContinuousClock.now.advanced(by: limit)
        while true {
            do throws(ReaderError) {
                guard isPlugged else { throw ReaderError(.noReader) }
                return try await inside.select(within: .zero)
            } catch {
                if Task.isCancelled { throw ReaderError(.cancelled) }
                let isWaiting = error.kind == .noTag && ContinuousClock.now < end
                do { try await Task.sleep(for: Self.pause) } catch {
                    throw ReaderError(.cancelled)
                }
                guard isWaiting else { throw error }
            }
        }
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        while frame.first == Self.write, holdsWrites {
            // A card that is being written is not left alone, whoever has gone.
            await Task.detached { try? await Task.sleep(for: Self.pause) }.value
        }
        return try await inside.exchange(frame)
    }

    func release() async { await inside.release() }
}
