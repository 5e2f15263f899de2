import TagReading
import Type2Tag

/// A tag that acknowledges a WRITE and keeps something else: worn out, or a bad copy of a chip.
actor ForgetfulTag: TagReader {
    nonisolated let name = "reader with a forgetful tag"
    private let reader: any TagReader
    private let forgets: @Sendable (_ write: Int, _ page: UInt8) -> Bool
    private(set) var writeCount = 0

    /// `forgets` says which WRITEs do not last, by their number from 1 and their page.
    init(
        _ reader: any TagReader, forgets: @escaping @Sendable (_ write: Int, _ page: UInt8) -> Bool
    ) {
        self.reader = reader
        self.forgets = forgets
    }

    var longestAnswer: Int { get async { await reader.longestAnswer } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard case .write(let page, _)? = try? Type2Command(frame: frame) else {
            return try await reader.exchange(frame)
        }
        writeCount += 1
        guard forgets(writeCount, page) else { return try await reader.exchange(frame) }
        return try await reader.exchange(Type2Command.write(page, .zero).frame)
    }

    func release() async { await reader.release() }
}
