import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let operatorCommands: [Command] = [
        Command(
            "block", group: .operators, "Block a card",
            discussion: "Payments, top-ups, refunds, and payouts are refused until you unblock the "
                + "card, and an open payment is voided at the next tap. Only the ledger changes, "
                + "not the tag. A server whose ledger is offline may still accept the card until "
                + "its next snapshot.",
            takes: .namedCard, page: .post("block", reader: .without(.card), for: .cashiers),
            answers: .cardStatus,
            example: "tapcard block --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in
            try await OperatorCommands.change(.block, "Blocked card", in: session)
        },
        Command(
            "unblock", group: .operators, "Unblock a card",
            discussion: "Only a blocked card can be unblocked. If the card has been closed or "
                + "replaced, issue its tag again with `--reissue`.",
            takes: .namedCard, page: .post("unblock", reader: .without(.card), for: .owners),
            answers: .cardStatus, example: "tapcard unblock --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in
            try await OperatorCommands.change(.unblock, "Unblocked card", in: session)
        },
        Command(
            "repair", group: .operators, "Rewrite the card from the ledger",
            discussion: "Without `--card`, any open operation is resolved and the text that phones "
                + "read is rewritten; a card that cannot be trusted is refused. With `--card`, a "
                + "card that cannot be trusted is made valid again, and an open payment on it is "
                + "voided. Make sure that the card on the reader is the original: repairing a copy "
                + "makes the copy valid. If you are not sure, block the card and replace it.",
            takes: .repairedCard, page: .post("repair", for: .owners), answers: .card,
            example: "tapcard repair --card 04AC6B72BA6C80", run: OperatorCommands.repair),
        Command(
            "replace", group: .operators, "Replace a lost card with the tag on the reader",
            discussion: "The balance, cardholder, scratch state, tickets, and game move to the new "
                + "card. The lost card is refused from then on, but a server whose ledger is "
                + "offline may still accept it until its next snapshot. A closed card cannot be "
                + "replaced.",
            takes: .lostCard, .confirmedPayout, .display, .protect, .reissue, .overwrite, .anyChip,
            .operation, page: .post("replace", for: .supervised), answers: .card,
            example: "tapcard replace --card 04AC6B72BA6C80", run: OperatorCommands.replace),
        Command(
            "forget", group: .operators, "Delete the cardholder's name from the ledger",
            discussion: "This cannot be undone. The ID is kept, and the name is removed from the "
                + "tag when the card is next tapped. For an adopted card, the saved original "
                + "content is deleted, too.",
            takes: .namedCard, page: .post("forget", reader: .without(.card), for: .owners),
            answers: .cardStatus,
            example: "tapcard forget --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in
            try await OperatorCommands.change(
                .forget, "Name deleted from the ledger for card",
                then: "The tag keeps the name until the card is next tapped",
                in: session)
        },
    ]
}

extension Parameter<CardUID?> {
    fileprivate static var namedCard: Self {
        .card.withHelp("Card to act on (default: the card on the reader)")
    }
    fileprivate static var repairedCard: Self {
        .card.withHelp("Repair this card even if it cannot be trusted")
    }
    fileprivate static var lostCard: Self {
        .option(
            "card", "UID", .card, "UID of the lost card, from `tapcard history` (required)",
            isRequired: true)
    }
}

enum OperatorCommands {
    static func change(
        _ change: StatusChange, _ what: String, then next: String? = nil, in session: Session
    ) async throws(TapcardError) -> Report {
        let (uid, ledger): (CardUID, any LedgerStore)
        // Only the ledger changes, so the card need not be on the reader if its UID is given.
        if let named = session[.card] {
            (uid, ledger) = (named, try await session.ledger())
        } else {
            let station = try await session.station()
            (uid, ledger) = (try await station.cardOnReader(), station.ledger)
        }
        let changed = try await Station.change(
            uid, change, in: ledger, dependencies: session.dependencies)
        return Report(
            ["uid": .text(uid), "status": .string(changed.status.rawValue)],
            ["\(what) \(uid)"] + (next.map { [$0] } ?? []), isChange: true)
    }

    static func repair(in session: Session) async throws(TapcardError) -> Report {
        let card = session[.card]
        let station = try await session.station()
        let summary = try await station.repair(naming: card)
        return Report(summary, "Repaired", currency: station.currency)
    }

    static func replace(in session: Session) async throws(TapcardError) -> Report {
        // The parser checks required arguments, but not required options.
        guard let lost = session[.lostCard] else {
            throw TapcardError.usage(
                "The UID of the lost card is missing; specify it with --card.",
                advice: "To find the UID of the lost card, run: tapcard history")
        }
        return try await CardCommands.make("Replaced \(lost)", in: session) { _ in .replace(lost) }
    }
}
