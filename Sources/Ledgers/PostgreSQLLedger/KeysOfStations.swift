package import Ledger
import TapcardDomain

extension IssuerKeys {
    /// The query for the key that all stations seal with: the key of the latest rotation or, before
    /// the first rotation, the first station's key. It returns no row until there is a station.
    static let sealing = """
        SELECT id FROM key_mark WHERE turn IS NOT NULL OR is_first
        ORDER BY turn DESC NULLS LAST LIMIT 1
        """
}

extension PostgreSQLLedger {
    package func otherKeys(
        than keys: @autoclosure @Sendable () -> StationKeys
    ) async throws(LedgerError) -> Set<UInt8> {
        let (ledger, keys) = (try connected(), keys())
        // A key's mark never changes, so keys that were once reported without a conflict do not
        // have to be reported again.
        if reported == keys { return [] }
        let others = try ledger.report(keys)
        if others.isEmpty { reported = keys }
        return others
    }
}

extension OpenLedger {
    fileprivate func report(_ keys: StationKeys) throws(LedgerError) -> Set<UInt8> {
        var known = try link.knownKeys(at: opening.station)
        let new = keys.marks.filter { known.marks[$0.key] == nil }
        let mayWrite = opening.readOnlyReason == nil
        if mayWrite, !new.isEmpty {
            let first = keys.marks[keys.sealing].map { mark in
                firstKey(keys.sealing, mark)
            }
            let insertions = new.map { id, mark in
                SQLStatement(
                    "INSERT INTO key_mark (id, mark) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    [.integer(Int64(id)), .text(mark)])
            }
            try change([first].compactMap(\.self) + insertions)
            // Another station may have added its keys at the same time. The keys stored first
            // count.
            known = try link.knownKeys(at: opening.station)
        }
        // A read-only station does not report its own keys, but its conflicts are still found.
        let others = keys.marks.filter { id, mark in known.marks[id].map { $0 != mark } ?? false }
        let own = keys.usable.subtracting(others.keys).sorted().map { "\($0)" }
            .joined(separator: " ")
        // The keys are written only if they changed, because each commit waits for the replica.
        if mayWrite, opening.station > 0, known.ofStation != own { try change([storing(own)]) }
        return Set(others.keys)
    }

    /// Makes the first station's key the one that all stations seal with.
    private func firstKey(_ id: UInt8, _ mark: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO key_mark (id, mark, is_first) SELECT $1::smallint, $2, TRUE
            WHERE NOT EXISTS (SELECT 1 FROM retired_key WHERE id = $1::smallint)
            ON CONFLICT DO NOTHING
            """, [.integer(Int64(id)), .text(mark)])
    }

    private func storing(_ keys: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE station SET keys = $2,
                keys_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            WHERE id = $1
            """, [.integer(opening.station), .text(keys)])
    }

    private func change(_ statements: [SQLStatement]) throws(LedgerError) {
        do throws(LinkFailure) {
            try link.commit(
                [SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED"), Opening.terms] + statements)
        } catch {
            // The failed transaction is still open, so the link cannot be used for another one.
            link.close()
            throw LedgerError(error)
        }
    }
}

extension Link {
    /// The marks of all keys, and the keys that a station has reported as its own.
    fileprivate func knownKeys(
        at station: Int64
    ) throws(LedgerError) -> (marks: [UInt8: String], ofStation: String?) {
        // The station's own keys are added as a row without an ID, which saves a second query.
        let selection = Selection(
            """
            SELECT id, mark FROM key_mark
            UNION ALL SELECT NULL, keys FROM station WHERE station.id = $1
            """, [.integer(station)]
        ) { row throws(LedgerError) in
            (id: try row.optional(\.keyID), text: try row.optional(\.text))
        }
        var known: (marks: [UInt8: String], ofStation: String?) = ([:], nil)
        for row in try rows(selection) {
            if let id = row.id { known.marks[id] = row.text } else { known.ofStation = row.text }
        }
        return known
    }

    /// The ledger's keys, and the stations that have them.
    func issuerKeys() throws(LedgerError) -> IssuerKeys {
        let sealing = Selection(IssuerKeys.sealing) { row throws(LedgerError) in
            try row.value(\.keyID)
        }
        let announced = Selection(
            """
            SELECT id, mark, CASE WHEN turn IS NULL THEN announced_at END FROM key_mark
            """
        ) { row throws(LedgerError) in
            (id: try row.value(\.keyID), mark: try row.value(\.text), at: try row.optional(\.time))
        }
        let keys = try rows(announced)
        let next = keys.first { $0.at != nil }
        return IssuerKeys(
            sealing: try rows(sealing).first, next: next?.id, announcedAt: next?.at,
            marks: Dictionary(keys.map { ($0.id, $0.mark) }) { $1 },
            stations: try stations().filter { $0.revokedAt == nil })
    }

    func stations() throws(LedgerError) -> [RegisteredStation] {
        try rows(
            Selection(
                """
                SELECT id, login, registered_at, revoked_at, seen_at, keys_at, keys
                FROM station ORDER BY id
                """, of: "station"
            ) { row throws(LedgerError) in
                let (number, name) = (
                    try row.value { $0.integer.flatMap(Int.init(exactly:)) }, try row.value(\.text)
                )
                let (registered, revoked) = (try row.value(\.time), try row.optional(\.time))
                // The station wrote these values itself, so an unreadable value counts as missing
                // and affects only this station.
                let (seen, reported) = (try row.next(), try row.next())
                return RegisteredStation(
                    number: number, name: name, registeredAt: registered, revokedAt: revoked,
                    seenAt: seen.time, keys: try row.optional(\.keyIDs), keysAt: reported.time,
                    isDamaged: seen != .null && seen.time == nil
                        || reported != .null && reported.time == nil)
            })
    }
}

extension SQLValue {
    /// A station's keys in the form in which the station wrote them, such as "1 2".
    fileprivate var keyIDs: Set<UInt8>? {
        guard let parts = text?.split(separator: " ") else { return nil }
        let ids = parts.compactMap { UInt8($0) }
        return ids.count == parts.count ? Set(ids) : nil
    }
}

extension PostgreSQLDatabase {
    package func announce(_ key: UInt8, mark: String) async throws(LedgerError) {
        let announced = now()
        try await onLink { link throws(LedgerError) in
            try link.change(
                [
                    SQLStatement(
                        counting: """
                            INSERT INTO key_mark (id, mark, announced_at) VALUES ($1, $2, $3)
                            ON CONFLICT (id) DO UPDATE SET announced_at = $3
                            WHERE key_mark.mark = $2 AND key_mark.announced_at IS NULL
                                AND NOT EXISTS (SELECT 1 FROM retired_key WHERE id = key_mark.id)
                            """, [.integer(Int64(key)), .text(mark), .time(announced)])
                ],
                refusing: [
                    "22012":
                        "another server has a different key with number \(key); run the "
                        + "command again",
                    "23505":
                        "someone announced another key in the meantime; see `tapcard keys list`",
                    "42501": "only the ledger's owner can change the servers' sealing key",
                ])
        }
    }

    package func seal(
        with key: UInt8, mark: String, isForced: Bool
    ) async throws(LedgerError) {
        try await onLink { link throws(LedgerError) in
            try link.change(
                [
                    // Waits for transactions that are adding records. Later ones use the new key.
                    SQLStatement("LOCK TABLE issued_record IN SHARE ROW EXCLUSIVE MODE"),
                    // The spaces around each number keep key 1 from matching keys 10 to 15.
                    SQLStatement(
                        counting: """
                            UPDATE key_mark
                            SET turn = (SELECT coalesce(max(turn), 0) + 1 FROM key_mark)
                            WHERE id = $1 AND mark = $2 AND announced_at IS NOT NULL
                                AND turn IS NULL AND ($3::boolean OR NOT EXISTS (
                                    SELECT 1 FROM station WHERE revoked_at IS NULL
                                        AND strpos(' ' || coalesce(keys, '') || ' ', $4) = 0))
                            """,
                        [
                            .integer(Int64(key)), .text(mark), .text(isForced ? "t" : "f"),
                            .text(" \(key) "),
                        ]),
                ],
                refusing: [
                    "22012":
                        "key \(key) has been retired, or not every server has received it yet; "
                        + "see `tapcard keys list`",
                    "42501": "only the ledger's owner can change the servers' sealing key",
                ])
        }
    }
}
