public import TapcardDomain

/// An operation on a card or a change without a card, together with its entries, as reports and
/// exports read it.
public struct Booking: Hashable, Sendable {
    /// The operation on a card; nil for a change without a card.
    public let operation: Operation?
    /// The change without a card; nil for an operation on a card.
    public let cardless: CardlessOperation?
    /// The entries that were posted; empty if no money was booked.
    public let entries: [Entry]
    /// The cardholder's name as it is now; nil if the ledger has none or no card was used.
    public let holder: HolderName?
    /// The login of the station that posted the entries; nil if it is not known, as in a ledger
    /// that only one station uses.
    public let station: String?

    /// Creates the booking of an operation on a card.
    public init(
        _ operation: Operation, _ entries: [Entry], holder: HolderName?, station: String?
    ) {
        (self.operation, self.entries, cardless) = (operation, entries, nil)
        (self.holder, self.station) = (holder, station)
    }

    /// Creates the booking of a change without a card, whose postings become its entries.
    package init(_ change: CardlessOperation) {
        (operation, cardless, holder, station) = (nil, change, nil, change.station)
        entries = change.postings.map {
            Entry(
                operation: change.id, account: $0.account, amount: $0.amount, postedAt: change.at,
                shift: change.shift)
        }
    }

    /// The ID of the operation or the change without a card. Every booking has one.
    package var id: OperationID? { operation?.id ?? cardless?.id }
    /// The kind as a word for reports and exports, such as "pay" or "cash-in".
    package var kind: String { operation?.kind.rawValue ?? cardless?.kind.rawValue ?? "" }
    /// When the operation began, or when the change without a card was made.
    package var beganAt: Timestamp {
        operation?.beganAt ?? cardless?.at ?? Timestamp(milliseconds: 0)
    }
    /// The UID of the card; nil for a change without a card.
    package var card: CardUID? { operation?.uid }
    /// The cashier who began the operation or made the change, if known.
    package var cashier: CashierName? { requester.cashier }
    /// Who began the operation or made the change, and at which till.
    package var requester: Requester {
        operation?.requester ?? cardless?.requester ?? Requester()
    }
    /// What was sold; empty if only the amount is known or nothing was sold.
    package var lines: [SaleLine] { operation?.lines ?? cardless?.lines ?? [] }
    /// The operation that this one refunds, reverses, or undoes, if any.
    package var reverses: OperationID? { operation?.reverses ?? cardless?.reverses }
    /// The shift in which it was booked; nil if none was open.
    package var shift: ShiftID? { entries.first?.shift }
    /// Whether the booking refunds a payment, reverses a top-up, or undoes a sale without a card.
    package var isRefund: Bool {
        operation?.kind == .refund || operation?.kind == .reverse || cardless?.kind == .undo
    }

    /// The change to one account, in minor units. It is 0 if the booking has no entry on the
    /// account.
    package func amount(on account: Account) -> Int64 {
        entries.reduce(0) { $1.account == account ? $0 &+ $1.amount : $0 }
    }

    /// The entries as transfers, each with one account to debit and one to credit. A negative entry
    /// is a debit, and an entry that several others balance is split. The amounts are positive, in
    /// minor units.
    package var transfers: [(debit: Account, credit: Account, amount: Int64)] {
        var transfers: [(debit: Account, credit: Account, amount: Int64)] = []
        // Altered rows may contain any number, and the smallest has no counterpart above 0.
        var sources = entries.filter { $0.amount < 0 }.map {
            ($0.account, left: 0 &- max($0.amount, -.max))
        }
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

extension Booking {
    /// Reads the columns of an operation, followed by the cardholder's name, the entries, and the
    /// station's login. The entries are one text, with an account, an amount, a time, and, if a
    /// shift was open, the shift's ID on each line.
    package init(_ row: inout Columns) throws(LedgerError) {
        let operation = try Operation(&row)
        let holder = try row.optional { $0.text.flatMap { try? HolderName($0) } }
        var entries: [Entry] = []
        for line in try row.optional(\.text)?.split(separator: "\n") ?? [] {
            let cells = line.split(separator: " ")
            guard (3...4).contains(cells.count), let account = Account(String(cells[0])),
                let amount = Int64(cells[1]), let time = Int64(cells[2])
            else { throw Columns.unreadable }
            entries.append(
                Entry(
                    operation: operation.id, account: account, amount: amount,
                    postedAt: Timestamp(milliseconds: time),
                    shift: cells.count == 4 ? ShiftID(String(cells[3])) : nil))
        }
        self.init(operation, entries, holder: holder, station: try row.optional(\.text))
    }
}

/// The sums of a group of bookings, in minor units. They wrap on overflow, because altered rows may
/// contain any number.
package struct BookedSums: Hashable, Sendable {
    /// A number of bookings, and the sum of their amounts.
    package struct Tally: Hashable, Sendable {
        /// The number of bookings. Amounts of 0 are not counted.
        package private(set) var number = 0
        /// The sum of the amounts, in minor units.
        package private(set) var amount: Int64 = 0

        /// Counts an amount unless it is 0.
        mutating func add(_ amount: Int64) {
            guard amount != 0 else { return }
            number += 1
            self.amount &+= amount
        }
    }

    /// Payments, tickets, and offline payments with cards, and sales without a card. Each counts in
    /// full, including what was not paid with the card.
    package private(set) var sales = Tally()
    /// Refunded payments and undone sales without a card, with a positive amount.
    package private(set) var refunds = Tally()
    /// Credits for returned deposits, onto cards or without a card. Undoing a credit lowers the
    /// amount but raises the number.
    package private(set) var credits = Tally()
    /// Top-ups, including the first balances of new cards. Reversals are not subtracted.
    package private(set) var topUps = Tally()
    /// Reversed top-ups.
    package private(set) var reversals = Tally()
    /// Top-ups minus reversals, by tender.
    package private(set) var toppedUp: [Tender: Int64] = [:]
    /// What customers paid for sales with each tender, minus what was returned to them: the rests
    /// of sales with a card, and the whole of sales without one.
    package private(set) var rests: [Tender: Int64] = [:]
    /// Cash paid out for closed cards, for prizes, and for accounts that a reissue closed.
    package private(set) var payouts = Tally()
    /// The part of ``payouts`` that came from cards' balances, which is everything except prizes.
    package private(set) var paidOutFromCards: Int64 = 0
    /// Cash put into the drawer, minus cash taken out of it, other than for sales, top-ups, and
    /// payouts.
    package private(set) var cashMoved: Int64 = 0
    /// Prizes added to cards. Prizes paid in cash are in ``payouts``.
    package private(set) var prizes: Int64 = 0
    /// The change to each of the issuer's accounts.
    package private(set) var accounts: [Account: Int64] = [:]
    /// The change to the balances of all cards together.
    package private(set) var purses: Int64 = 0

    /// Creates sums of no bookings.
    package init() {}

    /// The change to the cash in the drawer.
    package var drawer: Int64 {
        toppedUp[.cash, default: 0] &+ rests[.cash, default: 0] &- payouts.amount &+ cashMoved
    }
    /// Sales minus refunds and credits, however they were paid.
    package var takings: Int64 { sales.amount &- refunds.amount &- credits.amount }
    /// The part of the takings that was paid from cards' balances.
    package var spent: Int64 {
        // The rests include the rounding of cash, which the takings do not. A shortfall is
        // negative, because no card paid it.
        rests.values.reduce(takings, &-) &+ accounts[.shortfall, default: 0]
            &+ accounts[.rounding, default: 0]
    }
    /// Top-ups minus reversals, across all tenders.
    package var loaded: Int64 { toppedUp.values.reduce(0, &+) }

    /// Adds a booking. One without entries is ignored, because it moved no money.
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

    /// Adds to `sums` what was paid with each tender. The sign is reversed, because money that
    /// comes in is negative on the tenders' accounts.
    private mutating func addTenders(
        of booking: Booking, to sums: WritableKeyPath<BookedSums, [Tender: Int64]>
    ) {
        for tender in Tender.allCases {
            let amount = booking.amount(on: Account(tender))
            if amount != 0 { self[keyPath: sums][tender, default: 0] &-= amount }
        }
    }
}
