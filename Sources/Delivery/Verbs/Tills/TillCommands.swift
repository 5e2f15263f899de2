import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<TillName> {
    fileprivate static func till(
        _ word: String = "NAME", _ help: String = "The till's name"
    ) -> Self {
        .argument(
            word,
            .parsed(
                by: { try? TillName($0) },
                "a till's name (up to \(TillName.maximumLength) characters)",
                form: .text(1...4 * TillName.maximumLength), meaning: TapcardError.unchanged),
            help)
    }
    fileprivate static var newName: Self { till("NEW", "The new name") }
}

extension Parameter<Bool> {
    fileprivate static var trusted: Self {
        .flag("trusted", "Allow cards to be made at this till")
    }
}

extension Parameter<String?> {
    fileprivate static var pin: Self {
        .option(
            "pin", "CERT", .file,
            "Connect only to servers with the key of this certificate (PEM file); separate "
                + "several with commas")
    }
}

extension Command {
    static let tillCommands: [Command] = [
        Command(
            "tills add", group: .station, "Add a till whose reader is on another machine",
            discussion: "Prints a code for one machine, valid for 10 minutes. On that machine, run "
                + "`tapcard reader --server URL --code CODE`. The machine gets no keys and no "
                + "access to the ledger. Making a card reveals tag passwords and factory keys to "
                + "the machine, so cards can be made only at the server's own readers and at tills "
                + "added with `--trusted`.\n\n"
                + "With `--pin`, the code names the keys of these certificates, and the machine "
                + "connects only to servers that have one of them. It needs no `ca-file` then. "
                + "Renewed certificates must keep their keys.",
            takes: .till(), .trusted, .pin, page: .post("tills/add", reader: .never, for: .owners),
            answers: .addedTill, example: "tapcard tills add Bar", run: TillCommands.add),
        Command(
            "tills code", group: .station, "Get a new code for a till, to connect another machine",
            discussion: "The current machine stays connected until another one uses the code.",
            takes: .till(), .pin, page: .post("tills/code", reader: .never, for: .owners),
            answers: .addedTill, example: "tapcard tills code Bar", run: TillCommands.renewCode),
        Command(
            "tills list", group: .station, "List the tills whose readers are on other machines",
            page: .get("tills", reader: .never, for: .owners), answers: .tills,
            example: "tapcard tills list", run: TillCommands.list),
        Command(
            "tills rename", group: .station, "Rename a till",
            discussion: "The address of the till's page stays the same.",
            takes: .till(), .newName,
            page: .post("tills/rename", reader: .never, for: .owners), answers: .changedTill,
            example: "tapcard tills rename Bar Terrace", run: TillCommands.rename),
        Command(
            "tills remove", group: .station, "Remove a till, such as one whose machine was stolen",
            discussion: "Within about a second, running servers disconnect the till's reader and "
                + "log out everyone at its page.",
            takes: .till(), page: .post("tills/remove", reader: .never, for: .owners),
            answers: .changedTill, example: "tapcard tills remove Bar", run: TillCommands.remove),
        Command(
            "tills confirm", group: .station, "Confirm a till after the ledger was restored",
            discussion: "A backup may still contain tills that you removed after it was made. So "
                + "after a restore, each till with a reader on another machine is refused until "
                + "you confirm it.",
            takes: .till(), page: .post("tills/confirm", reader: .never, for: .owners),
            answers: .changedTill, example: "tapcard tills confirm Bar",
            run: TillCommands.confirm),
    ]
}

enum TillCommands {
    static func add(in session: Session) async throws(TapcardError) -> Report {
        let (name, isTrusted) = (session[.till()], session[.trusted])
        return try await withNewCode(in: session) { ledger, code, now throws(LedgerError) in
            try await ledger.addTill(name, isTrusted: isTrusted, code: code, at: now)
        }
    }

    static func renewCode(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.till()]
        return try await withNewCode(in: session) { ledger, code, _ throws(LedgerError) in
            try await ledger.renewCode(of: name, code)
        }
    }

    static func list(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let tills = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.read { rows throws(LedgerError) in try rows.currentTills() }
        }
        return Report(
            ["tills": tills.document],
            tills.isEmpty
                ? ["No tills; to add one, run: tapcard tills add NAME"] : tills.map(\.line),
            isPlain: true)
    }

    static func rename(in session: Session) async throws(TapcardError) -> Report {
        let (name, new) = (session[.till()], session[.newName])
        return try await change(in: session, "Till \(name) is now named \(new)") {
            ledger, _ throws(LedgerError) in try await ledger.renameTill(name, to: new)
        }
    }

    static func remove(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.till()]
        return try await change(in: session, "Till \(name) removed") {
            ledger, now throws(LedgerError) in try await ledger.removeTill(name, at: now)
        }
    }

    static func confirm(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.till()]
        return try await change(in: session, "Till \(name) confirmed") {
            ledger, _ throws(LedgerError) in try await ledger.confirmTill(name)
        }
    }

    private static func withNewCode(
        in session: Session,
        _ body: (any LedgerStore, EnrolledTill.Code, Timestamp) async throws(LedgerError) ->
            TillOutcome
    ) async throws(TapcardError) -> Report {
        let pins = try session[.pin].map { files throws(TapcardError) in
            try TillCommands.pins(in: files)
        }
        let code = EnrollmentCode.text(session.dependencies.random(EnrollmentCode.randomBytes))
        let till = try await outcome(in: session) { ledger, now throws(LedgerError) in
            let end = Timestamp(milliseconds: now.milliseconds + EnrolledTill.Code.lifetime)
            return try await body(
                ledger, EnrolledTill.Code(hash: EnrollmentCode.hash(of: code), expires: end), now)
        }
        let text = ([code] + (pins ?? []).map(\.text)).joined(separator: ".")
        let minutes = EnrolledTill.Code.lifetime / 60_000
        return Report(
            ["code": .string(text)] + till.members,
            [
                "Code for till \(till.name), valid for \(minutes) minutes: \(text)",
                "On the till's machine, run: tapcard reader --server URL --code \(text)",
            ], isChange: true)
    }

    /// The pins of the certificates in these files.
    private static func pins(in files: String) throws(TapcardError) -> [ServerPin] {
        let paths = files.split(separator: ",", omittingEmptySubsequences: false)
        return try paths.map { path throws(TapcardError) in
            let file = NamedFile(String(path))
            guard let pin = ServerPin(certificatePEM: try file.content()) else {
                throw TapcardError(
                    .fileUnusable, "There is no certificate in \(file.displayName).",
                    meaning: TapcardError.unchanged,
                    advice: "Specify the PEM file that the server uses with --tls-certificate.")
            }
            return pin
        }
    }

    private static func change(
        in session: Session, _ done: String,
        _ body: (any LedgerStore, Timestamp) async throws(LedgerError) -> TillOutcome
    ) async throws(TapcardError) -> Report {
        let till = try await outcome(in: session, body)
        return Report(till.members, [done], isChange: true)
    }

    private static func outcome(
        in session: Session,
        _ body: (any LedgerStore, Timestamp) async throws(LedgerError) -> TillOutcome
    ) async throws(TapcardError) -> EnrolledTill {
        let ledger = try await session.ledger()
        let now = ledger.time(at: session.dependencies.now())
        let outcome = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await body(ledger, now)
        }
        switch outcome {
        case .done(let till): return till
        case .refused(let refusal): throw TapcardError(refusal)
        }
    }
}

extension EnrolledTill {
    /// The path of the till's page.
    private var path: String { "/tills/\(number)/" }

    /// The till's line in the output of `tapcard tills list`.
    fileprivate var line: String {
        let state =
            if isSuspended {
                "waiting for confirmation"
            } else if token == nil {
                "code not used yet"
            } else if let attachment {
                "last connected \(LocalTime.text(attachment.at)) to \(attachment.server), "
                    + "from \(attachment.address), reader \(attachment.reader), "
                    + "tapcard \(attachment.release)"
            } else {
                "not connected yet"
            }
        return "\(name): \(path), " + (isTrusted ? "trusted, " : "") + state
    }
}

extension EnrolledTill: DocumentedObject {
    static let fields: Fields<EnrolledTill> = [
        "name": .of { $0.name.text }, "number": .of(\.number), "path": .of(\.path),
        "trusted": .of(\.isTrusted), "suspended": .of(\.isSuspended), "added": .of(\.added),
        "removed": .of(\.removed), "connected": .of { $0.attachment?.at },
        "server": .of { $0.attachment?.server }, "address": .of { $0.attachment?.address },
        "reader": .of { $0.attachment?.reader }, "version": .of { $0.attachment?.release },
    ]
}
