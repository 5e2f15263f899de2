import Ledger
import OperatingSystem
import TapcardDomain

/// The file in which a station stores its memory. Most of its contents do not have to be durable:
/// after a power failure, the file may be an older version or missing, and the checks then detect
/// fewer losses.
struct MemoryFile {
    let path: String

    /// The last operation that the database confirmed, if the file can be read.
    var last: StationMemory.Note? { (try? load())?.last }

    private func load() throws(FileError) -> StationMemory {
        guard let bytes = try DurableFile(path).read() else { return StationMemory() }
        return StationMemory(String(decoding: bytes, as: UTF8.self))
    }

    /// Adds notes. Other processes at this station store their notes in the same file.
    func keep(_ notes: [StationMemory.Note], areConfirmed: Bool) {
        change { memory in
            for note in notes { memory.note(note, isConfirmed: areConfirmed) }
        }
    }

    /// Records that this operation was reported as not done, no matter which station voided it.
    func keep(notDone note: StationMemory.Note) { change { $0.noteNotDone(note) } }

    private func change(_ body: (inout StationMemory) -> Void) {
        // If this fails, the next check only detects fewer losses, so the payment must not fail.
        try? FileLock.holding(path + ".lock", orThrow: \.self) { () throws(FileError) in
            // A file that cannot be read is not replaced, because it may list open operations.
            let old = try load()
            var memory = old
            body(&memory)
            guard memory != old else { return }
            // "Not paid" has been or will be reported, so this must be durable.
            try DurableFile(path).write(
                Array(memory.text.utf8), mode: 0o600, durable: memory.notDone != old.notDone)
        }
    }
}

extension PostgreSQLRows {
    /// The state of an operation, and whether its card's rows show that it has ended. If the
    /// operation has ended but its state is open, no commit was lost: another program has changed
    /// the state back, and the audit reports that.
    fileprivate static func state(
        of id: OperationID, on uid: CardUID
    ) -> Selection<(state: Operation.State, hasEnded: Bool)> {
        Selection(
            """
            SELECT state, sequence <= (SELECT confirmed FROM card WHERE card.uid = $1)
                OR EXISTS (
                    SELECT 1 FROM operation AS later
                    WHERE later.uid = $1 AND later.sequence > operation.sequence)
            FROM operation WHERE uid = $1 AND id = $2
            """, [.uid(uid), .id(id)]
        ) { row throws(LedgerError) in
            (state: try row.word(), hasEnded: try row.value(\.flag))
        }
    }
}

extension OpenLedger {
    /// Throws if the server lacks something that it once confirmed, unless a loss has been declared
    /// since.
    func requireNotLost(_ confirmed: StationMemory.Note?) throws(LedgerError) {
        if SafetyRule.lastConfirmed.isDisabled { return }
        // After a declared loss, earlier confirmations no longer count.
        guard let confirmed, confirmed.ledgerID == opening.ledgerID,
            confirmed.epoch == opening.epoch
        else { return }
        let rows = PostgreSQLRows(self, isWriting: false)
        defer { link.rollBack(rows) }
        let kept = try rows.query(
            PostgreSQLRows.state(of: confirmed.operation, on: confirmed.card)
        ).first
        guard let kept,
            // An operation that was open at that time may have ended since, at any station.
            kept.state == confirmed.state || confirmed.state == .pending
                || kept.state == .pending && kept.hasEnded
        else {
            throw LedgerError(
                .undeclared,
                "the database has lost the confirmed operation \(confirmed.operation) in a restore "
                    + "or failover; the owner must run `tapcard ledger reopen --after-loss`")
        }
    }
}
