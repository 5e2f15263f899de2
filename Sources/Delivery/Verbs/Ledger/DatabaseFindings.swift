import CardCryptography
import Ledger
import ReaderDiagnosis
import TapcardDomain

extension DatabaseStatus {
    /// The findings about this database, good and bad.
    var findings: [Finding] {
        [opening, tables].compactMap(\.self) + replication
            + [slowDisconnectDetection, clock, sealingKeyFinding, nextKey, operations, age]
            .compactMap(\.self)
            + journals.map { Finding(.journal, .note, $0.sentence, remedy: $0.remedy) }
    }

    private var opening: Finding {
        isOpen
            ? Finding(
                .ledger, .ok,
                "The ledger is in PostgreSQL \(version), and its currency is \(currency.code).")
            : Finding(
                .ledgerUndeclared, .problem,
                "The database server changed after the ledger was opened (a promotion or a "
                    + "restore), so no payments or top-ups are possible.",
                remedy: [
                    .say("If this server was a synchronous replica and has every commit:"),
                    .run("tapcard ledger reopen --lossless"),
                    .say("If you are not sure, or if it was restored:"),
                    .run("tapcard ledger reopen --after-loss"),
                ])
    }

    private var tables: Finding? {
        switch reach {
        case .current: nil
        case .later:
            Finding(
                .tables, .note,
                "A newer version of tapcard changed the tables to version \(schema); this one "
                    + "still works.",
                remedy: [
                    .say(
                        "Upgrade tapcard here soon; later changes may lock out older versions.")
                ])
        case .readOnly:
            Finding(
                .tables, .problem,
                "The tables are at version \(schema) and need a newer version of tapcard; this "
                    + "machine can only read them.",
                remedy: [.say("Install the newer version here.")])
        case .earlier:
            Finding(
                .tables, .problem,
                "The tables are at version \(schema), which is too old: servers with this version "
                    + "of tapcard cannot take payments or top-ups.",
                remedy: [.say("As the owner of the database:"), .run("tapcard ledger migrate")])
        }
    }

    private var replication: [Finding] {
        guard let replicas else { return [hiddenReplicasFinding] }
        let late = replicas.filter { !$0.isSynchronous }
        guard !synchronousReplicas.isEmpty else {
            return [
                Finding(
                    .noReplica, .note,
                    "There is no synchronous replica: if the server's disk fails, confirmed "
                        + "payments are lost.",
                    remedy: [.say("See docs/SERVERS.md for a setup with three servers.")])
            ]
        }
        let inSync = replicas.filter(\.isSynchronous)
        let step =
            inSync.isEmpty
            ? Finding(
                .noReplica, .problem,
                "Commits wait for a replica, but none is in sync, so no payments or top-ups are "
                    + "possible.",
                remedy: [
                    .say("Start a replica. To see the replicas with Patroni:"),
                    .run("patronictl list"),
                    .say(
                        "Or let the server continue alone, at the risk of losing payments if its "
                            + "disk fails:"),
                    .run(DatabaseStatus.stopWaitingForReplicas),
                ])
            : Finding(
                .replica, .ok,
                "These replicas are in sync: " + inSync.map(\.words).joined(separator: "; ") + ".")
        return [step]
            + late.map {
                Finding(
                    .replicaBehind, .note,
                    "This replica is connected but not in sync, and commits do not wait for it: "
                        + "\($0.words).",
                    remedy: [.say("If it takes over, payments may be lost.")])
            }
    }

    /// The command that stops commits from waiting for a replica.
    static let stopWaitingForReplicas =
        "sudo -u postgres psql -c \"ALTER SYSTEM SET synchronous_standby_names = ''\" "
        + "-c 'SELECT pg_reload_conf()'"

    /// The finding for a login that is not allowed to see replicas, and so cannot tell whether
    /// there are any.
    private var hiddenReplicasFinding: Finding {
        Finding(
            .replicasHidden, .note,
            synchronousReplicas.isEmpty
                ? "Commits do not wait for a replica, and this login is not allowed to see whether "
                    + "one is in sync."
                : "Commits wait for a replica, but this login is not allowed to see whether one is "
                    + "in sync.",
            remedy: [
                .say("To see the replicas, check again with a login that has the role pg_monitor.")
            ])
    }

    /// The longest timeout that is not reported, in seconds. It is longer than the timeout that
    /// stations request, to allow for other systems' timers.
    private static let maximumTimeout = 30

    /// The finding for a server that is slow to notice that a station is gone. Until it notices, a
    /// card may stay locked.
    private var slowDisconnectDetection: Finding? {
        switch link {
        case .local: return nil
        case .network(let timeout):
            // Zero means the system's default, which is hours, so it also counts as slow.
            guard !(1...DatabaseStatus.maximumTimeout).contains(timeout) else { return nil }
            return Finding(
                .deadLinks, .note,
                "The database server takes " + (timeout > 0 ? "\(timeout) s" : "hours")
                    + " to notice that a machine is gone.",
                remedy: [
                    .say(
                        "Until then, the card that was being used there may stay locked; "
                            + "docs/SERVERS.md shows the settings.")
                ])
        // The server sees only the pooler's connections, so its timeout does not apply to stations.
        case .pooled:
            return Finding(
                .deadLinks, .note,
                "This machine connects through a pooler, which must detect on its own when a "
                    + "machine is gone.",
                remedy: [
                    .say(
                        "Until then, the card that was being used there may stay locked; "
                            + "docs/SERVERS.md shows the PgBouncer settings.")
                ])
        }
    }

    /// The largest clock difference that is not reported, in milliseconds.
    private static let maximumClockError: Int64 = 5_000

    private var clock: Finding? {
        guard abs(clockLead) > DatabaseStatus.maximumClockError else { return nil }
        // The lead is the server's, so if the lead is positive, this station's clock is behind.
        let seconds = abs(clockLead) / 1_000
        return Finding(
            .clock, .note,
            "This machine's clock is \(seconds) s \(clockLead > 0 ? "behind" : "ahead of") the "
                + "database server's.",
            remedy: [.say("To sync it with NTP:"), .run("timedatectl set-ntp true")])
    }

    /// The finding that stations lack the sealing key, so they cannot take payments or top-ups.
    private var sealingKeyFinding: Finding? {
        guard let sealing = keys.sealing else { return nil }
        let lacking = keys.lacking(sealing)
        guard !lacking.isEmpty else { return nil }
        // This station can continue if only other stations lack the key.
        let isHere = lacking.contains { $0.name == login }
        return Finding(
            .keysBehind, isHere ? .problem : .note,
            "Key \(sealing) seals records, but these servers have not reported it: "
                + lacking.map(\.whenSeen).joined(separator: "; ") + ".",
            remedy: DatabaseStatus.copyKeySteps)
    }

    private var nextKey: Finding? {
        guard let next = keys.next, let since = keys.announcedAt else { return nil }
        let lacking = keys.lacking(next)
        let words = "Key \(next) is the next sealing key (announced \(LocalTime.text(since)))"
        guard !lacking.isEmpty else {
            return Finding(
                .keyWaits, .note, words + ", and every server has it.",
                remedy: [
                    .say("To switch, run as the owner of the ledger:"), .run("tapcard keys rotate"),
                ])
        }
        return Finding(
            .keyWaits, .note,
            words + ", but these servers do not have it yet: "
                + lacking.map(\.whenSeen).joined(separator: "; ") + ".",
            remedy: DatabaseStatus.copyKeySteps)
    }

    private static let copyKeySteps: [Finding.Step] = [
        .say("On a server that has the key, run:"), .run("tapcard keys export FILE"),
        .say("On each of these servers, run:"), .run("tapcard keys import FILE"),
    ]

    private var operations: Finding? {
        guard openOperations > 0 else { return nil }
        return Finding(
            .openOperations, .note,
            "Unfinished operations: \(openOperations)"
                + (oldestOpen.map { ", the oldest from \(LocalTime.text($0))" } ?? "")
                + "; each is resolved when its card is next tapped.")
    }

    /// Half of the two billion transactions at which PostgreSQL stops.
    private static let maximumTransactionAge: Int64 = 1_000_000_000

    private var age: Finding? {
        guard transactionAge > DatabaseStatus.maximumTransactionAge else { return nil }
        return Finding(
            .transactionAge, .note,
            "There have been \(transactionAge) transactions since the last vacuum freeze; "
                + "PostgreSQL stops at 2 billion.",
            remedy: [
                .say("As the owner of the database, during off-peak hours:"),
                .run("vacuumdb --freeze DATABASE"),
            ])
    }
}

extension IssuerKeys {
    /// The number of a key that differs between this ring and the ledger's stations; nil if there
    /// is none.
    func other(than ring: KeyRing) -> UInt8? {
        ring.entries.first { marks[$0.id] != nil && marks[$0.id] != $0.mark }?.id
    }
}

extension Finding {
    /// The finding that this station's key with this number differs from the other stations' key.
    init(otherKey id: UInt8, _ path: String) {
        self.init(
            .keysBehind, .problem,
            "This machine's key \(id) differs from key \(id) on the other servers, so this "
                + "machine cannot take payments or top-ups.",
            remedy: [
                .say("Move this machine's key file out of the way:"),
                .run("mv \(path) \(path)-before"),
                .say("On a server that has the right keys:"), .run("tapcard keys export FILE"),
                .say("On this machine:"), .run("tapcard keys import FILE"),
            ])
    }
}

extension Replica {
    fileprivate var words: String {
        let name = name.isEmpty ? "an unnamed replica" : name
        let missing = lag.map { $0 > 0 ? ", \($0) bytes behind" : "" } ?? ""
        return "\(name) (\(state), \(synchrony)\(missing))"
    }
}
