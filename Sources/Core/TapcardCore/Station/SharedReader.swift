import BlockingLane
package import Tags
import TapcardDomain

/// A reader that only one operation can use at a time. If two operations took turns selecting tags,
/// each could write to the other's tag. So the second operation gets a stand-in that reports the
/// reader as busy, even if its caller expected the reader to be free.
package final class SharedReader: Sendable {
    private let reader: any TagReader
    private let isTaken = Guarded(false)

    package init(_ reader: any TagReader) { self.reader = reader }

    /// Runs the body with the reader or, if another operation is using the reader, with a stand-in.
    package func use<Result>(_ body: (any TagReader) async -> Result) async -> Result {
        guard take() else { return await body(TakenReader()) }
        defer { isTaken.withLock { $0 = false } }
        return await body(reader)
    }

    private func take() -> Bool {
        isTaken.withLock { isTaken in
            if SafetyRule.oneOperationAtTheReader.isDisabled { return true }
            if isTaken { return false }
            isTaken = true
            return true
        }
    }
}

/// A stand-in for a reader that another operation is using.
package struct TakenReader: TagReader {
    package let name = "the till's reader"
    package let maximumAnswerLength = 0

    package init() {}

    package func select(within limit: Duration) throws(ReaderError) -> TagIdentity {
        throw ReaderError(.busy)
    }

    package func exchange(_ frame: [UInt8]) throws(ReaderError) -> [UInt8] {
        throw ReaderError(.busy)
    }

    package func exchange(command: [UInt8]) throws(ReaderError) -> [UInt8] {
        throw ReaderError(.busy)
    }

    package func release() {}
}
