import CardCryptography
import Ledger
import ReaderDiagnosis
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<String?> {
    fileprivate static var copy: Self {
        .optionalArgument(
            "FILE", .file, "Copy of another server's journal (default: this machine's own)")
    }
}

extension Parameter<OperationID> {
    fileprivate static var journal: Self {
        .argument("JOURNAL", .journal, "ID of the journal, as shown by `tapcard ledger status`")
    }
}

extension Command {
    /// The commands for offline payments.
    static let offlineCommands: [Command] = [
        Command(
            "offline book", group: .ledger, "Book a server's offline payments in the ledger",
            discussion: "Every command that uses cards and the ledger does this automatically; run "
                + "this one for a server that will not be used again. FILE is a copy of "
                + "`deferred.journal` from the data folder of a server with the same keys. Each "
                + "payment is booked only once, even if you run the command again. The output "
                + "shows any amount that cards could not cover, which is the issuer's loss.",
            takes: .copy, answers: .bookedJournal, example: "tapcard offline book",
            run: OfflineCommands.book),
        Command(
            "offline snapshot", group: .ledger, "Store the state of all cards for offline payments",
            discussion: "Offline payments are refused once the snapshot is older than "
                + "`offline-snapshot-age`, four hours by default. `tapcard serve` takes a "
                + "snapshot about every five minutes; where it is not running, run this command "
                + "regularly. The command requires `offline-payments` to be on and the ledger to "
                + "be in a database.",
            answers: .snapshot, example: "tapcard offline snapshot",
            run: OfflineCommands.takeSnapshot),
        Command(
            "offline write-off", group: .ledger, "Write off a server's journal as lost",
            discussion: "Only the ledger's owner can do this; use it when the server and its "
                + "journal are permanently lost. Afterward, `tapcard audit` and `tapcard ledger "
                + "status` no longer report the journal. If the journal turns up later, `tapcard "
                + "offline book` can still book its payments.",
            takes: .journal, answers: .writtenOff,
            example: "tapcard offline write-off 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60",
            run: OfflineCommands.writeOff),
    ]
}

enum OfflineCommands {
    static func book(in session: Session) async throws(TapcardError) -> Report {
        // Booking changes the ledger but must not create one.
        let ledger = try await session.ledger(making: false, changing: true)
        let keys = try bookingKeys(in: session)
        try await session.requireCommonKeys(keys, ledger)
        let now = session.dependencies.now()
        let booked: OfflinePayments.Booked?
        if let copy = session[.copy] {
            booked = try await OfflinePayments.book(copy: copy, into: ledger, keys, at: now)
            guard booked != nil else {
                throw TapcardError(
                    .fileUnusable, "The file \(copy) does not exist.",
                    meaning: "Nothing was booked.")
            }
        } else {
            booked = try await session.journal.payments.book(into: ledger, keys, at: now)
        }
        func text(_ units: Int64) -> JSONValue {
            .text(Money(minorUnits: units, ledger.currency))
        }
        let count = booked?.payments ?? 0
        return Report(
            [
                "payments": .number(count), "amount": text(booked?.amount ?? 0),
                "shortfall": text(booked?.shortfall ?? 0),
                "currency": .string(ledger.currency.code),
            ],
            [count > 0 ? booked?.sentence ?? "" : "No offline payments to book"],
            isChange: count > 0)
    }

    private static func bookingKeys(in session: Session) throws(TapcardError) -> KeyRing {
        if let keys = try session.keyFile.load() { return keys }
        throw TapcardError(
            .keysUnusable, "This machine has no keys.", meaning: "Nothing was booked.",
            next: [.file(.importKeys)])
    }

    static func takeSnapshot(in session: Session) async throws(TapcardError) -> Report {
        let settings = session.settings
        guard settings.isOn(.offlinePayments), case .database = try settings.ledgerPlace else {
            throw TapcardError.usage(
                "This machine does not take offline payments: they are turned off, or its ledger "
                    + "is a file.",
                advice:
                    "If its ledger is in a database, turn them on: tapcard config set "
                    + "offline-payments true")
        }
        let ledger = try await session.ledger(making: false, changing: true)
        // Without keys, no snapshot would be taken, yet "0 cards" would be reported.
        _ = try bookingKeys(in: session)
        let cards = try await session.journal.takeSnapshot(of: ledger)?.cardCount ?? 0
        return Report(
            ["cards": .number(cards)],
            [cards == 1 ? "The snapshot has 1 card" : "The snapshot has \(cards) cards"],
            isChange: true)
    }

    /// Refuses everyone except the owner; otherwise, a station could hide that its own journal is
    /// missing.
    private static func requireOwner(
        of ledger: any LedgerStore, in session: Session
    ) async throws(TapcardError) {
        let status = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.databaseStatus(at: session.dependencies.now())
        }
        // A station logs in under its own name; a login that is not in the list is the owner's.
        guard let status, status.keys.stations.contains(where: { $0.name == status.login }) else {
            return
        }
        throw TapcardError(
            .ledgerReadOnly, "Only the owner of the ledger can write off a journal.",
            meaning: "Nothing was changed.",
            advice:
                "Run this with the owner's login: tapcard --ledger "
                + "postgresql://OWNER@HOST/DATABASE offline write-off JOURNAL")
    }

    static func writeOff(in session: Session) async throws(TapcardError) -> Report {
        let id = session[.journal]
        let ledger = try await session.ledger(making: false, changing: true)
        try await requireOwner(of: ledger, in: session)
        let isKnown = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.writeOff(id, at: ledger.time(at: session.dependencies.now()))
        }
        guard isKnown else {
            throw TapcardError(
                .refusal(.wrongState), "The ledger has no journal \(id).",
                meaning: "Nothing was changed.",
                advice: "To list the journals, run: tapcard ledger status")
        }
        return Report(
            ["journal": .string(id.description)],
            ["Journal \(id) written off; audit and status no longer report it"], isChange: true)
    }
}

extension JournalConcern: DocumentedObject {
    static let fields: Fields<JournalConcern> = [
        "journal": .of(\.journal.id), "server": .of(\.journal.station),
        "reason": .of(\.reason), "payments": .of(\.payments),
        "reported": .of(\.journal.reportedAt),
    ]
}

extension JournalConcern.Reason: DocumentedWord {}

extension JournalConcern {
    /// One line for an operator.
    var sentence: String {
        let subject =
            journal.station.map { "The journal of server \($0)" } ?? "Journal \(journal.id)"
        let count = payments.map { $0 == 1 ? "1 payment" : "\($0) payments" } ?? ""
        let reported = LocalTime.text(journal.reportedAt)
        return switch reason {
        case .unbooked: "\(subject) has \(count) not booked yet."
        case .missing: "\(subject) has a gap: \(count) missing before later ones."
        case .old: "\(subject) is an older copy that ends before the last booked payment."
        case .replaced:
            "\(subject) was replaced by a new one; its last report was at \(reported)."
        case .silent:
            "\(subject) has not reported since \(reported) and may contain newer payments."
        }
    }

    var remedy: [Finding.Step] {
        [
            .say(
                "Offline payments may still have to be booked. On the server, or with a copy of "
                    + "its journal:"), .run("tapcard offline book"),
            .say("If the journal is lost:"), .run("tapcard offline write-off \(journal.id)"),
        ]
    }
}

extension OfflinePayments.Status {
    /// The findings for `tapcard doctor`.
    func findings(_ limits: OfflineLimits?) -> [Finding] {
        var findings: [Finding] = []
        if payments > 0 {
            let sum = Money(minorUnits: unbooked, currency).shown
            findings.append(
                Finding(
                    .unbooked, .note,
                    "Offline payments not yet booked here: \(payments), \(sum) in total.",
                    remedy: [.say("To book them:"), .run("tapcard offline book")]))
        }
        // A station that does not take offline payments does not need a snapshot.
        guard let limits else { return findings }
        let isCurrent = age.map { $0 <= limits.age } ?? false
        let words = age.map { "\(LocalTime.minutes($0)) old" } ?? "missing"
        findings.append(
            Finding(
                .snapshot, isCurrent ? .ok : .note,
                "The snapshot of the cards is \(words)"
                    + (isCurrent ? "." : ", so offline payments are refused."),
                remedy: isCurrent
                    ? [] : [.say("To take a new snapshot:"), .run("tapcard offline snapshot")]))
        return findings
    }
}
