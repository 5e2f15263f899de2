import CSQLite
import Glibc
import Ledger

extension LedgerError {
    /// Translates SQLite's result code into a ledger error, including a remedy.
    init(sqlite code: Int32, _ message: String? = nil, systemError: Int32, path: String) {
        let message = unsafe message ?? String(cString: sqlite3_errstr(code))
        let cause = "(\(message))"
        // The lowest byte is the primary code; the other bytes refine it.
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            self = .locked(path, cause)
        case SQLITE_FULL:
            self = .full(path, cause)
        case SQLITE_READONLY, SQLITE_PERM:
            self = .readOnly(path, cause)
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            // The system's error code explains better than SQLite's why the file cannot be used.
            self = LedgerError(systemError: systemError, path: path, cause)
        case SQLITE_CONSTRAINT:
            self.init(
                .corrupt,
                "\(path) refused a change that would break a ledger rule \(cause), and nothing was "
                    + "changed; run `tapcard audit`")
        case SQLITE_NOMEM, SQLITE_TOOBIG, SQLITE_INTERRUPT:
            self = .unavailable(path, cause)
        default:
            self = .corrupt(path, message)
        }
    }

    /// Translates a failed system call into a ledger error.
    init(systemError: Int32, path: String, _ cause: String? = nil) {
        let cause = cause ?? "(\(unsafe String(cString: strerror(systemError))))"
        switch systemError {
        case ENOSPC, EDQUOT: self = .full(path, cause)
        case EACCES, EPERM, EROFS: self = .readOnly(path, cause)
        // SQLite also reports ENOENT if it cannot create a file next to the ledger.
        case ENOENT where LedgerFolder.contains(path): self = .unavailable(path, cause)
        case ENOENT, ENOTDIR:
            self.init(
                .unavailable,
                "\(path) or its folder is missing; create the folder or specify another ledger")
        default: self = .unavailable(path, cause)
        }
    }

    static func locked(_ path: String, _ cause: String) -> LedgerError {
        LedgerError(
            .locked,
            "\(path) is locked by another program \(cause); try again when it is free"
        )
    }

    static func full(_ path: String, _ cause: String) -> LedgerError {
        LedgerError(
            .full, "\(path) has no space left on its disk \(cause); free up some space")
    }

    static func readOnly(_ path: String, _ cause: String) -> LedgerError {
        LedgerError(
            .readOnly,
            "\(path) cannot be written to \(cause); give this user write access to the file and "
                + "its folder")
    }

    static func unavailable(
        _ path: String, _ cause: String, advice: String = "check its disk and try again"
    ) -> LedgerError {
        LedgerError(
            .unavailable, "\(path) cannot be used \(cause); \(advice)")
    }

    static func corrupt(_ path: String, _ cause: String) -> LedgerError {
        LedgerError(
            .corrupt,
            "\(path) is damaged (\(cause)); restore it with `tapcard restore-backup`")
    }
}
