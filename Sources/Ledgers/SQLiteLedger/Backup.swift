import Ledger
import TapcardDomain

extension Connection {
    /// Copies a ledger in use to a new file. The ledger and the copy are both checked completely
    /// before the copy gets its name, so that a damaged ledger never becomes a backup that seems
    /// intact.
    func backUp(to destination: String) throws(LedgerError) {
        try check()
        let destination = LedgerFile(path: destination).path
        let draft = try TemporaryFile.create(beside: destination)
        try copy(to: draft.path)
        try Connection(path: draft.path, .readOnly).check()
        try draft.place(at: destination)
    }

    /// Copies one consistent state into an empty file.
    func copy(to destination: String) throws(LedgerError) {
        try translating(run("VACUUM INTO ?", [.text(destination)])) { (error: LedgerError) in
            LedgerError(error.kind, "the backup to \(destination) failed: \(error.detail)")
        }
    }
}
