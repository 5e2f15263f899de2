import Ledger
import TapcardDomain

/// Adds up the bookings of a period for one report.
struct ReportSums: Sendable {
    /// The most refunds that a report can list.
    static let maximumRefunds = 10_000

    let name: ReportName
    /// The first day; nil to start with the ledger's first booking.
    let from: CalendarDate?
    /// The last day, which is included; nil to end with the ledger's last booking.
    let to: CalendarDate?
    /// The sums of all bookings in the period.
    private(set) var total = BookedSums()
    /// The sums of each day, hour, shift, cashier, or till, by the first cells of its row. A cell
    /// is empty if its value is not known.
    private var groups: [[String]: BookedSums] = [:]
    private var products: [ProductKey: (quantity: Int, amount: Int64)] = [:]
    private var refunds: [[ReportTable.Cell]] = []
    /// The shifts whose cash has not been counted yet.
    private let open: Set<ShiftID>
    /// Whether bookings of an open shift were left out.
    private(set) var leavesOutOpenShift = false

    /// The notice in a report or an export that leaves out an open shift.
    static let openShiftNotice =
        "The open shift is not in these sums until its cash has been counted."

    init(_ name: ReportName, from: CalendarDate?, to: CalendarDate?, open: Set<ShiftID>) {
        (self.name, self.from, self.to, self.open) = (name, from, to, open)
    }

    /// Whether the period has more refunds than a report can list.
    var hasTooManyRefunds: Bool { refunds.count > ReportSums.maximumRefunds }

    /// Adds a booking if it began in the period. Returns false if there are too many refunds, so
    /// that reading can stop.
    mutating func add(_ booking: Booking) -> Bool {
        let begun = LocalTime.dayAndHour(booking.beganAt)
        guard LocalTime.isDay(begun.day, from: from, to: to), !booking.entries.isEmpty else {
            return true
        }
        // `outstanding` compares the balances with every booking. While a shift is open, it does
        // not show these sums.
        if name != .outstanding, booking.isIn(open) {
            leavesOutOpenShift = true
            return true
        }
        total.add(booking)
        switch name {
        case .days: add(booking, to: begun.day?.description)
        case .hours: add(booking, to: (begun.hour < 10 ? "0" : "") + "\(begun.hour):00")
        case .cashiers: add(booking, to: booking.cashier?.text)
        case .shifts: add(booking, to: booking.shift?.description)
        case .tills: add(booking, to: booking.station, booking.requester.till?.text)
        case .products: addProducts(of: booking)
        case .refunds: addRefund(booking)
        case .outstanding: break
        }
        return !hasTooManyRefunds
    }

    private mutating func add(_ booking: Booking, to cells: String?...) {
        groups[cells.map { $0 ?? "" }, default: BookedSums()].add(booking)
    }

    /// Adds the products that were sold. A refund, a ticket, or an amount without products counts
    /// as one piece.
    private mutating func addProducts(of booking: Booking) {
        let amount = booking.amount(on: .takings)
        guard amount != 0 else { return }
        if booking.lines.isEmpty || booking.isRefund {
            let isTicket = booking.operation?.kind == .ticket
            let kind = booking.isRefund ? ProductKey.Kind.refund : isTicket ? .ticket : .unnamed
            add(1, amount, to: ProductKey(kind))
        } else {
            for line in booking.lines { add(line.quantity, line.amount, to: ProductKey(line)) }
        }
    }

    private mutating func add(_ quantity: Int, _ amount: Int64, to key: ProductKey) {
        let row = products[key, default: (0, 0)]
        products[key] = (row.quantity &+ quantity, row.amount &+ amount)
    }

    /// Adds a row for a refund, a reversed top-up, or an undone sale.
    private mutating func addRefund(_ booking: Booking) {
        guard booking.isRefund else { return }
        let rest = Tender.allCases.reduce(Int64(0)) { $0 &+ booking.amount(on: Account($1)) }
        refunds.append([
            .text(LocalTime.isoLocal(booking.beganAt)), .text(booking.id.map { "\($0)" }),
            .text(booking.kind), .text(booking.cashier?.text),
            .text(booking.requester.supervisor?.text), .text(booking.requester.till?.text),
            .text(booking.card.map { "\($0)" }), .text(booking.holder?.text),
            .text(booking.reverses.map { "\($0)" }), .amount(booking.operation?.amount ?? 0),
            .amount(booking.operation?.kind == .reverse ? 0 : rest),
        ])
    }

    /// The report's table. For outstanding balances, use ``OutstandingBalances`` instead. The
    /// report on shifts needs all shifts, because their opening times label its rows.
    func table(in currency: Currency, shifts: [Shift]) -> ReportTable {
        let rows: [[ReportTable.Cell]]
        switch name {
        case .shifts:
            func row(_ shift: Shift?) -> [ReportTable.Cell]? {
                groups[[shift?.id.description ?? ""]].map { sums in
                    let opened = shift.map { LocalTime.isoLocal($0.openedAt) }
                    return [.text(opened), .text(shift?.id.description)]
                        + ReportName.sums.map { $0.cell(sums) }
                }
            }
            rows = ([nil] + shifts).compactMap(row)
        case .products:
            rows = products.sorted { left, right in
                // Products by name; what is not a product comes after them.
                (
                    left.key.name == nil ? 1 : 0, left.key.name ?? "", left.key.kind.rawValue,
                    left.key.product?.description ?? ""
                )
                    < (
                        right.key.name == nil ? 1 : 0, right.key.name ?? "",
                        right.key.kind.rawValue, right.key.product?.description ?? ""
                    )
            }.map { key, row in
                [
                    .text(key.name), .text(key.kind.rawValue), .number(row.quantity),
                    .amount(row.amount),
                ]
            }
        case .refunds: rows = refunds
        default:
            rows = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, sums in
                key.map { .text($0.isEmpty ? nil : $0) } + ReportName.sums.map { $0.cell(sums) }
            }
        }
        return ReportTable(columns: name.columns, rows: rows, currency: currency)
    }
}

extension [Shift] {
    /// The shifts that are open.
    var open: Set<ShiftID> { Set(filter { $0.closing == nil }.map(\.id)) }
}

extension Booking {
    /// Whether any of its entries was made in one of these shifts.
    func isIn(_ shifts: Set<ShiftID>) -> Bool {
        entries.contains { $0.shift.map(shifts.contains) ?? false }
    }
}

extension LocalTime {
    /// Whether a day is in a period, which includes its first and last days.
    static func isDay(_ day: CalendarDate?, from: CalendarDate?, to: CalendarDate?) -> Bool {
        // A time outside the calendar is on no day, so only a period without ends contains it.
        guard let day else { return from == nil && to == nil }
        return from.map { $0 <= day } ?? true && to.map { day <= $0 } ?? true
    }
}

/// The balances on all cards, grouped by the cards' status and last use.
struct OutstandingBalances: Sendable {
    /// What the cards in a group have in common.
    struct Key: Hashable, Sendable {
        let status: LedgerCard.Status
        let age: CardAge
    }

    /// The number of cards in each group, and the sum of their balances in minor units.
    private(set) var groups: [Key: (cards: Int, amount: Int64)] = [:]
    /// The outstanding balance, in minor units.
    private(set) var total: Int64 = 0
    /// The balances of the issuer's accounts, in minor units.
    private(set) var accounts: [Account: Int64] = [:]

    /// Reads the balances of all cards and of the issuer's accounts.
    init(of rows: any LedgerRows, at now: Timestamp) throws(LedgerError) {
        var last: CardUID?
        while true {
            let page = try rows.standings(after: last, atMost: Pages<CardStanding>.rowsPerPage)
            guard let end = page.last?.uid else { break }
            let uses = try rows.lastUses(after: last, through: end)
            for card in page {
                let key = Key(status: card.status, age: CardAge(of: uses[card.uid], at: now))
                let group = groups[key, default: (0, 0)]
                groups[key] = (group.cards + 1, group.amount &+ card.balance)
                total &+= card.balance
            }
            last = end
        }
        for account in Account.ofIssuer { accounts[account] = try rows.balance(of: account) }
    }

    /// The report's table, sorted by status and last use.
    func table(in currency: Currency) -> ReportTable {
        let rows = LedgerCard.Status.allCases.flatMap { status in
            CardAge.allCases.compactMap { age -> [ReportTable.Cell]? in
                groups[Key(status: status, age: age)].map { group in
                    [
                        .text(status.rawValue), .text(age.rawValue), .number(group.cards),
                        .amount(group.amount),
                    ]
                }
            }
        }
        return ReportTable(
            columns: ReportName.outstanding.columns, rows: rows, currency: currency)
    }

    /// Compares the bookings with the outstanding balance, term by term, in minor units. The last
    /// term is the difference, which is 0 if they agree. The sums must be those of all bookings in
    /// the ledger, not only those of a period.
    func equation(_ sums: BookedSums) -> [(name: String, title: String, amount: Int64)] {
        [
            ("loaded", "Topped up", sums.loaded),
            ("adopted", "Adopted from other software", 0 &- sums.accounts[.adopted, default: 0]),
            ("prizes", "Prizes added to cards", sums.prizes),
            ("spent", "Spent with cards", sums.spent),
            ("paidOut", "Paid out", sums.paidOutFromCards),
            ("outstanding", "Outstanding", total),
            ("difference", "Difference", difference(sums)),
        ]
    }

    private func difference(_ sums: BookedSums) -> Int64 {
        let loaded = sums.loaded &- sums.accounts[.adopted, default: 0] &+ sums.prizes
        return loaded &- sums.spent &- sums.paidOutFromCards &- total
    }

    /// The issuer's accounts whose balances differ from the sums of all bookings.
    func wrongAccounts(_ sums: BookedSums) -> [Account] {
        Account.ofIssuer.filter { sums.accounts[$0, default: 0] != accounts[$0] }
    }
}
