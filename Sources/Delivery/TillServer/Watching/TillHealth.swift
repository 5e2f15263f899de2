import TapcardCore
import TextCodecs
import Verbs

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
    /// The problem with the ledger; nil if there is none.
    let ledger: TapcardError?
    /// The state of the ledger's database; nil if the ledger is a file or the database is offline.
    let database: DatabaseReport?
    /// The receipt printer; null if none is set. Payments work without it.
    let printer: JSONValue

    /// The code of the error that keeps the ledger from recording payments or top-ups; nil if there
    /// is none.
    var ledgerError: String? { ledger?.kind.word ?? database?.problem }

    var status: Status {
        isClosing ? .closing : ledgerError != nil ? .noLedger : readerWorks ? .ok : .noReader
    }

    /// The reader, with device and file names only if `inFull` is true.
    func reader(inFull: Bool) -> JSONValue {
        if inFull { return reader }
        return ["state": reader["state"] ?? .null, "name": .null, "problem": .null]
    }
}
