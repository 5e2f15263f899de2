import BlockingLane
public import Ledger
import OperatingSystem

extension SQLiteLedger {
    /// Retires a ledger by renaming it while no program has it open, and returns the new name. If
    /// an earlier call has already renamed it, returns the name that was chosen then.
    public static func setAside(_ path: String) async throws(LedgerError) -> String {
        guard LedgerFolder.followingLinks(path) == path, !LedgerFolder.isLink(path) else {
            throw LedgerError(.unavailable, "\(path) is a symbolic link; specify the file itself")
        }
        return try await Doorway(BlockingLane(label: "tapcard.aside")).run {
            () throws(LedgerError) in
            try LedgerFile(path: path).setAside()
        }
    }
}

extension LedgerFile {
    private static let mark = ".moved-"

    fileprivate func setAside() throws(LedgerError) -> String {
        guard LedgerFolder.contains(path) else {
            let (folder, name) = LedgerFolder.split(path)
            let names = (try? DurableFile.names(in: folder)) ?? []
            let earlier =
                names
                .filter { file in
                    // The names of its journal and its other files have a suffix after the digits.
                    file.hasPrefix(name + LedgerFile.mark)
                        && file.dropFirst(name.count + LedgerFile.mark.count)
                            .allSatisfy { ("0"..."9").contains($0) }
                }
            // If there are several, it is unclear which one is this ledger.
            guard earlier.count == 1 else {
                throw LedgerError(.unavailable, "\(path) is missing")
            }
            return "\(folder)/\(earlier[0])"
        }
        try requireOneName()
        let hold = try LedgerHold(path, .replacing)
        defer { withExtendedLifetime(hold) {} }
        // The last program to close a ledger moves the journal's rows into it, so the ledger is
        // opened and closed here.
        do {
            let connection = try Connection(path: path, .readWrite)
            guard !connection.isReadOnly else { throw LedgerError.readOnly(path, "(by this user)") }
            _ = try inspect(connection, in: nil)
        }
        // A journal that still has rows belongs to a program that has the ledger open.
        guard LedgerFolder.size(of: path + "-wal") == 0 else {
            throw LedgerError.locked(path, "(it is in use)")
        }
        // A random number makes it very unlikely that the name is already taken.
        let name = path + LedgerFile.mark + String(UInt32.random(in: 0...UInt32.max))
        try LedgerFolder.rename(path, name)
        return name
    }
}
