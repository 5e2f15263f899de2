import TagReading
import Type2Tag

/// A world's reader whose selections and frames fail as the test says, for once.
actor Unsteady: TagReader {
    nonisolated let name = "unsteady reader"
    nonisolated let longestAnswer = 250
    private let reader: any TagReader
    /// What the next selections meet; nil lets one through.
    private var selections: [ReaderError.Kind?] = []
    private var writeUntilLost: Int?
    private var isCarriedOut = false
    private(set) var isLost = false
    private var interlude: (@Sendable () async -> Void)?
    /// How long each selection was to wait.
    private(set) var limits: [Duration] = []

    init(_ reader: any TagReader) { self.reader = reader }

    func meet(_ selections: [ReaderError.Kind?]) { self.selections = selections }
    func loseReader(atWrite number: Int, carryingOut: Bool = false) {
        writeUntilLost = number
        isCarriedOut = carryingOut
    }

    func plugIn() { isLost = false }
    /// What happens before the next frame is exchanged.
    func beforeFrame(_ act: @escaping @Sendable () async -> Void) { interlude = act }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        limits.append(limit)
        if isLost { throw ReaderError(.noReader) }
        if !selections.isEmpty, let kind = selections.removeFirst() { throw ReaderError(kind) }
        return try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        if isLost { throw ReaderError(.readerLost) }
        if let act = interlude {
            interlude = nil
            await act()
        }
        if case .write? = try? Type2Command(frame: frame), let left = writeUntilLost {
            writeUntilLost = left > 1 ? left - 1 : nil
            if left == 1 {
                if isCarriedOut { _ = try await reader.exchange(frame) }
                isLost = true
                await reader.release()
                throw ReaderError(.readerLost, "unplugged")
            }
        }
        return try await reader.exchange(frame)
    }

    func release() async { await reader.release() }
}
