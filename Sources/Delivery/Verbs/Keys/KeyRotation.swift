import CardCryptography
import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<Bool> {
    static var withoutWaiting: Self {
        .flag("now", "Do not wait for servers that still lack the new key")
    }
}

extension KeyRing {
    /// The keys as a station reports them to the ledger.
    var reported: StationKeys {
        StationKeys(
            marks: Dictionary(entries.map { ($0.id, $0.mark) }) { $1 },
            usable: Set(entries.filter { $0.status != .retired }.map(\.id)), sealing: sealing.id)
    }

    /// This key ring with the stations' shared sealing key as its sealing key, if the ring contains
    /// it.
    func ordered(by issuer: IssuerKeys?) -> KeyRing {
        issuer?.sealing.flatMap { sealing(with: $0) } ?? self
    }
}

extension RegisteredStation {
    /// The note about a station whose row was damaged by another program that used the station's
    /// login.
    static let damage =
        "damaged in the database; remove it and add the machine under another name"

    /// The station's name and when it was last seen.
    var whenSeen: String {
        name + (seenAt.map { ", last seen \(LocalTime.text($0))" } ?? ", never seen")
            + (isDamaged ? " (\(RegisteredStation.damage))" : "")
    }
}

enum KeyRotation {
    static let unchanged = "The key file was not changed."

    /// Moves the stations to another key in two steps. The first step creates and announces a key
    /// that is used only to verify, so that it can be copied to every station. The second step
    /// makes it the sealing key at all stations at once.
    static func rotate(
        shared database: any LedgerDatabase, used: Set<UInt8>, in session: Session
    ) async throws(TapcardError) -> Report {
        let status = try await LedgerAccess.status(of: database)
        let issuer = status.keys
        // A station logs in under its own name; a login that is not in the list is the owner's.
        guard !issuer.stations.contains(where: { $0.name == status.login }) else {
            throw TapcardError(
                .ledgerReadOnly, "Only the owner of the ledger can change the servers' key.",
                meaning: unchanged,
                advice:
                    "Run this with the owner's login: tapcard --ledger "
                    + "postgresql://OWNER@HOST/DATABASE keys rotate")
        }
        let ledger = try await session.ledger()
        let known = try await session.keys()
        try await session.requireCommonKeys(known, ledger)
        if let sealing = issuer.sealing, known.ordered(by: issuer).sealing.id != sealing {
            throw lacking(sealing, in: session)
        }
        if let next = issuer.next {
            // A different key under this number would seal cards that every station rejects.
            guard let entry = known.entry(next), entry.mark == issuer.marks[next] else {
                throw lacking(
                    next,
                    orElse: [
                        .words(
                            "If no machine has key \(next), retire it: tapcard keys retire \(next) "
                                + "--for-ever")
                    ], in: session)
            }
            return try await seal(with: entry, issuer, database, isNew: false, in: session)
        }
        let created = LocalTime.date(session.dependencies.now())
        // The number of a key that was announced and then lost must not be used for another key.
        let usedIDs = used.union(issuer.marks.keys)
        let prepared = try known.ordered(by: issuer).changed { keys throws(KeyError) in
            try keys.preparing(created: created, avoiding: usedIDs)
        }
        // `preparing` adds the new key at the end of the ring.
        let key = prepared.entries[prepared.entries.endIndex - 1]
        // The key is announced in the ledger before it is written to the file, so that if two
        // owners rotate at once, only one of them succeeds. A key that was announced but never
        // written can be retired.
        try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await database.announce(key.id, mark: key.mark)
        }
        try session.keyFile.withExclusiveLock { () throws(TapcardError) in
            let current = (try session.keyFile.load() ?? known).ordered(by: issuer)
            try session.keyFile.save(
                try current.changed { keys throws(KeyError) in try keys.merging(prepared) })
        }
        let now = try await LedgerAccess.status(of: database, orSay: announced(key.id)).keys
        return try await seal(with: key, now, database, isNew: true, in: session)
    }

    /// Makes the announced key the sealing key, or reports which stations still lack it.
    private static func seal(
        with key: KeyEntry, _ issuer: IssuerKeys, _ database: any LedgerDatabase, isNew: Bool,
        in session: Session
    ) async throws(TapcardError) -> Report {
        let lacking = issuer.lacking(key.id)
        guard lacking.isEmpty || session[.withoutWaiting] else {
            return try waiting(for: lacking, key.id, issuer, isNew: isNew)
        }
        try await LedgerAccess.translatingErrors(orSay: announced(key.id)) {
            () throws(LedgerError) in
            try await database.seal(
                with: key.id, mark: key.mark, isForced: session[.withoutWaiting])
        }
        try session.keyFile.withExclusiveLock { () throws(TapcardError) in
            // The ledger alone determines the sealing key; from now on, the file only follows it.
            let ring = try session.keyFile.load()?.sealing(with: key.id)
            if let ring { try session.keyFile.save(ring) }
        }
        return Report(
            members(key.id, sealing: key.id, lacking),
            ["Records are now sealed with key \(key.id) on every server"] + Report.afterNewKey
                + lacking.map {
                    "Server \($0.whenSeen), lacks the key and cannot take payments or top-ups "
                        + "until you run there: tapcard keys import FILE"
                },
            isChange: true)
    }

    private static func announced(_ id: UInt8) -> String {
        "Key \(id) is announced, but does not seal records yet."
    }

    private static func members(
        _ id: UInt8, sealing: UInt8?, _ lacking: [RegisteredStation]
    ) -> Members {
        ["id": .number(id), "sealing": sealing.document, "lacking": lacking.map(\.name).document]
    }

    private static func waiting(
        for stations: [RegisteredStation], _ id: UInt8, _ issuer: IssuerKeys, isNew: Bool
    ) throws(TapcardError) -> Report {
        let untilThen =
            issuer.sealing.map { "Until they have it, key \($0) seals the records." } ?? ""
        guard isNew else {
            throw TapcardError(
                .refusal(.wrongState),
                "Key \(id) cannot be used yet, because these servers lack it: "
                    + stations.map(\.whenSeen).joined(separator: "; ") + ".",
                meaning: untilThen,
                advice:
                    "Run tapcard keys export FILE here, then tapcard keys import FILE on each of "
                    + "these servers. If a machine is lost, run tapcard servers remove NAME. To "
                    + "switch without waiting, run: tapcard keys rotate --now")
        }
        return Report(
            members(id, sealing: issuer.sealing, stations),
            [
                "Key \(id) created and announced; "
                    + (issuer.sealing.map {
                        "key \($0) seals records until every server has imported the new key"
                    } ?? "it will seal records once every server has imported it"),
                "Run tapcard keys export FILE here, then tapcard keys import FILE on each server",
                Report.customerKeyFileStep, "After that, run again: tapcard keys rotate",
                "Servers that do not have key \(id) yet:",
            ] + stations.map { "  \($0.whenSeen)" }, isChange: true)
    }

    private static func lacking(
        _ id: UInt8, orElse steps: [NextStep] = [], in session: Session
    ) -> TapcardError {
        TapcardError(
            .keysBehind,
            "The key file \(session.settings.keyPath) lacks key \(id), which "
                + (steps.isEmpty
                    ? "the servers of this ledger use."
                    : "has been announced to the servers of this ledger."),
            meaning: unchanged, next: [.file(.importCurrentKeys)] + steps)
    }

    /// Refuses to retire a key that a station without the current sealing key may still need.
    static func requireSuccessor(
        of id: UInt8, _ issuer: IssuerKeys?, in session: Session
    ) throws(TapcardError) {
        guard let issuer, let sealing = issuer.sealing, id != sealing, id != issuer.next,
            !session[.withoutWaiting]
        else { return }
        let lacking = issuer.lacking(sealing)
        guard !lacking.isEmpty else { return }
        throw TapcardError(
            .refusal(.wrongState),
            "Key \(id) cannot be retired yet, because these servers lack key \(sealing), which "
                + "succeeds it: "
                + lacking.map(\.whenSeen).joined(separator: "; ") + ".",
            meaning: unchanged,
            advice:
                "Run tapcard keys import FILE on each of these servers. If a machine is lost, run "
                + "tapcard servers remove NAME. To retire the key anyway, repeat this command "
                + "with --now.")
    }

    /// The lines about the stations in a list of the keys.
    static func lines(on issuer: IssuerKeys?) -> [String] {
        guard let issuer else { return [] }
        var lines: [String] = []
        if let next = issuer.next {
            let lacking = issuer.lacking(next)
            lines.append(
                "Key \(next) is the next sealing key"
                    + (lacking.isEmpty
                        ? ", and every server has it; to switch, run as the owner of the ledger: "
                            + "tapcard keys rotate" : ", but these servers do not have it yet:"))
            lines += lacking.map { "  \($0.whenSeen)" }
        }
        if let sealing = issuer.sealing {
            let lacking = issuer.lacking(sealing)
            if !lacking.isEmpty {
                lines.append(
                    "Key \(sealing) seals records, but these servers have not reported it:")
            }
            lines += lacking.map { "  \($0.whenSeen)" }
        }
        return lines
    }
}
