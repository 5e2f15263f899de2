import Ledger
import ReaderDiagnosis
import TapcardDomain

extension DatabaseStatus {
    /// The points that are in order, and those that are not.
    var findings: [Finding] {
        [opening, replication, clock, operations, age].compactMap(\.self)
            + journals.map { Finding(.journal, .note, $0.sentence, remedy: $0.remedy) }
    }

    private var opening: Finding? {
        isOpen
            ? Finding(
                .ledger, .ok, "PostgreSQL \(version) has the ledger, in \(currency.code).")
            : Finding(
                .ledgerUndeclared, .problem,
                "The database was promoted or restored since the ledger was opened: no station "
                    + "takes money.",
                remedy: [
                    .say("If the server was a synchronous replica with every commit:"),
                    .run("tapcard ledger reopen --lossless"),
                    .say("If it is not certain, or after a restore:"),
                    .run("tapcard ledger reopen --after-loss"),
                ])
    }

    private var replication: Finding? {
        guard !synchronousReplicas.isEmpty else {
            return Finding(
                .noReplica, .note,
                "No commit waits for a replica: confirmed payments are lost with the server's "
                    + "disk.",
                remedy: [.say("docs/STATIONS.md shows how three servers keep the ledger.")])
        }
        guard let replicas else { return nil }
        return replicas > 0
            ? Finding(.replica, .ok, "Replicas that are connected: \(replicas).")
            : Finding(
                .noReplica, .problem,
                "Commits wait for a replica, and none is connected: no station takes money.")
    }

    private static let mostLead: Int64 = 5_000

    private var clock: Finding? {
        guard abs(clockLead) > DatabaseStatus.mostLead else { return nil }
        let seconds = abs(clockLead) / 1_000
        return Finding(
            .clock, .note,
            "The clock of this station is \(seconds) s \(clockLead > 0 ? "slow" : "fast"), by the "
                + "database's.",
            remedy: [.say("Set it by NTP:"), .run("timedatectl set-ntp true")])
    }

    private var operations: Finding? {
        guard openOperations > 0 else { return nil }
        return Finding(
            .openOperations, .note,
            "Operations that wait for the next tap of their card: \(openOperations)"
                + (oldestOpen.map { ", the oldest since \(LocalTime.text($0))." } ?? "."))
    }

    private static let mostAge: Int64 = 1_000_000_000

    private var age: Finding? {
        guard transactionAge > DatabaseStatus.mostAge else { return nil }
        return Finding(
            .transactionAge, .note,
            "The database has gone \(transactionAge) transactions without a freeze; at "
                + "2000000000 it stops.",
            remedy: [.say("As the owner, at a quiet hour:"), .run("vacuumdb --freeze DATABASE")])
    }
}
