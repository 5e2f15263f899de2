import BlockingLane
import Tags
import TapcardCore

/// The rule that no operation uses a reader while another waits there for its card.
enum Crowding {
    /// Whether a second operation is kept away from the reader.
    static func isPrevented() async -> Bool {
        let field = Field()
        let shared = SharedReader(field)
        field.meanwhile { await shared.use { _ = try? await $0.select(within: .zero) } }
        await shared.use { _ = try? await $0.select(within: .zero) }
        return field.mostSelecting == 1
    }

    /// A reader without a tag that counts how many operations select on it at once.
    private final class Field: TagReader {
        let name = "a field"
        let maximumAnswerLength = 0
        private let selecting = Guarded(0)
        private let most = Guarded(0)
        private let event = Guarded<(@Sendable () async -> Void)?>(nil)

        var mostSelecting: Int { most.withLock { $0 } }

        /// Sets what happens while the first operation selects.
        func meanwhile(_ body: @escaping @Sendable () async -> Void) {
            event.withLock { $0 = body }
        }

        func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
            let now = selecting.withLock { count in
                count += 1
                return count
            }
            most.withLock { $0 = max($0, now) }
            defer { selecting.withLock { $0 -= 1 } }
            let event = event.withLock { event in
                defer { event = nil }
                return event
            }
            await event?()
            throw ReaderError(.noTag)
        }

        func exchange(_ frame: [UInt8]) throws(ReaderError) -> [UInt8] { throw ReaderError(.noTag) }
        func exchange(command: [UInt8]) throws(ReaderError) -> [UInt8] {
            throw ReaderError(.noTag)
        }
        func release() {}
    }
}
