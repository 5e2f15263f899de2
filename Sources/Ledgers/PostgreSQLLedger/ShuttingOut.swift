import Ledger
import TapcardDomain

extension Link {
    /// Ends the station's sessions and disables its login. Otherwise, a stolen login could lock
    /// rows forever, even those that have to be updated to revoke the station. If the server
    /// refuses any of this, it also refuses the revocation that follows, which reports the reason.
    func disableLogin(_ name: StationName) throws(LedgerError) {
        let login = name.text.quotedName
        let exists = Selection(
            """
            SELECT count(*) FROM station JOIN pg_roles ON rolname = login
            WHERE login = $1 AND revoked_at IS NULL
            """, [.text(name.text)]
        ) { row throws(LedgerError) in try row.value(\.flag) }
        guard try rows(exists).first == true else { return }
        // Only a member of a login may end its sessions.
        guard changes([SQLStatement("GRANT \(login) TO CURRENT_USER")]) else { return }
        // A new session may block the statement again, so it is tried several times.
        let attempts = 3
        for _ in 0..<attempts {
            try endSessions(of: name)
            if changes([SQLStatement("ALTER ROLE \(login) NOLOGIN")]) { break }
        }
        // New sessions could begin until the login was disabled, so they are ended, too.
        try endSessions(of: name)
        _ = changes([SQLStatement("REVOKE \(login) FROM CURRENT_USER")])
    }

    /// The statements that delete what a station reported about its keys.
    static func forgettingKeys(of name: StationName) -> [SQLStatement] {
        [
            SQLStatement(
                "UPDATE station SET keys = NULL, keys_at = NULL WHERE login = $1",
                [.text(name.text)]),
            // A key that nothing uses is deleted, so that its ID is free for another key. If
            // another station has the key, too, that station reports it again.
            SQLStatement(
                """
                DELETE FROM key_mark USING station
                WHERE station.login = $1 AND key_mark.station = station.id
                    AND is_first IS NULL AND announced_at IS NULL AND turn IS NULL
                    AND NOT EXISTS (SELECT 1 FROM issued_record WHERE key_id = key_mark.id)
                    AND NOT EXISTS (SELECT 1 FROM card WHERE protection_key = key_mark.id)
                """, [.text(name.text)]),
        ]
    }

    private func endSessions(of name: StationName) throws(LedgerError) {
        let maxMilliseconds = 5_000
        _ = try rows(
            Selection(
                """
                SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE usename = $1
                """, [.text(name.text), .count(maxMilliseconds)]
            ) { row throws(LedgerError) in try row.value(\.flag) })
    }

    /// Whether the server executed the statements.
    private func changes(_ statements: [SQLStatement]) -> Bool {
        do throws(LedgerError) {
            try change(statements)
            return true
        } catch {
            // A refused transaction stays open until it is rolled back.
            if isOpen { _ = try? run([SQLStatement("ROLLBACK")]) }
            return false
        }
    }
}
