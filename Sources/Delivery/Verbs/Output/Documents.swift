import Ledger
import StyledText
package import TapcardCore
package import TapcardDomain
package import TextCodecs

extension JSONValue {
    package static func text(_ value: (some CustomStringConvertible)?) -> JSONValue {
        value.map { .string($0.description) } ?? .null
    }

    static func ticket(_ ticket: Ticket) -> JSONValue {
        [
            "id": .string(ticket.id.text), "draw": .string(ticket.draw.text),
            "balls": .array(ticket.balls.numbers.map { .number($0) }),
            "bonus": .number(ticket.balls.bonus),
        ]
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
        var members = Report.members(of: reading, currency)
        if let isReplayed { members.append(JSONMember(key: "replayed", value: .bool(isReplayed))) }
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
        if let protection = reading.protection, protection != .off {
            lines.append(Report.words(protection))
        }
        if showsChip, let originality = reading.originality {
            lines.append(Report.words(originality))
        }
        lines += Report.words(settled: reading.settled)
        if let closed = reading.closed {
            lines.append(
                "The old account of this tag is closed. Hand out \(closed.shown) now.")
            members.append(JSONMember(key: "closed", value: .text(closed)))
        }
        switch reading.display {
        case _ where reading.problem != nil: break
        case .current: break
        case .repaired: lines.append("What phones read was brought up to date.")
        case .outOfDate: lines.append(Report.displayIsOld)
        }
        lines += Report.words(givenUp: reading.ticketsGivenUp, on: reading.uid)
        members += Report.members(givenUp: reading.ticketsGivenUp)
        let shared = Report.shared(by: reading)
        lines += shared.lines
        members += shared.members
        self.init(
            members, lines, problem: reading.problem,
            // Not repeated later, so it must be reported now.
            isDeed: what != nil || !reading.settled.isEmpty)
    }

    private static func members(of reading: CardReading, _ currency: Currency) -> [JSONMember] {
        [
            JSONMember(key: "uid", value: .text(reading.uid)),
            JSONMember(key: "chip", value: .string(reading.chip.name)),
            JSONMember(key: "seal", value: .string(reading.seal.rawValue)),
            JSONMember(key: "sequence", value: .number(reading.sequence?.value)),
            JSONMember(key: "id", value: .number(reading.holder.id?.number)),
            JSONMember(key: "name", value: .text(reading.holder.name)),
            JSONMember(key: "balance", value: .text(reading.balance)),
            JSONMember(
                key: "currency", value: .string((reading.balance?.currency ?? currency).code)),
            JSONMember(key: "code", value: .text(reading.scratch.code)),
            JSONMember(key: "state", value: .text(reading.stateWord)),
            JSONMember(key: "ledger", value: .string(reading.ledger.rawValue)),
            JSONMember(key: "display", value: .string(reading.display.rawValue)),
            JSONMember(key: "protection", value: .text(reading.protection?.word)),
            JSONMember(key: "originality", value: .text(reading.originality?.rawValue)),
            JSONMember(key: "ticket", value: reading.ticket.map(JSONValue.ticket) ?? .null),
            JSONMember(key: "game", value: .text(reading.game?.id)),
            JSONMember(key: "operation", value: .text(reading.operation)),
            Report.member(settled: reading.settled),
        ]
    }

    /// The code and the number that the card shares with other cards.
    private static func shared(
        by reading: CardReading
    ) -> (lines: [String], members: [JSONMember]) {
        var lines: [String] = []
        var members: [JSONMember] = []
        if let owner = reading.codeOwner {
            lines.append(
                "The code on the tag is that of card \(owner), which keeps it. Where this card has "
                    + "replaced that one: tapcard replace --card \(owner) --reissue")
            members.append(JSONMember(key: "codeOf", value: .text(owner)))
        }
        if let id = reading.holder.id, !reading.sameHolderID.isEmpty {
            let cards = reading.sameHolderID.map(\.description).joined(separator: ", ")
            lines.append("Id \(id) is taken: somebody else has it, with card \(cards).")
            members.append(
                JSONMember(
                    key: "sameID", value: .array(reading.sameHolderID.map { .text($0) })))
        }
        return (lines, members)
    }

    /// The receipt of a movement, new or replayed.
    init(_ receipt: Receipt, _ verb: String) {
        let amount = Money(minorUnits: abs(receipt.amount.minorUnits), receipt.amount.currency)
        var lines = ["\(verb) \(amount.shown), \(receipt.balance.shown) left"]
        // The balance may have changed since.
        if receipt.isReplayed { lines[0] += " then (replayed: done before, not again)" }
        if receipt.operation.kind.handsOutCash, amount.minorUnits > 0 {
            lines.append(
                receipt.isReplayed
                    ? "It was booked\(receipt.operation.whenAndByWhom): hand out nothing, unless "
                        + "that was you and the money is still in the drawer."
                    : "Hand out \(amount.shown) now.")
        }
        lines.append("Card \(receipt.uid), operation \(receipt.operation.id)")
        lines += Report.words(settled: receipt.settled)
        if receipt.display == .outOfDate {
            lines.append(Report.displayIsOld)
        }
        lines += Report.words(givenUp: receipt.ticketsGivenUp, on: receipt.uid)
        self.init(
            Report.members(of: receipt) + Report.members(givenUp: receipt.ticketsGivenUp), lines,
            isDeed: true)
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

    private static func members(givenUp tickets: [Ticket]) -> [JSONMember] {
        tickets.isEmpty
            ? [] : [JSONMember(key: "ticketsGivenUp", value: .array(tickets.map(JSONValue.ticket)))]
    }

    static func members(of receipt: Receipt) -> [JSONMember] {
        [
            JSONMember(key: "operation", value: .text(receipt.operation.id)),
            JSONMember(key: "uid", value: .text(receipt.uid)),
            JSONMember(key: "amount", value: .text(receipt.amount)),
            JSONMember(key: "balance", value: .text(receipt.balance)),
            JSONMember(key: "currency", value: .string(receipt.amount.currency.code)),
            JSONMember(key: "sequence", value: .number(receipt.operation.sequence.value)),
            JSONMember(key: "replayed", value: .bool(receipt.isReplayed)),
            member(settled: receipt.settled),
        ]
    }

    private static func words(_ protection: CardProtection) -> String {
        switch protection {
        case .off: "Protection: none, anyone can write to the tag"
        case .on(let keyID):
            "Protection: only who has key \(keyID) can write to the tag (tapcard tag info asks it)"
        case .settingPassword, .switchingOn: "Protection: being switched on; tap the card again"
        case .switchingOff, .clearingPassword: "Protection: being taken off; tap the card again"
        }
    }

    /// The result of checking the chip maker's signature.
    static func words(_ originality: TagInfo.Originality) -> String {
        switch originality {
        case .valid:
            "Maker's signature: valid (it proves who made the chip, not that the card is no copy)"
        case .invalid:
            "Maker's signature: invalid (the chip is not what it says it is)"
        case .none: "Maker's signature: none (nobody can say who made the chip)"
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
        }
    }
}
