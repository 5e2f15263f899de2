import TagReading

/// Stands for the reader in what is carried out beside the one operation that has it.
struct TakenReader: TagReader {
    let name = "the counter's reader"
    let longestAnswer = 0

    func select(within limit: Duration) throws(ReaderError) -> TagIdentity {
        throw ReaderError(.busy)
    }

    func exchange(_ frame: [UInt8]) throws(ReaderError) -> [UInt8] { throw ReaderError(.busy) }
    func release() {}
}
