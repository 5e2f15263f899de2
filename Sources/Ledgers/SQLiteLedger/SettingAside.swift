import BlockingLane
public import Ledger

extension SQLiteLedger {
    /// Takes a ledger out of use: gives it another name while no program has it open, and returns
    /// that name. A ledger that was taken out of use before has the name already.
    public static func setAside(_ path: String) async throws(LedgerError) -> String {
        try await Doorway(BlockingLane(label: "tapcard.aside")).run { () throws(LedgerError) in
            try LedgerFile(path: path).setAside()
        }
    }
}

extension LedgerFile {
    private static let mark = ".moved-"

    fileprivate func setAside() throws(LedgerError) -> String {
        guard LedgerFolder.contains(path) else {
            let (folder, name) = LedgerFolder.split(path)
            let earlier = LedgerFolder.names(in: folder)
                .filter { $0.hasPrefix(name + LedgerFile.mark) && !$0.hasSuffix("-wal") }
            guard earlier.count == 1 else {
                throw LedgerError(.unavailable, "there is no ledger at \(path)")
            }
            return "\(folder)/\(earlier[0])"
        }
        let hold = try LedgerHold(path, .replacing)
        defer { withExtendedLifetime(hold) {} }
        // The last program that closes a ledger writes the rows of its journal into it.
        do {
            let connection = try Connection(path: path, .readWrite)
            guard !connection.isReadOnly else { throw LedgerError.readOnly(path, "(by this user)") }
            _ = try inspect(connection, in: nil)
        }
        guard LedgerFolder.size(of: path + "-wal") == 0 else {
            throw LedgerError.locked(path, "(it is in use)")
        }
        let name = path + LedgerFile.mark + String(UInt32.random(in: 0...UInt32.max))
        try LedgerFolder.link(path, name)
        try LedgerFolder.remove(path)
        return name
    }
}
