import TextCodecs

/// The health of one till.
struct TillHealth: Sendable {
    /// The states, worst first.
    enum Status: String, Sendable, CaseIterable {
        case closing
        case noLedger = "no-ledger"
        case noReader = "no-reader"
        case ok

        /// The worst of these states.
        static func worst(of all: [Status]) -> Status {
            allCases.first { all.contains($0) } ?? .ok
        }
    }

    let isClosing: Bool
    /// The reader, with its name and any problem.
    let reader: JSONValue
    let readerWorks: Bool
    /// The receipt printer; null if none is set. Payments work without it.
    let printer: JSONValue

    /// The status, given whether the ledger can record payments and top-ups.
    func status(ledgerWorks: Bool) -> Status {
        isClosing ? .closing : !ledgerWorks ? .noLedger : readerWorks ? .ok : .noReader
    }

    /// The reader, with device and file names only if `inFull` is true.
    func reader(inFull: Bool) -> JSONValue {
        if inFull { return reader }
        return [
            "state": reader["state"] ?? .null, "name": .null, "problem": .null,
            "line": reader["line"] ?? .null,
        ]
    }
}
