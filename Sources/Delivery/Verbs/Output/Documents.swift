import Ledger
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
        "The text for phones on this tag is out of date and could not be rewritten. The card and "
        + "its balance are fine, and the next tap tries again; if the text stays out of date, "
        + "run tapcard tag info to see whether the tag is locked."

    /// Reports a card that was read or changed.
    ///
    /// Details about its chip are shown when a card is made and with `--verbose`.
    package init(
        _ summary: CardSummary, _ what: String? = nil, currency: Currency, showsChip: Bool = false,
        isReplayed: Bool? = nil
    ) {
        var members = ShownCard(summary: summary, currency: currency).members
        if let isReplayed { members += ["replayed": .bool(isReplayed)] }
        let name = summary.holder.name?.text ?? "No name"
        let id = summary.holder.id.map { " (id \($0))" } ?? ""
        let balance = summary.balance.map(\.shown) ?? "no balance"
        var lines = [(what.map { "\($0): " } ?? "") + "\(name)\(id), \(balance)"]
        lines.append("Card \(summary.uid), \(summary.chip)")
        if let word = summary.stateWord {
            lines.append(
                "Scratch card: \(word)" + (summary.scratch.code.map { ", code \($0)" } ?? ""))
        }
        if let ticket = summary.ticket {
            let numbers = ticket.balls.numbers.map(String.init).joined(separator: " ")
            lines.append(
                "Ticket \(ticket.id) for \(ticket.draw): \(numbers) + \(ticket.balls.bonus)")
        }
        if let game = summary.game {
            lines.append("Mastermind game \(game.id), \(game.slots) slots")
        }
        let seal =
            // Without the key, the seal could not be checked.
            summary.problem?.kind == .keyMissing
            ? "unknown key" : Report.words(summary.seal)
        lines.append("Seal: \(seal); ledger: \(Report.words(summary.ledger))")
        if [.unavailable, .offline].contains(summary.ledger), summary.balance != nil {
            let deduction =
                summary.unbooked.map {
                    ", less \($0.shown) in offline payments not yet booked"
                } ?? ""
            lines.append(
                "The ledger has not confirmed this balance; it is the amount stored on the card"
                    + "\(deduction).")
        }
        if let protection = summary.protection, protection != .off {
            lines.append(Report.words(protection))
        }
        if showsChip, let originality = summary.originality {
            lines.append(Report.words(originality))
        }
        lines += Report.words(resolved: summary.resolved)
        if let closed = summary.closed {
            lines.append(
                "The old account of this tag is closed. Give the customer \(closed.shown) now.")
        }
        switch summary.display {
        // The problem is more important than the text for phones.
        case _ where summary.problem != nil: break
        case .current: break
        case .repaired:
            lines.append("The text for phones on this tag was out of date and has been rewritten.")
        case .outOfDate: lines.append(Report.displayIsOld)
        }
        lines += Report.words(givenUp: summary.ticketsGivenUp, on: summary.uid)
        lines += Report.shared(by: summary)
        self.init(
            members, lines, problem: summary.problem,
            // No later command reports what this tap resolved, so it counts as a change.
            isChange: what != nil || !summary.resolved.isEmpty)
    }

    /// The lines about a code or a cardholder ID that the card shares with other cards.
    private static func shared(by summary: CardSummary) -> [String] {
        var lines: [String] = []
        if let owner = summary.codeOwner {
            lines.append(
                "The activation code on this tag belongs to card \(owner), which keeps it. If this "
                    + "tag replaced that card and the ledger has no record of it, run: tapcard "
                    + "replace --card \(owner) --reissue")
        }
        if let id = summary.holder.id, !summary.sameHolderID.isEmpty {
            let cards = summary.sameHolderID.map(\.description).joined(separator: ", ")
            lines.append(
                "Cardholder ID \(id) is not unique; these cards also have it: \(cards).")
        }
        return lines
    }

    /// Reports the receipt for a transfer of money, whether new or replayed.
    ///
    /// `returning` is what the customer gets back in another way than onto the card.
    init(_ receipt: Receipt, _ verb: String, returning: TenderedAmount? = nil) {
        // The verb shows the direction, so the amount needs no sign.
        let amount = Money(minorUnits: abs(receipt.amount.minorUnits), receipt.amount.currency)
        var lines = ["\(verb) \(amount.shown), \(receipt.balance.shown) left"]
        if let rest = receipt.operation.shownRest(amount.currency), !receipt.isReplayed {
            lines.append("Collect the other \(rest.amount.shown): \(rest.tender.rawValue)")
        }
        if let sold = receipt.operation.lines.sold { lines.append("Sold: \(sold)") }
        if let returned = receipt.operation.lines.returned {
            lines.append("Returned: \(returned)")
        }
        if let unbooked = receipt.unbooked {
            lines[0] =
                "\(verb) \(amount.shown) (offline), \(receipt.balance.shown) left "
                + (receipt.isReplayed
                    ? "(already done; last known balance)" : "(last known balance)")
            lines.append(
                "The ledger is offline; this payment is in this machine's journal and will be "
                    + "booked when the ledger is back online (payments not yet booked here: "
                    + "\(unbooked.unbooked.shown), limit \(unbooked.limit.shown))")
        } else if receipt.isReplayed {
            // The card's balance may have changed since.
            lines[0] += " (already done; balance at that time)"
        }
        let payout =
            returning
            ?? (receipt.operation.kind.paysOutCash
                ? TenderedAmount(.cash, amount.minorUnits) : nil)
        if let payout {
            lines.append(
                receipt.isReplayed
                    ? "This payout was already recorded\(receipt.operation.whenAndByWhom). Do not "
                        + "give the customer cash now, unless you recorded the payout yourself and "
                        + "the customer has not received the cash yet."
                    : Report.words(payout, amount.currency))
        }
        lines.append("Card \(receipt.uid), operation \(receipt.operation.id)")
        lines += Report.words(resolved: receipt.resolved)
        // An offline payment writes nothing to the tag, so its text is always out of date.
        if receipt.display == .outOfDate, receipt.unbooked == nil {
            lines.append(Report.displayIsOld)
        }
        lines += Report.words(givenUp: receipt.ticketsGivenUp, on: receipt.uid)
        let rest =
            receipt.operation.kind == .refund
            ? returning.map { ShownRest($0, amount.currency) } : nil
        self.init(
            receipt.members + receipt.lost + (rest.map { ["rest": $0.document] } ?? [:]), lines,
            isChange: true)
    }

    /// What the cashier has to return to the customer.
    private static func words(_ payout: TenderedAmount, _ currency: Currency) -> String {
        let amount = Money(minorUnits: payout.amount, currency).shown
        return switch payout.tender {
        case .cash: "Give the customer \(amount) now."
        case .terminal: "Refund \(amount) at the card terminal now."
        case .other: "Return \(amount) to the customer the same way it was paid."
        }
    }

    /// The lines about tickets lost with a card, which are reported only here. Many of them may
    /// have won nothing, but the ledger alone cannot tell.
    private static func words(givenUp tickets: [Ticket], on uid: CardUID) -> [String] {
        guard !tickets.isEmpty else { return [] }
        let countsByDraw = Dictionary(grouping: tickets, by: \.draw).mapValues(\.count)
        var drawIDs: [DrawID] = []
        for ticket in tickets where !drawIDs.contains(ticket.draw) { drawIDs.append(ticket.draw) }
        let counts = drawIDs.map { "\($0): \(countsByDraw[$0] ?? 0)" }.joined(separator: ", ")
        return [
            "Unclaimed lottery tickets now void: \(tickets.count) (\(counts)). Their prizes can "
                + "never be claimed.",
            "To see whether they won, run: tapcard tickets --card \(uid)",
        ]
    }

    private static func words(_ protection: CardProtection) -> String {
        switch protection {
        case .off: "Protection: none; anyone can write to the tag"
        case .on(let keyID):
            "Protection: write password from key \(keyID); only a machine with that key can write "
                + "to the tag. To check the chip, run: tapcard tag info"
        case .settingPassword, .switchingOn:
            "Protection: interrupted while being switched on; tap again to finish"
        case .switchingOff, .clearingPassword:
            "Protection: interrupted while being removed; tap again to finish"
        }
    }

    /// The result of checking the chip manufacturer's signature.
    static func words(_ originality: TagInfo.Originality) -> String {
        switch originality {
        case .valid:
            "Manufacturer's signature: valid (proves the origin of the chip, not that the card is "
                + "genuine)"
        case .invalid:
            "Manufacturer's signature: invalid (the chip is counterfeit)"
        case .none: "Manufacturer's signature: none (the origin of the chip is unknown)"
        case .notAsked:
            "Manufacturer's signature: not checked (tapcard knows none for this kind of tag)"
        }
    }

    private static func words(_ seal: CardSummary.Seal) -> String {
        switch seal {
        case .valid: "valid"
        case .unsealed: "none"
        case .damaged: "damaged"
        case .forged: "invalid"
        case .rolledBack: "rolled back"
        }
    }

    private static func words(_ standing: CardSummary.Standing) -> String {
        switch standing {
        case .known: "card found"
        case .unknown: "card not found"
        case .blocked: "card blocked"
        case .closed: "card closed"
        case .replaced: "card replaced"
        case .behind: "older than the card"
        case .unavailable: "unavailable"
        case .offline: "offline"
        }
    }
}

/// A card in the station's currency.
struct ShownCard: DocumentedObject {
    let summary: CardSummary
    let currency: Currency

    static let fields: Fields<ShownCard> = [
        "uid": .of(\.summary.uid), "chip": .of(\.summary.chip.name), "seal": .of(\.summary.seal),
        "sequence": .of { $0.summary.sequence?.value },
        "id": .of(Schema.nullable(Schema.number(1...Int.max))) { $0.summary.holder.id?.number },
        "name": .of(\.summary.holder.name), "balance": .of(\.summary.balance),
        "currency": .of { ($0.summary.balance?.currency ?? $0.currency).code },
        "code": .of(\.summary.scratch.code),
        "state": .of(
            Schema.nullable(Schema.oneOf(["unscratched", "scratched", "activating", "activated"])),
            \.summary.stateWord),
        "ledger": .of(\.summary.ledger), "display": .of(\.summary.display),
        "protection": .of(
            Schema.nullable(
                Schema.oneOf([
                    "off", "setting-password", "switching-on", "on", "switching-off",
                    "clearing-password", "keys",
                ]))
        ) { document in
            // An NTAG 424 cannot be changed without its keys.
            document.summary.protection.map {
                document.summary.chip == .ntag424 ? "keys" : $0.word
            }
        },
        "originality": .of(\.summary.originality), "ticket": .of(\.summary.ticket),
        "game": .of { $0.summary.game?.id }, "operation": .of(\.summary.operation),
        "resolved": .of(\.summary.resolved), "closed": .ifAny(\.summary.closed),
        "ticketsGivenUp": .ifAny(\.summary.ticketsGivenUp.unlessEmpty),
        "codeOf": .ifAny(\.summary.codeOwner),
        "sameID": .ifAny {
            $0.summary.holder.id == nil ? nil : $0.summary.sameHolderID.unlessEmpty
        },
    ]
}

extension Receipt: DocumentedObject {
    static let fields: Fields<Receipt> = [
        "operation": .of(\.operation.id), "uid": .of(\.uid),
        "amount": .of(ValueSchemas.signedAmount, \.amount), "balance": .of(\.balance),
        "currency": .of(\.amount.currency.code), "sequence": .of(\.operation.sequence.value),
        "replayed": .of(\.isReplayed), "resolved": .of(\.resolved),
        "offline": .ifAny(\.unbooked),
        "lines": .ifAny { $0.operation.shownLines($0.amount.currency) },
        "rest": .ifAny { $0.operation.shownRest($0.amount.currency) },
        "tender": .ifAny { $0.operation.kind == .add ? $0.operation.tender : nil },
    ]

    /// The tickets that became void with this operation; present only if there are any.
    static let lost: Fields<Receipt> = ["ticketsGivenUp": .ifAny(\.ticketsGivenUp.unlessEmpty)]

    fileprivate var lost: Members { Receipt.lost.members(of: self) }
}

extension UnbookedPayments: DocumentedObject {
    static let fields: Fields<UnbookedPayments> = [
        "unbooked": .of(\.unbooked), "limit": .of(\.limit),
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

extension Operation {
    /// The lines of the sale; nil if there are none.
    func shownLines(_ currency: Currency) -> [ShownLine]? {
        lines.map { ShownLine(line: $0, currency: currency) }.unlessEmpty
    }

    func shownRest(_ currency: Currency) -> ShownRest? {
        rest.map { ShownRest($0, currency) }
    }
}

/// A line of a sale, in the ledger's currency.
struct ShownLine: DocumentedObject {
    let line: SaleLine
    let currency: Currency

    static let fields: Fields<ShownLine> = [
        "product": .of(\.line.product), "name": .of(\.line.name),
        "price": .of(ValueSchemas.signedAmount) { Money(minorUnits: $0.line.price, $0.currency) },
        "quantity": .of(\.line.quantity),
        "amount": .of(ValueSchemas.signedAmount) {
            Money(minorUnits: $0.line.amount, $0.currency)
        },
    ]
}

/// The part of a sale that was not paid with the card.
struct ShownRest: DocumentedObject {
    let tender: Tender
    let amount: Money

    init(_ rest: TenderedAmount, _ currency: Currency) {
        (tender, amount) = (rest.tender, Money(minorUnits: rest.amount, currency))
    }

    static let fields: Fields<ShownRest> = ["tender": .of(\.tender), "amount": .of(\.amount)]
}
