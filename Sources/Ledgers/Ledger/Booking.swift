public import TapcardDomain

/// An operation with everything that a report needs to know about it.
public struct Booking: Hashable, Sendable {
    /// The operation; nil for a change without a card.
    public let operation: Operation?
    /// The change without a card.
    public let cardless: CardlessOperation?
    /// What it has booked so far, oldest first; empty if no money moved.
    public let entries: [Entry]
    /// The cardholder's name.
    public let holder: HolderName?
    /// The station that booked it; nil for a ledger in a file, which only one station uses.
    public let station: String?

    /// Creates a booking.
    public init(
        _ operation: Operation, _ entries: [Entry], holder: HolderName?, station: String?
    ) {
        (self.operation, self.entries, cardless) = (operation, entries, nil)
        (self.holder, self.station) = (holder, station)
    }

    /// Creates the booking of a change without a card.
    package init(_ change: CardlessOperation) {
        (operation, cardless, holder, station) = (nil, change, nil, nil)
        entries = change.postings.map {
            Entry(
                operation: change.id, account: $0.account, amount: $0.amount, postedAt: change.at)
        }
    }

    package var id: OperationID? { operation?.id ?? cardless?.id }
    package var kind: String { operation?.kind.rawValue ?? cardless?.kind.rawValue ?? "" }
    package var beganAt: Timestamp {
        operation?.beganAt ?? cardless?.at ?? Timestamp(milliseconds: 0)
    }
    package var card: CardUID? { operation?.uid }
    package var cashier: CashierName? { operation?.cashier ?? cardless?.cashier }
    package var lines: [SaleLine] { operation?.lines ?? cardless?.lines ?? [] }
    package var reverses: OperationID? { operation?.reverses ?? cardless?.reverses }
    package var isRefund: Bool {
        operation?.kind == .refund || operation?.kind == .reverse || cardless?.kind == .undo
    }

    /// The amount that was added to the account.
    package func amount(on account: Account) -> Int64 {
        entries.reduce(0) { $1.account == account ? $0 &+ $1.amount : $0 }
    }

    /// The entries as transfers from one account to another. On each account, they add up to the
    /// same amount as the entries.
    package var transfers: [(debit: Account, credit: Account, amount: Int64)] {
        var transfers: [(debit: Account, credit: Account, amount: Int64)] = []
        var sources = entries.filter { $0.amount < 0 }.map { ($0.account, left: -$0.amount) }
        for target in entries where target.amount > 0 {
            var left = target.amount
            while left > 0, let source = sources.first {
                let moved = min(left, source.left)
                transfers.append((source.0, target.account, moved))
                left -= moved
                sources[0].left -= moved
                if sources[0].left == 0 { sources.removeFirst() }
            }
        }
        return transfers
    }
}

/// The columns of a booking: those of its operation, then the cardholder's name, the entries as
/// text, and the station.
extension Booking {
    package init(_ row: inout Columns) throws(LedgerError) {
        let operation = try Operation(&row)
        let holder = try row.optional { $0.text.flatMap { try? HolderName($0) } }
        var entries: [Entry] = []
        for line in try row.optional(\.text)?.split(separator: "\n") ?? [] {
            let cells = line.split(separator: " ")
            guard cells.count == 3, let account = Account(String(cells[0])),
                let amount = Int64(cells[1]), let time = Int64(cells[2])
            else { throw Columns.unreadable }
            entries.append(
                Entry(
                    operation: operation.id, account: account, amount: amount,
                    postedAt: Timestamp(milliseconds: time)))
        }
        self.init(operation, entries, holder: holder, station: try row.optional(\.text))
    }
}

/// What a group of operations booked, in minor units. Sums wrap, because altered rows may contain
/// any number.
package struct BookedSums: Hashable, Sendable {
    /// A number of operations, and the sum of their amounts.
    package struct Tally: Hashable, Sendable {
        package private(set) var number = 0
        package private(set) var amount: Int64 = 0

        mutating func add(_ amount: Int64) {
            guard amount != 0 else { return }
            number += 1
            self.amount &+= amount
        }
    }

    /// Payments, tickets, offline payments, and sales without a card, however they were paid.
    package private(set) var sales = Tally()
    /// Refunds of sales, and of the part that was not paid with the card.
    package private(set) var refunds = Tally()
    /// Returned deposits that were worth more than what was sold.
    package private(set) var credits = Tally()
    package private(set) var topUps = Tally()
    /// Top-ups that were reversed.
    package private(set) var reversals = Tally()
    /// The top-ups of each tender, less reversals.
    package private(set) var toppedUp: [Tender: Int64] = [:]
    /// What was not paid with a card: sales without one and parts of sales, less what was returned.
    package private(set) var rests: [Tender: Int64] = [:]
    /// Balances and prizes that were paid out in cash.
    package private(set) var payouts = Tally()
    /// The part of the payouts that came from cards.
    package private(set) var paidOutFromCards: Int64 = 0
    /// Cash that was put into the drawer, less what was taken out.
    package private(set) var cashMoved: Int64 = 0
    /// Prizes that were added to cards.
    package private(set) var prizes: Int64 = 0
    /// The sums of the issuer's accounts.
    package private(set) var accounts: [Account: Int64] = [:]
    /// The sum of all cards' accounts.
    package private(set) var purses: Int64 = 0

    package init() {}

    /// The change in the cash in the drawer.
    package var drawer: Int64 {
        toppedUp[.cash, default: 0] &+ rests[.cash, default: 0] &- payouts.amount &+ cashMoved
    }
    /// Sales less refunds and credits.
    package var takings: Int64 { sales.amount &- refunds.amount &- credits.amount }
    /// What was paid with cards: `takings`, without what was paid otherwise or not at all.
    package var spent: Int64 {
        rests.values.reduce(takings, &-) &+ accounts[.shortfall, default: 0]
            &+ accounts[.rounding, default: 0]
    }
    package var loaded: Int64 { toppedUp.values.reduce(0, &+) }

    package mutating func add(_ booking: Booking) {
        guard !booking.entries.isEmpty else { return }
        for entry in booking.entries {
            if case .purse = entry.account {
                purses &+= entry.amount
            } else {
                accounts[entry.account, default: 0] &+= entry.amount
            }
        }
        let takings = booking.amount(on: .takings)
        guard let operation = booking.operation else {
            switch booking.cardless?.kind {
            case .sale:
                takings < 0 ? credits.add(0 &- takings) : sales.add(takings)
                addTenders(of: booking, to: \.rests)
            case .undo:
                takings > 0 ? credits.add(0 &- takings) : refunds.add(0 &- takings)
                addTenders(of: booking, to: \.rests)
            case .cashIn, .cashOut, nil: cashMoved &+= booking.amount(on: .safe)
            }
            return
        }
        let amount = operation.amount
        switch operation.kind {
        case .pay, .ticket, .offline:
            sales.add(takings)
            addTenders(of: booking, to: \.rests)
        case .refund:
            refunds.add(0 &- takings)
            addTenders(of: booking, to: \.rests)
        case .credit: credits.add(0 &- takings)
        case .add, .issue:
            topUps.add(amount)
            addTenders(of: booking, to: \.toppedUp)
        case .reverse:
            reversals.add(amount)
            addTenders(of: booking, to: \.toppedUp)
        case .close:
            payouts.add(amount)
            paidOutFromCards &+= amount
        case .payout: payouts.add(amount)
        case .claim: prizes &+= amount
        case .adopt, .replace, .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect,
            .block, .unblock, .forget:
            break
        }
        // The balance of an account that a reissue closed is paid out in cash.
        let closed = booking.amount(on: .reissued)
        payouts.add(closed)
        paidOutFromCards &+= closed
    }

    private mutating func addTenders(
        of booking: Booking, to sums: WritableKeyPath<BookedSums, [Tender: Int64]>
    ) {
        for tender in Tender.allCases {
            let amount = booking.amount(on: Account(tender))
            if amount != 0 { self[keyPath: sums][tender, default: 0] &-= amount }
        }
    }
}
