import TagReading
import Type2Tag

/// A reader with a chip on it that does not know READ_SIG, as some copies of the NTAG21x.
struct UnsignedChip: TagReader {
    let reader: any TagReader

    var name: String { get async { await reader.name } }
    var longestAnswer: Int { get async { await reader.longestAnswer } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard frame == Type2Command.readSignature.frame else {
            return try await reader.exchange(frame)
        }
        // Whatever is no command makes the tag fall silent until it is selected again.
        _ = try? await reader.exchange([0xFF])
        throw ReaderError(.refused(NAK.invalidArgument))
    }

    func release() async { await reader.release() }
}
