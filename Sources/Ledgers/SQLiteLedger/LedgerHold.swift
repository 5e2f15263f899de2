import Glibc
import Ledger

/// The right to have a ledger open, or to replace its file. It is held until the last reference is
/// gone, and the system releases it if the process dies.
///
/// SQLite's own locks are on the ledger's file and move away with it. This lock is on a hidden file
/// next to the ledger. Its name does not begin with the ledger's name, so that it is left in place
/// when the ledger's files are moved.
final class LedgerHold {
    /// The kind of hold.
    enum Kind {
        /// Shared by all users of the ledger.
        case using
        /// Exclusive: no other program uses the ledger.
        case replacing
    }

    private let descriptor: Int32

    /// Takes the hold immediately, or throws an error that says what the ledger is in use for.
    init(_ path: String, _ kind: Kind) throws(LedgerError) {
        let (folder, file) = LedgerFolder.split(path)
        let name = "\(folder)/.\(file).lock"
        // 0600: anyone who can open this file could hold the lock and block the ledger's owner.
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw LedgerError(systemError: errno, path: path) }
        self.descriptor = descriptor
        guard flock(descriptor, (kind == .using ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            // The initializer has set every property, so a throw runs deinit, which closes the
            // file.
            let error = errno
            guard error == EWOULDBLOCK else { throw LedgerError(systemError: error, path: path) }
            throw LedgerError.locked(
                path,
                kind == .using ? "(a restore is in progress)" : "(it is in use)")
        }
    }

    deinit { close(descriptor) }
}
