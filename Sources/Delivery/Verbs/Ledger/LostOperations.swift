import Ledger
import ReaderDiagnosis
import StationFiles
import TapcardCore
import TapcardDomain

/// Uses this station's own memory to find operations that were lost with the database.
enum LostOperations {
    /// The operations that this station started or completed before the last declared loss and that
    /// are missing from the ledger. Each is reported until its card changes again, for example
    /// through a repair.
    static func findings(
        _ status: DatabaseStatus, in session: Session
    ) async throws(TapcardError) -> [Finding] {
        guard status.isOpen, let memory = try? session.journal.payments.memory() else { return [] }
        let earlier = (memory.ended + memory.open).filter { note in
            note.epoch < status.epoch && note.state != .voided
        }
        guard !earlier.isEmpty else { return [] }
        let ledger = try await LedgerAccess(session).open(making: false)
        return try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            let ledgerID = try await ledger.ledgerID()
            var findings: [Finding] = []
            // The station may have used a different ledger before.
            for note in earlier where note.ledgerID == ledgerID {
                let recorded = try await ledger.operation(note.operation)
                guard recorded == nil || recorded?.state == .voided else { continue }
                let confirmed =
                    try await ledger.knownCard(of: note.card)?.card.confirmed ?? SequenceNumber.none
                // If the card has changed since, someone has dealt with the loss.
                guard confirmed < note.sequence else { continue }
                findings.append(
                    Finding(lost: note, Money(minorUnits: note.amount, ledger.currency)))
            }
            return findings
        }
    }
}

extension Finding {
    fileprivate init(lost note: StationMemory.Note, _ amount: Money) {
        let sum = amount.minorUnits == 0 ? "" : " of \(amount.shown)"
        self.init(
            .lostOperation, .note,
            "The ledger has lost an operation that this machine "
                + (note.state == .committed ? "completed" : "started")
                + ": \(note.kind.noun)\(sum), card \(note.card), \(note.operation).",
            remedy: [
                .say(
                    "Put the card on the reader and run this command. Then enter again what was "
                        + "lost and is still owed:"),
                .run("tapcard repair --card \(note.card)"),
            ])
    }
}
