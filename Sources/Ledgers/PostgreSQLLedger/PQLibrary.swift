import CPQ
import Ledger
import OperatingSystem

/// libpq, loaded when the first ledger in PostgreSQL is opened.
enum PQLibrary {
    private static let loaded: Result<tapcard_libpq, LibraryFault> = Result {
        () throws(LibraryFault) in
        try unsafe LoadableLibrary(name: "libpq", package: "libpq5")
            .load("libpq.so.5", tapcard_libpq(), tapcard_libpq_bind)
    }

    static func functions() throws(LedgerError) -> tapcard_libpq {
        switch loaded {
        case .success(let functions): return functions
        case .failure(let fault): throw LedgerError(.unavailable, fault.reason)
        }
    }
}
