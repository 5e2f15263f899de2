import Ledger
import StationFiles
import Tags
import TapcardCore
import TapcardDomain

extension Parameter<Bool> {
    fileprivate static var noResolve: Self {
        .flag("no-resolve", "Only show the card; do not change the tag or the ledger", page: .never)
    }
    fileprivate static var noScratch: Self {
        .flag("no-scratch", "Issue a card that cannot be scratched")
    }
}

extension Parameter<HolderName?> {
    fileprivate static var name: Self {
        .option("name", "TEXT", .holderName, "Cardholder's name, up to 160 bytes")
    }
}

extension Parameter<HolderID?> {
    fileprivate static var id: Self {
        .option(
            "id", "N", .holderID,
            "Cardholder's ID: a whole number, 1 or higher; need not be unique")
    }
}

extension Parameter<TypedAmount?> {
    fileprivate static var balance: Self {
        .option(
            "balance", "AMOUNT", .amount, "Starting balance, already received in cash (default 0)")
    }
    fileprivate static var acceptBalance: Self {
        .option(
            "accept-balance", "AMOUNT", .amount, "Carry over the tag's balance if it equals AMOUNT")
    }
}

extension Command {
    static let cardCommands: [Command] = [
        Command(
            "read", group: .cards, "Show the card on the reader and resolve any open operation",
            discussion: "An open payment, ticket purchase, or payout is committed or voided; any "
                + "other open operation is completed. A card that cannot be trusted is shown with "
                + "the reason, and the exit status is 7. If the ledger is offline or "
                + "missing, only the information on the tag is shown, and the exit status is 9.",
            takes: .noResolve, page: .post("read", for: .sellers), answers: .card,
            example: "tapcard read",
            run: CardCommands.read),
        Command(
            "demo", group: .cards, "Issue a sample card: Amanda Gonzalez, ID 1, balance 0",
            discussion: "The card is also a scratch card. With `--reader sim`, the first use also "
                + "sets up the simulation.",
            takes: .confirmedPayout, .display, .protect, .reissue, .overwrite, .anyChip, .operation,
            page: .post("demo", for: .making), answers: .card, example: "tapcard --reader sim demo",
            run: CardCommands.demo),
        Command(
            "issue", group: .cards, "Turn the tag on the reader into a new card",
            discussion: "The name and the ID are optional. A tag with other content needs "
                + "`--overwrite`. A tag that is already a card in this ledger needs `--reissue`, "
                + "and you must pay out its balance in cash. Any phone can read the name and the "
                + "ID, except on an NTAG 424.",
            takes: .name, .id, .balance, .noScratch, .confirmed, .display, .protect, .reissue,
            .overwrite, .anyChip, .operation, page: .post("issue", for: .making), answers: .card,
            example: "tapcard issue --name \"Zoë Álvarez\" --id 7 --balance 20",
            run: CardCommands.issue),
        Command(
            "adopt", group: .cards, "Add another system's card to this ledger",
            discussion: "The cardholder and the scratch state carry over. An activated code stays "
                + "activated only if the card was sealed with one of this machine's keys; "
                + "otherwise, the card counts as scratched but not activated. The balance starts "
                + "at 0 unless you use `--accept-balance`; an accepted balance is subject to the "
                + "same limits as a top-up, but is not counted as cash in the drawer. The "
                + "following are refused: blank tags, tags with other content, and cards that are "
                + "already in this ledger, use a different currency, or have an invalid seal.",
            takes: .acceptBalance, .confirmedAmount, .display, .protect, .anyChip, .operation,
            page: .post("adopt", for: .owners), answers: .card,
            example: "tapcard adopt --accept-balance 12.50",
            run: CardCommands.adopt),
        Command(
            "scratch", group: .cards, "Scratch the card and reveal its code",
            discussion: "A card can be scratched only once; its code, a random UUID, is stored on "
                + "the card and in the ledger. Scratching takes two seconds; pressing Ctrl-C "
                + "before then leaves the card unscratched. You can lift the card off the reader "
                + "while you wait, but it must be back on for the code to be written.",
            takes: .operation, page: .post("scratch", for: .sellers), answers: .card,
            example: "tapcard scratch",
            run: CardCommands.scratch),
        Command(
            "activate", group: .cards, "Activate the card's code with the activation service",
            discussion: "Before first use, confirm the service's address with `tapcard config set "
                + "activation-url ADDRESS`. If the service refuses, the card stays scratched and "
                + "you can try again. If the service does not respond, run `tapcard activate` "
                + "again; it sends the same code.",
            takes: .operation, asks: .activationURL, page: .post("activate", for: .sellers),
            answers: .card,
            example: "tapcard activate", run: ActivationCommand.activate),
    ]
}

enum CardCommands {
    static func read(in session: Session) async throws(TapcardError) -> Report {
        let station: Station
        let isFresh = try session.isFresh
        do throws(TapcardError) {
            // A ledger that cannot be written to is good enough for showing a card.
            station =
                isFresh
                ? try await session.readOnlyStation()
                : try await session.station(with: try await session.ledger(changing: false))
        } catch {
            // Even if the ledger cannot be used, the card can be read. If the ledger is in another
            // currency, though, the amounts on the card would be misread.
            guard error.result == .ledger, error.kind != .ledgerCurrency,
                let report = await readWithoutLedger(error, in: session)
            else { throw error }
            return report
        }
        if isFresh {
            session.say(
                "tapcard: Cards can be shown, but their seals cannot be checked, because this "
                    + "machine is not set up. To create keys and a ledger, run: tapcard init "
                    + "--currency EUR\n")
        }
        // A station that is not set up has no keys to seal a record with.
        let resolving = !session[.noResolve] && !isFresh
        let summary = try await station.read(resolving: resolving)
        return Report(
            session.journal.subtractingUnbooked(summary), currency: station.currency,
            showsChip: session.outputOptions.isVerbose)
    }

    /// Reads a card with only the station's keys, because the ledger cannot be used. Returns nil if
    /// that fails, too.
    private static func readWithoutLedger(
        _ error: TapcardError, in session: Session
    ) async -> Report? {
        do {
            let (keyFile, journal) = (session.keyFile, session.journal)
            guard let keys = try keyFile.load() else { return nil }
            let currency = try session.settings.currency ?? keys.currency ?? .usd
            // An empty ledger stands in for the real one; the report contains the ledger's error.
            let station = try await session.station(
                with: InMemoryLedger(currency: currency), KeyRingSource(keyFile, holding: keys))
            let summary = try await station.read(resolving: false)
            return Report(
                journal.subtractingUnbooked(summary.withoutLedger(error)), currency: currency)
        } catch {
            return nil
        }
    }

    static func demo(in session: Session) async throws(TapcardError) -> Report {
        try await make("The demo card is ready", in: session) { station throws(TapcardError) in
            try translating(CardRequest.demo(in: station.currency).origin) { (error: Refusal) in
                TapcardError(error)
            }
        }
    }

    static func issue(in session: Session) async throws(TapcardError) -> Report {
        // A starting balance is a top-up.
        if session[.balance] != nil {
            try await ShiftCommands.requireShift(in: session, try await session.ledger())
        }
        return try await make("Issued", in: session) { station throws(TapcardError) in
            .issue(
                Holder(id: session[.id], name: session[.name]),
                try session[.balance, in: station.currency]
                    ?? Money(minorUnits: 0, station.currency),
                hasScratchCard: !session[.noScratch])
        }
    }

    static func adopt(in session: Session) async throws(TapcardError) -> Report {
        try await make("Converted", in: session) { station throws(TapcardError) in
            .adopt(accepting: try session[.acceptBalance, in: station.currency])
        }
    }

    /// Turns the tag on the reader into a card.
    static func make(
        _ what: String, in session: Session,
        _ origin: (Station) throws(TapcardError) -> CardRequest.Origin
    ) async throws(TapcardError) -> Report {
        let station = try await session.station()
        let request = CardRequest(
            try origin(station), face: session[.display] ?? .tapcard,
            mayReissue: session[.reissue], mayOverwrite: session[.overwrite],
            protects: session[.protect], acceptsAnyChip: session[.anyChip])
        // The warning is printed before the tap, while the user can still decide not to change the
        // tag.
        if request.protects { TagCommands.warnAboutKeyLoss(in: session) }
        let summary = try await station.make(
            request, id: session[.operation] ?? station.newID())
        return Report(summary, what, currency: station.currency, showsChip: true)
    }

    static func scratch(in session: Session) async throws(TapcardError) -> Report {
        let station = try await session.station()
        let receipt = try await station.scratch(id: session[.operation] ?? station.newID())
        let summary = try await station.summary(after: receipt)
        return Report(
            summary, "Scratched", currency: station.currency, isReplayed: receipt.isReplayed)
    }
}
