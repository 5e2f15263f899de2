import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let operatorCommands: [Command] = [
        Command(
            "block", group: .operators, "Stop a card: no money moves on it",
            takes: .namedCard, page: .post("block", reader: .without(.card)), answers: .cardStatus,
            example: "tapcard block --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in try await session.change(.block, "Blocked card") },
        Command(
            "unblock", group: .operators, "Unblock a card",
            takes: .namedCard, page: .post("unblock", reader: .without(.card)),
            answers: .cardStatus, example: "tapcard unblock --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in try await session.change(.unblock, "Unblocked card") },
        Command(
            "repair", group: .operators, "Write a card again from the ledger",
            discussion: "Without --card, only the text that phones read is rewritten. With it, "
                + "even an untrusted card is sealed again from the ledger. Make sure that it is "
                + "the original: repairing a copy makes the copy valid.",
            takes: .card, page: .post("repair"), answers: .card,
            example: "tapcard repair --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in
            let card = try session[.card]
            let station = try await session.station()
            let summary = try await station.repair(naming: card)
            return Report(summary, "Repaired", currency: station.currency)
        },
        Command(
            "replace", group: .operators, "Move a lost card's balance onto a new tag",
            discussion: "The lost card becomes worthless.",
            takes: .lostCard, .confirmed, .display, .protect, .reissue, .overwrite, .anyChip,
            .operation,
            page: .post("replace"), answers: .card, example: "tapcard replace --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in
            guard let lost = try session[.lostCard] else {
                throw TapcardError.usage(
                    "Which card was lost? Name it with --card.",
                    advice: "tapcard history shows the numbers.")
            }
            return try await session.make("Replaced \(lost)") { _ in
                .replace(lost)
            }
        },
        Command(
            "forget", group: .operators, "Take a name out of the ledger and off the card",
            discussion: "The card follows at its next tap.",
            takes: .namedCard, page: .post("forget", reader: .without(.card)), answers: .cardStatus,
            example: "tapcard forget --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in
            try await session.change(
                .forget, "Forgot the name on card", then: "The card follows at its next tap")
        },
    ]
}

extension Parameter<CardUID?> {
    fileprivate static var namedCard: Self {
        .card.saying("The card; without it, the one on the reader")
    }
    fileprivate static var lostCard: Self {
        .option("card", "UID", .card, "The lost card", isRequired: true)
    }
}

extension Session {
    fileprivate func change(
        _ change: StatusChange, _ what: String, then next: String? = nil
    ) async throws(TapcardError) -> Report {
        let named = try self[.card]
        let uid: CardUID
        let changed: LedgerCard
        if let named {
            uid = named
            changed = try await Station.change(
                uid, change, in: try await ledger(), surroundings: surroundings)
        } else {
            let station = try await station()
            uid = try await station.cardOnReader()
            changed = try await Station.change(
                uid, change, in: station.ledger, surroundings: surroundings)
        }
        return Report(
            [
                "uid": .text(uid), "status": .string(changed.status.rawValue),
            ], ["\(what) \(uid)"] + (next.map { [$0] } ?? []), isChange: true)
    }
}
