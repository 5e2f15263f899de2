import Games
import Ledger
import StyledText
package import TapcardCore
package import TapcardDomain
package import TextCodecs

extension JSONValue {
    package static func text(_ value: (some CustomStringConvertible)?) -> JSONValue {
        value.map { .string($0.description) } ?? .null
    }

    package static func number(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { .number(String($0)) } ?? .null
    }
}

extension Report {
    static let displayIsOld =
        "What phones read is out of date; the next tap tries again (tapcard tag info says if it "
        + "is locked)."

    /// A card, after reading or changing it.
    ///
    /// Details of its chip are shown when a card is made, and with `--verbose`.
    package init(
        _ reading: CardReading, _ what: String? = nil, currency: Currency, showsChip: Bool = false,
        isReplayed: Bool? = nil
    ) {
        var members = ShownCard(reading: reading, currency: currency).members
        if let isReplayed { members += ["replayed": .bool(isReplayed)] }
        let who = reading.holder.name?.text ?? "No name"
        let id = reading.holder.id.map { " (id \($0))" } ?? ""
        let balance = reading.balance.map(\.shown) ?? "no balance"
        var lines = [(what.map { "\($0): " } ?? "") + "\(who)\(id), \(balance)"]
        lines.append("Card \(reading.uid), \(reading.chip)")
        if let word = reading.stateWord {
            lines.append(
                "Scratch card: \(word)" + (reading.scratch.code.map { ", code \($0)" } ?? ""))
        }
        if let ticket = reading.ticket {
            let numbers = ticket.balls.numbers.map(String.init).joined(separator: " ")
            lines.append(
                "Ticket \(ticket.id) for \(ticket.draw): \(numbers) + \(ticket.balls.bonus)")
        }
        if let game = reading.game {
            lines.append("Mastermind game \(game.id), \(game.slots) slots")
        }
        let seal =
            reading.problem?.kind == .keyMissing
            ? "under an unknown key" : Report.words(reading.seal)
        lines.append("Seal: \(seal); ledger: \(Report.words(reading.ledger))")
        if [.unavailable, .unreachable].contains(reading.ledger), reading.balance != nil {
            let less = reading.unbooked.map { ", less \($0.shown) to be booked" } ?? ""
            lines.append(
                "The amount is what the card itself says\(less); the ledger has not confirmed it.")
        }
        if let protection = reading.protection, protection != .off {
            lines.append(Report.words(protection))
        }
        if showsChip, let originality = reading.originality {
            lines.append(Report.words(originality))
        }
        lines += Report.words(settled: reading.settled)
        if let closed = reading.closed {
            lines.append("The old account of this tag is closed. Hand out \(closed.shown) now.")
        }
        switch reading.display {
        case _ where reading.problem != nil: break
        case .current: break
        case .repaired: lines.append("What phones read was brought up to date.")
        case .outOfDate: lines.append(Report.displayIsOld)
        }
        lines += Report.words(givenUp: reading.ticketsGivenUp, on: reading.uid)
        lines += Report.shared(by: reading)
        self.init(
            members, lines, problem: reading.problem,
            // Not repeated later, so it must be reported now.
            isDeed: what != nil || !reading.settled.isEmpty)
    }

    /// The code and the number that the card shares with other cards.
    private static func shared(by reading: CardReading) -> [String] {
        var lines: [String] = []
        if let owner = reading.codeOwner {
            lines.append(
                "The code on the tag is that of card \(owner), which keeps it. Where this card has "
                    + "replaced that one: tapcard replace --card \(owner) --reissue")
        }
        if let id = reading.holder.id, !reading.sameHolderID.isEmpty {
            let cards = reading.sameHolderID.map(\.description).joined(separator: ", ")
            lines.append("Id \(id) is taken: somebody else has it, with card \(cards).")
        }
        return lines
    }

    /// The receipt of a movement, new or replayed.
    init(_ receipt: Receipt, _ verb: String) {
        let amount = Money(minorUnits: abs(receipt.amount.minorUnits), receipt.amount.currency)
        var lines = ["\(verb) \(amount.shown), \(receipt.balance.shown) left"]
        if let deferral = receipt.deferral {
            lines[0] =
                "\(verb) \(amount.shown) (deferred), \(receipt.balance.shown) left, as far as is "
                + "known" + (receipt.isReplayed ? " (replayed: done before, not again)" : "")
            lines.append(
                "The ledger is out of reach and books it later; unsettled here: "
                    + "\(deferral.unsettled.shown) of at most \(deferral.limit.shown)")
        } else if receipt.isReplayed {
            // The balance may have changed since.
            lines[0] += " then (replayed: done before, not again)"
        }
        if receipt.operation.kind.handsOutCash, amount.minorUnits > 0 {
            lines.append(
                receipt.isReplayed
                    ? "It was booked\(receipt.operation.whenAndByWhom): hand out nothing, unless "
                        + "that was you and the money is still in the drawer."
                    : "Hand out \(amount.shown) now.")
        }
        lines.append("Card \(receipt.uid), operation \(receipt.operation.id)")
        lines += Report.words(settled: receipt.settled)
        if receipt.display == .outOfDate, receipt.deferral == nil {
            lines.append(Report.displayIsOld)
        }
        lines += Report.words(givenUp: receipt.ticketsGivenUp, on: receipt.uid)
        self.init(receipt.members + receipt.lost, lines, isDeed: true)
    }

    /// The tickets lost with a card; they are reported only here. Many of them may have been drawn
    /// without a prize, which the ledger alone cannot tell.
    private static func words(givenUp tickets: [Ticket], on uid: CardUID) -> [String] {
        guard !tickets.isEmpty else { return [] }
        let draws = Dictionary(grouping: tickets, by: \.draw).mapValues(\.count)
        var named: [DrawID] = []
        for ticket in tickets where !named.contains(ticket.draw) { named.append(ticket.draw) }
        let counts = named.map { "\($0): \(draws[$0] ?? 0)" }.joined(separator: ", ")
        return [
            "\(tickets.count) \(tickets.count == 1 ? "ticket" : "tickets") bought with it and not "
                + "claimed can never be claimed now (\(counts)).",
            "Whether they have won anything: tapcard tickets --card \(uid)",
        ]
    }

    private static func words(_ protection: CardProtection) -> String {
        switch protection {
        case .off: "Protection: none, anyone can write to the tag"
        case .on(let keyID):
            "Protection: only a station with key \(keyID) can write to the tag (tapcard tag info "
                + "asks it)"
        case .settingPassword, .switchingOn: "Protection: being switched on; tap the card again"
        case .switchingOff, .clearingPassword: "Protection: being taken off; tap the card again"
        }
    }

    /// The result of checking the chip maker's signature.
    static func words(_ originality: TagInfo.Originality) -> String {
        switch originality {
        case .valid:
            "Maker's signature: valid (it proves who made the chip, not that the card is genuine)"
        case .invalid:
            "Maker's signature: invalid (the chip is not what it says it is)"
        case .none: "Maker's signature: none (nobody can say who made the chip)"
        case .notAsked: "Maker's signature: not asked (chips of this kind have none)"
        }
    }

    private static func words(_ seal: CardReading.Seal) -> String {
        switch seal {
        case .valid: "valid"
        case .unsealed: "none"
        case .damaged: "damaged"
        case .forged: "invalid"
        case .rolledBack: "of an old state"
        }
    }

    private static func words(_ standing: CardReading.Standing) -> String {
        switch standing {
        case .known: "known"
        case .unknown: "does not know the card"
        case .blocked: "blocked"
        case .closed: "closed"
        case .replaced: "replaced"
        case .behind: "behind the card"
        case .unavailable: "unavailable"
        case .unreachable: "out of reach"
        }
    }
}

/// A card in the currency of the station.
struct ShownCard: DocumentedObject {
    let reading: CardReading
    let currency: Currency

    static let fields: Fields<ShownCard> = [
        "uid": .of(\.reading.uid), "chip": .of(\.reading.chip.name), "seal": .of(\.reading.seal),
        "sequence": .of { $0.reading.sequence?.value },
        "id": .of(Schema.orNull(Schema.number(1...Int.max))) { $0.reading.holder.id?.number },
        "name": .of(\.reading.holder.name), "balance": .of(\.reading.balance),
        "currency": .of { ($0.reading.balance?.currency ?? $0.currency).code },
        "code": .of(\.reading.scratch.code),
        "state": .of(
            Schema.orNull(Schema.words(["unscratched", "scratched", "activating", "activated"])),
            \.reading.stateWord),
        "ledger": .of(\.reading.ledger), "display": .of(\.reading.display),
        "protection": .of(
            Schema.orNull(
                Schema.words([
                    "off", "setting-password", "switching-on", "on", "switching-off",
                    "clearing-password", "keys",
                ]))
        ) { document in
            // A chip that proves itself takes nothing without its keys.
            document.reading.protection.map {
                document.reading.chip == .ntag424 ? "keys" : $0.word
            }
        },
        "originality": .of(\.reading.originality), "ticket": .of(\.reading.ticket),
        "game": .of { $0.reading.game?.id }, "operation": .of(\.reading.operation),
        "settled": .of(\.reading.settled), "closed": .ifAny(\.reading.closed),
        "ticketsGivenUp": .ifAny(\.reading.ticketsGivenUp.unlessEmpty),
        "codeOf": .ifAny(\.reading.codeOwner),
        "sameID": .ifAny {
            $0.reading.holder.id == nil ? nil : $0.reading.sameHolderID.unlessEmpty
        },
    ]
}

extension Receipt: DocumentedObject {
    static let fields: Fields<Receipt> = [
        "operation": .of(\.operation.id), "uid": .of(\.uid),
        "amount": .of(ValueSchemas.signedAmount, \.amount), "balance": .of(\.balance),
        "currency": .of(\.amount.currency.code), "sequence": .of(\.operation.sequence.value),
        "replayed": .of(\.isReplayed), "settled": .of(\.settled),
        "deferred": .ifAny(\.deferral),
    ]

    /// The tickets lost with the card's previous content; present only if there are any.
    static let lost: Fields<Receipt> = ["ticketsGivenUp": .ifAny(\.ticketsGivenUp.unlessEmpty)]

    fileprivate var lost: Members { Receipt.lost.members(of: self) }
}

extension Deferral: DocumentedObject {
    static let fields: Fields<Deferral> = [
        "unsettled": .of(\.unsettled), "limit": .of(\.limit),
    ]
}

extension Ticket: DocumentedObject {
    static var schema: JSONValue { ValueSchemas.ticket }
    static let fields: Fields<Ticket> = [
        "id": .of(\.id), "draw": .of(\.draw), "balls": .of(\.balls.numbers),
        "bonus": .of(\.balls.bonus),
    ]
}

extension Array {
    fileprivate var unlessEmpty: [Element]? { isEmpty ? nil : self }
}
