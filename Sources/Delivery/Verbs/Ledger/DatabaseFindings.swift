import CardCryptography
import Ledger
import ReaderDiagnosis
import TapcardDomain

extension DatabaseStatus {
    /// The points that are in order, and those that are not.
    var findings: [Finding] {
        [opening, tables].compactMap(\.self) + replication
            + [deadLinks, clock, keysInStep, nextKey, operations, age].compactMap(\.self)
            + journals.map { Finding(.journal, .note, $0.sentence, remedy: $0.remedy) }
    }

    private var opening: Finding {
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

    private var tables: Finding? {
        switch reach {
        case .current: nil
        case .later:
            Finding(
                .tables, .note,
                "A later version of tapcard has changed the tables, to version \(schema). This one "
                    + "still works.",
                remedy: [.say("Upgrade this station before older versions are locked out.")])
        case .readOnly:
            Finding(
                .tables, .problem,
                "The tables, of version \(schema), need a later version of tapcard: this station "
                    + "may only read.", remedy: [.say("Install that version here.")])
        case .earlier:
            Finding(
                .tables, .problem,
                "The tables, of version \(schema), are of an earlier version of tapcard: no "
                    + "station of this version takes money.",
                remedy: [.say("As the owner of the ledger:"), .run("tapcard ledger migrate")])
        }
    }

    private var replication: [Finding] {
        guard let replicas else { return [hiddenReplicas] }
        let late = replicas.filter { !$0.isInStep }
        guard !synchronousReplicas.isEmpty else {
            return [
                Finding(
                    .noReplica, .note,
                    "No commit waits for a replica: confirmed payments are lost with the server's "
                        + "disk.",
                    remedy: [.say("docs/STATIONS.md shows how three servers keep the ledger.")])
            ]
        }
        let inStep = replicas.filter(\.isInStep)
        let step =
            inStep.isEmpty
            ? Finding(
                .noReplica, .problem,
                "Commits wait for a replica, and none is in step: no station takes money.",
                remedy: [
                    .say("Start a replica. On its machine, with Patroni:"), .run("patronictl list"),
                    .say("If the server has to go on alone, at the risk of its disk:"),
                    .run(DatabaseStatus.goingAlone),
                ])
            : Finding(
                .replica, .ok,
                "Replicas in step: " + inStep.map(\.words).joined(separator: "; ") + ".")
        return [step]
            + late.map {
                Finding(
                    .replicaBehind, .note,
                    "Connected, and not in step: \($0.words). No commit waits for it.",
                    remedy: [.say("A failover to it would lose payments.")])
            }
    }

    /// The command after which no commit waits for a replica.
    static let goingAlone =
        "sudo -u postgres psql -c \"ALTER SYSTEM SET synchronous_standby_names = ''\" "
        + "-c 'SELECT pg_reload_conf()'"

    /// A login that may not see replicas must not say that there is none.
    private var hiddenReplicas: Finding {
        Finding(
            .replicasHidden, .note,
            synchronousReplicas.isEmpty
                ? "No commit waits for a replica. Whether one is connected is not visible to this "
                    + "login."
                : "Commits wait for replicas. Whether they are in step is not visible to this "
                    + "login.",
            remedy: [.say("Ask with a login that has the server's role pg_monitor.")])
    }

    /// Longer than a station has its server wait, with room for another system's timers.
    private static let longestTimeout = 30

    /// A session that outlives its station may keep a card locked.
    private var deadLinks: Finding? {
        switch link {
        case .local: return nil
        case .network(let timeout):
            guard !(1...DatabaseStatus.longestTimeout).contains(timeout) else { return nil }
            return Finding(
                .deadLinks, .note,
                "The server does not notice for "
                    + (timeout > 0 ? "\(timeout) s" : "hours") + " that a station is gone: until "
                    + "then the card of its payment can be locked.",
                remedy: [.say("docs/STATIONS.md shows the settings of the server.")])
        case .pooled:
            return Finding(
                .deadLinks, .note,
                "A pooler stands before the server, and has to notice by itself that a station is "
                    + "gone: until then the card of its payment can be locked.",
                remedy: [.say("docs/STATIONS.md shows the settings of PgBouncer.")])
        }
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

    /// The stations without the key that seals: they take no money.
    private var keysInStep: Finding? {
        guard let sealing = keys.sealing else { return nil }
        let lacking = keys.lacking(sealing)
        guard !lacking.isEmpty else { return nil }
        let isHere = lacking.contains { $0.name == login }
        return Finding(
            .keysBehind, isHere ? .problem : .note,
            "Key \(sealing) seals records, but these stations have not reported it: "
                + lacking.map(\.whenSeen).joined(separator: "; ") + ".",
            remedy: DatabaseStatus.bringKeys)
    }

    private var nextKey: Finding? {
        guard let next = keys.next, let since = keys.announcedAt else { return nil }
        let lacking = keys.lacking(next)
        let words = "Key \(next) is next (announced \(LocalTime.text(since)))"
        guard !lacking.isEmpty else {
            return Finding(
                .keyWaits, .note, words + ", and every station has it.",
                remedy: [
                    .say("To switch, run as the owner of the ledger:"), .run("tapcard keys rotate"),
                ])
        }
        return Finding(
            .keyWaits, .note,
            words + " and waits for these stations: "
                + lacking.map(\.whenSeen).joined(separator: "; ") + ".",
            remedy: DatabaseStatus.bringKeys)
    }

    private static let bringKeys: [Finding.Step] = [
        .say("Where the key is, run:"), .run("tapcard keys export FILE"),
        .say("At each of these stations, run:"), .run("tapcard keys import FILE"),
    ]

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

extension IssuerKeys {
    /// A key of this ring that is another one at the stations of the ledger; nil for none.
    func other(than ring: KeyRing) -> UInt8? {
        ring.entries.first { marks[$0.id] != nil && marks[$0.id] != $0.mark }?.id
    }
}

extension Finding {
    /// This station has another key under this number than the others.
    init(otherKey id: UInt8, _ path: String) {
        self.init(
            .keysBehind, .problem,
            "Key \(id) of this station differs from the other stations' key: no money moves here.",
            remedy: [
                .say("Put the keys of this station away:"), .run("mv \(path) \(path)-before"),
                .say("Where the keys of the others are:"), .run("tapcard keys export FILE"),
                .say("Here:"), .run("tapcard keys import FILE"),
            ])
    }
}

extension Replica {
    fileprivate var words: String {
        let name = name.isEmpty ? "a replica without a name" : name
        let missing = lag.map { $0 > 0 ? ", \($0) bytes late" : "" } ?? ""
        return "\(name) (\(state), \(synchrony)\(missing))"
    }
}
