import CardCryptography
import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<UInt8> {
    fileprivate static var key: Self {
        .argument("KEY", .key, "Number of the key, as shown by `tapcard keys list`")
    }
}

extension Parameter<Bool> {
    fileprivate static var forever: Self {
        .flag("for-ever", "Confirm that the key will never be trusted again")
    }
}

extension Command {
    static let keyCommands: [Command] = [
        Command(
            "keys list", group: .station, "List the keys and how many cards use each one",
            discussion: "The secret values are never shown. If there is a ledger file but "
                + "no keys, this command creates them, unless the ledger has cards.",
            answers: .keys, example: "tapcard keys list", run: KeyCommands.list),
        Command(
            "keys rotate", group: .station, "Seal cards with a new key; older seals remain valid",
            discussion: "Run `tapcard keys export` before the next tap: once an NTAG 424 has "
                + "changed to the new key, nobody can ever write to it without that key. On a "
                + "shared ledger, the owner runs this command twice: first to announce the key, "
                + "which every server must then import, and again to start using it. Afterward, "
                + "run `tapcard keys customers FILE --overwrite` again.",
            takes: .withoutWaiting, answers: .key, example: "tapcard keys rotate",
            run: KeyCommands.rotate),
        Command(
            "keys retire", group: .station, "Stop trusting the seals made with a key",
            discussion: "If the key is still used for sealing, rotate first; retiring a key with "
                + "`--for-ever` cannot be undone. Cards sealed only with it are rejected as forged "
                + "until you run `tapcard repair --card UID`, and tags protected with it need "
                + "`tapcard tag unprotect`, then `tapcard tag protect`. Afterward, export the keys "
                + "again, destroy older copies, and run `tapcard keys customers FILE --overwrite`.",
            takes: .key, .forever, .withoutWaiting, answers: .retired,
            example: "tapcard keys retire 1 --for-ever", run: KeyCommands.retire),
        Command(
            "keys export", group: .station, "Copy all keys to a file",
            discussion: "Keep a copy somewhere else: if every copy is lost, genuine cards will "
                + "be rejected, and nobody can ever write to an NTAG 424 again. Anyone who has the "
                + "file can make cards that your servers will accept.",
            takes: .newFile, answers: .file, example: "tapcard keys export tapcard-keys.json",
            run: KeyCommands.export),
        .keysForCustomers,
        Command(
            "keys import", group: .station, "Import exported keys",
            discussion: "If this machine already has keys, the imported keys are used only to "
                + "verify seals; on a shared ledger, though, this machine seals with the key that "
                + "all servers use. Servers that were set up separately cannot be merged.",
            takes: .file("File made by `tapcard keys export`"),
            answers: .imported, example: "tapcard keys import tapcard-keys.json",
            run: KeyImport.importKeys),
    ]
}

enum KeyCommands {
    static func rotate(in session: Session) async throws(TapcardError) -> Report {
        let now = session.dependencies.now()
        // If an older key file was restored, cards may use keys that it lacks.
        let used = try await usedKeys(in: session)
        if let database = try LedgerAccess(session).sharedDatabase {
            return try await KeyRotation.rotate(shared: database, used: used, in: session)
        }
        let keys = try await changeKeys(in: session) { keys throws(KeyError) in
            try keys.rotated(created: LocalTime.date(now), avoiding: used)
        }
        let missing = used.filter { keys.entry($0) == nil }.sorted().map { "\($0)" }
        return Report(
            ["id": .number(keys.sealing.id)],
            ["Records are now sealed with key \(keys.sealing.id)"] + Report.afterNewKey
                + (missing.isEmpty
                    ? []
                    : [
                        "Some cards use keys that this machine lacks ("
                            + missing.joined(separator: ", ")
                            + "); to import them, run: tapcard keys import FILE"
                    ]),
            isChange: true)
    }

    static func export(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(session[.newFile])
        try file.requireOutput("The keys", session.outputOptions)
        try file.requireAbsent()
        let all = try await session.keys().ordered(
            by: (try? LedgerAccess(session).issuerKeys()) ?? nil)
        // The file includes the currency, in case it is imported at a station that has no ledger
        // yet.
        let currency = (try? await session.existingLedger())?.currency.code
        let keys = all.sealing(currency: currency ?? all.currencyCode)
        // On standard output, only the keys may appear, because the output is the key file.
        if file.isStream {
            session.output.write(KeyFile.text(of: keys))
            return .nothing
        }
        try KeyFile(path: file.path).save(keys)
        return Report(
            ["file": .string(file.path)],
            ["All keys exported to \(file.path); keep this file secret and store it safely"],
            isChange: true)
    }

    /// Retires keys in the ledger before saving the changed file. After a crash between the two
    /// steps, running the same command again completes the change.
    static func changeKeys(
        retiring ids: Set<UInt8> = [], in session: Session,
        _ change: (KeyRing) throws(KeyError) -> KeyRing
    ) async throws(TapcardError) -> KeyRing {
        let known = try await session.keys()
        let ledger = try await session.ledger()
        try await recordRetired(in: try known.changed(by: change), ids, ledger, in: session)
        return try session.keyFile.withExclusiveLock { () throws(TapcardError) in
            // Another process may have changed the file in the meantime.
            // `known` is used only if the file has been removed since.
            let changed = try (try session.keyFile.load() ?? known).changed(by: change)
            try session.keyFile.save(changed)
            return changed
        }
    }

    static func recordRetired(
        in keys: KeyRing, _ ids: Set<UInt8> = [], _ ledger: any LedgerStore, in session: Session
    ) async throws(TapcardError) {
        let retired = ids.union(keys.entries.filter { $0.status == .retired }.map(\.id))
        guard !retired.isEmpty else { return }
        try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.retire(retired, at: session.dependencies.now())
        }
    }

    static func list(in session: Session) async throws(TapcardError) -> Report {
        let access = LedgerAccess(session)
        // Stations that share a database use the same keys, so this command must not create
        // different ones.
        if try session.keyFile.load() == nil, let issuer = try await access.issuerKeys() {
            return Report(issuer)
        }
        let all = try await session.keys()
        let uses = try await uses(in: session)
        let ledger = try await session.ledger()
        let retired = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.retiredKeys()
        }
        let issuer = try await access.issuerKeys()
        let ring = all.ordered(by: issuer)
        // A key ring's sealing key cannot be retired, so that key is left out here.
        let keys = ring.retiring(retired.subtracting([ring.sealing.id])) ?? ring
        let rows = keys.entries.map { entry in
            (entry: entry, use: uses[entry.id, default: KeyUse()])
        }
        let shared = issuer.map { Report.members(of: $0) } ?? [:]
        return Report(
            [
                "keys": .array(
                    rows.map {
                        [
                            "id": .number($0.entry.id),
                            "status": .string($0.entry.status.rawValue),
                            "created": .string($0.entry.created),
                            "cards": .number($0.use.cards),
                            "protected": .number($0.use.protected),
                        ]
                    })
            ] + shared,
            rows.map {
                "key \($0.entry.id)  \($0.entry.status.rawValue.padded(12))  "
                    + "created \($0.entry.created)  cards: \($0.use.cards)  "
                    + "protected: \($0.use.protected)"
            } + KeyRotation.lines(on: issuer), isPlain: true)
    }

    private static func uses(in session: Session) async throws(TapcardError) -> [UInt8: KeyUse] {
        let ledger = try await session.ledger()
        return try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.readWithoutBlocking { rows throws(LedgerError) in try rows.keyUsage()
            }
        }
    }

    /// The IDs of keys that are retired, or in use for records or tag passwords in this ledger.
    private static func usedKeys(in session: Session) async throws(TapcardError) -> Set<UInt8> {
        let ledger = try await session.ledger()
        return try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.readWithoutBlocking { rows throws(LedgerError) in try rows.usedKeys() }
        }
    }

    static func retire(in session: Session) async throws(TapcardError) -> Report {
        let id = session[.key]
        let issuer = try await LedgerAccess(session).issuerKeys()
        // An impossible change is refused before the user is asked for confirmation.
        let retiring: (KeyRing) throws(KeyError) -> KeyRing = { keys throws(KeyError) in
            // A key that another machine announced can be retired even if this station does not
            // have it.
            guard issuer?.next != id || keys.entry(id) != nil else { return keys }
            return try keys.ordered(by: issuer).retiring(id)
        }
        _ = try await session.keys().changed(by: retiring)
        try KeyRotation.requireSuccessor(of: id, issuer, in: session)
        let use = try await uses(in: session)[id, default: KeyUse()]
        guard session[.forever] else {
            throw TapcardError(
                .usage,
                "Retiring key \(id) cannot be undone. "
                    + (use.cards == 0
                        ? "No cards are affected."
                        : "Cards last sealed with it will be rejected as forged: \(use.summary).")
                    + (use.protected == 0 ? "" : " " + use.protectionWarning),
                meaning: "The key file was not changed.",
                advice: use.cards == 0
                    ? "To retire the key, repeat this command with --for-ever."
                    : "First use each of these cards for any operation that changes it, so that "
                        + "it gets a new seal. Or repeat this command with --for-ever, and then "
                        + "run for each card: tapcard repair --card UID")
        }
        _ = try await changeKeys(retiring: [id], in: session, retiring)
        return Report(
            ["id": .number(id), "cards": .number(use.cards), "protected": .number(use.protected)],
            ["Key \(id) retired; cards that need tapcard repair: \(use.summary)"]
                + (use.protected == 0 ? [] : [use.protectionWarning])
                + [
                    "Older exports contain the key; destroy them and make a new export",
                    Report.customerKeyFileStep,
                ], isChange: true)
    }
}

extension KeyRing {
    /// The key ring after a change; throws if the change is not allowed.
    func changed(by change: (KeyRing) throws(KeyError) -> KeyRing) throws(TapcardError) -> KeyRing {
        do throws(KeyError) {
            return try change(self)
        } catch {
            let kind: TapcardError.Kind = error.kind == .unknownKey ? .usage : .refusal(.wrongState)
            let first = error.detail.prefix(1).uppercased()
            throw TapcardError(
                kind, first + error.detail.dropFirst() + ".", meaning: KeyRotation.unchanged,
                advice: error.kind == .conflict
                    ? "Remove the key file and import again, but only if this machine has not "
                        + "issued any cards."
                    : "To list the keys, run: tapcard keys list")
        }
    }
}

extension Report {
    /// The steps to take after a new key is created, so that the key is not lost.
    static let afterNewKey = [
        "Back up the keys before the next tap: tapcard keys export FILE",
        "If the keys are lost, nobody can ever again write to an NTAG 424 that was rewritten with "
            + "the new key",
        customerKeyFileStep,
    ]
    /// The customer page trusts only the keys in its file, so newer keys need a new file.
    static let customerKeyFileStep =
        "If you have a customer page, make a new key file and move it to the server: tapcard "
        + "keys customers FILE --overwrite"

    fileprivate static func members(of issuer: IssuerKeys) -> Members {
        ["nextKey": issuer.next.document, "servers": issuer.stations.document]
    }

    /// The report of `keys list` for a station that has no keys.
    fileprivate init(_ issuer: IssuerKeys) {
        let lines =
            issuer.sealing.map {
                [
                    "This machine has no keys; the other servers seal with key \($0)",
                    "Run tapcard keys export FILE on one of them, then import the file here: "
                        + "tapcard keys import FILE",
                ]
            } ?? ["No server has keys yet", "To create them, run: tapcard init"]
        self.init(["keys": .array([])] + Report.members(of: issuer), lines, isPlain: true)
    }
}

extension KeyUse {
    /// The number of cards, with the first few UIDs.
    fileprivate var summary: String {
        guard cards > 0 else { return "0" }
        let rest = cards > first.count ? ", and \(cards - first.count) more" : ""
        return "\(cards) (\(first.map(\.description).joined(separator: ", "))\(rest))"
    }

    /// The warning about tags whose write passwords come from the key.
    fileprivate var protectionWarning: String {
        "Tags whose write password still comes from this key: \(protected). Anyone who has the "
            + "key can still write to them until you run tapcard tag unprotect and then tapcard "
            + "tag protect."
    }
}
