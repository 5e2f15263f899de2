import Cards
package import Ledger
import TapcardDomain

/// The invariants of a ledger, checked row by row. The product's own check is compared with this.
extension LedgerTables {
    package var rowsBroken: [Violation] {
        moneyBroken + operationsBroken + numbersBroken + ticketsBroken + activationsBroken
    }

    /// I1: no cent comes from nowhere, and no card has less than the amount held on it.
    private var moneyBroken: [Violation] {
        var found: [Violation] = []
        var sums: [Account: Int64] = [:]
        for entry in entries { sums[entry.account, default: 0] += entry.amount }
        let total = sums.values.reduce(0, +)
        if total != 0 { found.append(Violation(.i1, "all entries together are \(total)")) }
        for card in cards.values {
            let holds = sums[card.purse, default: 0]
            let held = operations.values.filter { $0.uid == card.uid && $0.state == .pending }
                .reduce(0) { $0 + ($1.kind.isVoidable ? $1.amount : 0) }
            if held < 0 || held > holds || holds > Currency.largestBalance {
                found.append(Violation(.i1, "\(card.uid) has \(holds), of which \(held) are held"))
            }
        }
        return found
    }

    /// I2 and I3: an ended operation is booked or not, and at most one is open on a card.
    private var operationsBroken: [Violation] {
        var found: [Violation] = []
        for operation in operations.values {
            let booked = entries.filter { $0.operation == operation.id }
            let isToBeBooked =
                operation.amount != 0
                && (operation.state == .committed || !operation.kind.isVoidable)
            // A card that is made again with nothing on it closes its old account all the same.
            let mayBeBooked = isToBeBooked || operation.kind.makesCard
            let isWrong = booked.isEmpty ? isToBeBooked : !mayBeBooked
            if isWrong || booked.reduce(0, { $0 + $1.amount }) != 0 {
                let words = "\(operation.kind.rawValue) is \(operation.state.rawValue)"
                found.append(Violation(.i2, "\(words), with \(booked.count) entries"))
            }
        }
        for uid in cards.keys {
            let open = operations.values.count { $0.uid == uid && $0.state == .pending }
            if open > 1 { found.append(Violation(.i3, "\(open) operations are open on \(uid)")) }
        }
        return found
    }

    /// I4 and I5: each number has one row, whose sixteen bytes contain it, and none is above the
    /// highest one allocated.
    private var numbersBroken: [Violation] {
        var found: [Violation] = []
        for (uid, card) in cards {
            let rows = issued[uid] ?? [:]
            for (number, row) in rows where SealedRecord(row.bytes)?.sequence != number {
                found.append(Violation(.i4, "the record of number \(number) says another one"))
            }
            let highest = rows.keys.max() ?? .none
            if highest > card.allocated || card.confirmed > card.allocated {
                found.append(
                    Violation(
                        .i5,
                        "number \(highest) was issued, \(card.confirmed) confirmed, and "
                            + "\(card.allocated) handed out"))
            }
            if card.confirmed != .none, rows[card.confirmed] == nil {
                found.append(Violation(.i4, "confirmed number \(card.confirmed) was never issued"))
            }
        }
        return found
    }
}

/// Tickets and activations.
extension LedgerTables {
    /// I12: the price is charged if and only if the ticket counts, a prize is booked once and only
    /// for such a ticket, and a card shows no other ticket.
    private var ticketsBroken: [Violation] {
        var found: [Violation] = []
        func booked(_ operation: OperationID, _ account: Account) -> Int64 {
            entries.reduce(0) {
                $0 + ($1.operation == operation && $1.account == account ? $1.amount : 0)
            }
        }
        func counts(_ id: TicketID?) -> Bool {
            tickets.contains {
                $0.ticket.id == id && operations[$0.operation]?.state == .committed
            }
        }
        for sold in tickets {
            let charged = booked(sold.operation, .takings)
            if charged != (counts(sold.ticket.id) ? sold.price : 0) {
                found.append(Violation(.i12, "\(charged) was charged for \(sold.ticket.id)"))
            }
        }
        for purchase in operations.values where purchase.kind == .ticket {
            if tickets.count(where: { $0.operation == purchase.id }) != 1 {
                found.append(Violation(.i12, "a purchase has sold no ticket, or several"))
            }
        }
        let claims = operations.values.filter(\.kind.recordsPrize)
        if Set(claims.map(\.subject)).count != claims.count {
            found.append(Violation(.i12, "a prize was booked twice"))
        }
        for claim in claims where !counts(claim.ticketID) || booked(claim.id, .prizes) >= 0 {
            found.append(Violation(.i12, "a prize was booked for what is no ticket"))
        }
        for card in cards.values where card.ticket.map({ !counts($0.id) }) ?? false {
            found.append(Violation(.i12, "\(card.uid) has a ticket that does not count"))
        }
        return found
    }

    /// I9: each code has at most one attempt that was not rejected, and no activation is without a
    /// yes.
    private var activationsBroken: [Violation] {
        let open = activations.filter { $0.state != .rejected }
        var found: [Violation] = []
        if Set(open.map(\.code)).count != open.count {
            found.append(Violation(.i9, "a code has two attempts"))
        }
        let yes = Set(activations.filter { $0.state == .active }.map(\.id))
        for operation in operations.values
        where operation.kind == .activate && !yes.contains(operation.id) {
            found.append(Violation(.i9, "an activation was begun without a yes"))
        }
        return found
    }
}

extension Operation {
    /// The lasting effect of the operation on the card's account.
    var lastingChange: Int64 {
        switch kind {
        case .pay, .ticket, .close, .offline: state == .committed ? -amount : 0
        case .reverse: -amount
        case .add, .credit, .refund, .claim, .issue, .adopt, .replace: amount
        case .scratch, .activate, .ask, .payout, .game, .reseal, .protect, .unprotect, .block,
            .unblock,
            .forget:
            0
        }
    }
}
