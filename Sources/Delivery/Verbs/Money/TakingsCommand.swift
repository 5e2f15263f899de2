import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<CalendarDate?> {
    fileprivate static var day: Self {
        .option("day", "DATE", .day, "Day as YYYY-MM-DD (default: today)")
    }
}

extension Command {
    static let takings = Command(
        "takings", group: .money, "Show one day's sales and cash, by hour and in total",
        discussion: "\"Paid\" is what cards paid, minus refunds and credits for returned deposits; "
            + "it does not affect the cash drawer. \"Added\" is what customers paid for top-ups "
            + "and starting balances, minus refunded top-ups; \"paid out\" is cash paid out for "
            + "closed or reissued cards and for prizes. Below the table are sales without a card, "
            + "the amounts received with each tender, and cash put into the drawer or taken out. A "
            + "final line shows the issuer's loss if cards could not cover their offline payments. "
            + "While a shift is open, only the amount paid with cards is shown for the day on "
            + "which it was opened and later days. Hours are in local time, and the totals for a "
            + "shared ledger include all servers.",
        takes: .day, page: .get("takings", reader: .never, for: .owners), answers: .takings,
        example: "tapcard takings --day 2026-11-22", run: TakingsCommand.takings)
}

enum TakingsCommand {
    static func takings(in session: Session) async throws(TapcardError) -> Report {
        let day = try day(in: session)
        let ledger = try await session.ledger(making: false)
        let (start, end) = LocalTime.span(around: day)
        let taken = try await History.operations(
            begunSince: start, until: end, in: ledger, into: HourlyTakings(of: day)
        ) { hours, operation, additional in
            hours.count(at: operation.beganAt) { $0.count(operation, additional) }
        } withoutCard: { hours, operation in
            hours.count(at: operation.at) { $0.count(operation) }
        }
        let (hours, sum) = (taken.hours, taken.sum)
        // The cash of an open shift could be computed from the sums of the day.
        let isHidden = try await Shifts.all(in: ledger).contains {
            $0.closing == nil && $0.openedAt < end
        }
        func money(_ amount: Int64) -> Money { Money(minorUnits: amount, ledger.currency) }
        func cash(_ amount: Int64) -> JSONValue { isHidden ? .null : .text(money(amount)) }
        let documents: [JSONValue] = hours.indices.map { hour in
            [
                "hour": .number(hour), "paid": .text(money(hours[hour].paid)),
                "added": cash(hours[hour].added), "paidOut": cash(hours[hour].paidOut),
            ]
        }
        return Report(
            [
                "day": .text(day), "currency": .string(ledger.currency.code),
                "hours": .array(documents), "paid": .text(money(sum.paid)),
                "added": cash(sum.added), "paidOut": cash(sum.paidOut),
                "drawer": cash(sum.drawer), "payments": .number(sum.payments),
                "topUps": .number(sum.topUps), "payouts": .number(sum.payouts),
                "shortfall": .text(money(sum.shortfall)),
                "withoutCard": cash(sum.soldWithoutCard),
                "tenders": isHidden ? .null : sum.tenders(in: ledger.currency).object,
                "rounding": cash(sum.rounding), "cashIn": cash(sum.cashIn),
                "cashOut": cash(sum.cashOut),
            ], isHidden ? paidOnly(sum, day, money) : table(of: hours, sum, day, money),
            isPlain: true)
    }

    /// The requested day; today by default.
    private static func day(in session: Session) throws(TapcardError) -> CalendarDate {
        if let named = session[.day] { return named }
        guard let today = LocalTime.dayAndHour(session.dependencies.now()).day else {
            throw TapcardError(
                .usage,
                "The system clock shows a year outside the calendar, so today's date is unknown.",
                meaning: "Nothing was read.",
                advice: "Specify the day, for example: --day 2026-11-28")
        }
        return today
    }

    /// The lines of a day whose cash is hidden.
    private static func paidOnly(
        _ sum: Takings, _ day: CalendarDate, _ money: (Int64) -> Money
    ) -> [String] {
        [
            "\(day): paid with cards \(money(sum.paid).shown)",
            "A shift is open. Its cash is shown once it has been counted: tapcard shift close",
        ]
    }

    /// A table of the hours with activity, with the totals below.
    private static func table(
        of hours: [Takings], _ sum: Takings, _ day: CalendarDate, _ money: (Int64) -> Money
    ) -> [String] {
        let used = hours.indices.filter { hours[$0] != Takings() }
        let names = used.map { ($0 < 10 ? "0" : "") + "\($0):00" } + ["sum"]
        let rows = zip(names, used.map { hours[$0] } + [sum]).map { name, takings in
            [name] + [takings.paid, takings.added, takings.paidOut].map { money($0).shown }
        }
        let all = [[day.description, "paid", "added", "paid out"]] + rows
        let widths = (0..<4).map { column in all.map { $0[column].cellCount }.max() ?? 0 }
        // The sentence says "more" or "less", so the amount needs no sign.
        let change = money(abs(sum.drawer)).shown
        return all.map { row in
            zip(row, widths).enumerated().map { column, cell in
                // Amounts are right-aligned.
                cell.0.padded(cell.1, atStart: column > 0)
            }.joined(separator: "  ")
        } + sum.linesBesideCards(money) + [
            sum.drawer < 0
                ? "The drawer holds \(change) less than before."
                : "The drawer holds \(change) more than before."
        ]
            + (sum.shortfall == 0
                ? []
                : [
                    "The amount paid includes \(money(sum.shortfall).shown) in offline payments "
                        + "that the cards could not cover; this is the issuer's loss."
                ])
    }
}

/// The takings on a local day, by hour.
private struct HourlyTakings: Sendable {
    let day: CalendarDate
    var hours = [Takings](repeating: Takings(), count: 24)
    var sum = Takings()

    init(of day: CalendarDate) { self.day = day }

    mutating func count(at time: Timestamp, _ add: (inout Takings) -> Void) {
        let begun = LocalTime.dayAndHour(time)
        // Local days differ in length, so the ledger returned a time span longer than the day.
        guard begun.day == day, hours.indices.contains(begun.hour) else { return }
        add(&sum)
        add(&hours[begun.hour])
    }
}

extension Takings {
    /// What was received with each tender.
    fileprivate func tenders(in currency: Currency) -> Members {
        var members: Members = [:]
        for tender in Tender.allCases {
            let amount = Money(minorUnits: tendered[tender, default: 0], currency)
            members += [tender.rawValue: .text(amount)]
        }
        return members
    }

    /// The lines about sales without a card and their tenders, about rounding, and about cash put
    /// into the drawer or taken out of it; empty if there was none of these.
    fileprivate func linesBesideCards(_ money: (Int64) -> Money) -> [String] {
        let others = [Tender.terminal, .other].contains { tendered[$0, default: 0] != 0 }
        var lines: [String] = []
        if soldWithoutCard != 0 || rounding != 0 || others {
            lines.append(
                "Sold without a card: \(money(soldWithoutCard).shown); received: "
                    + Tender.allCases.map {
                        "\($0.rawValue) \(money(tendered[$0, default: 0]).shown)"
                    }.joined(separator: ", "))
        }
        if rounding != 0 { lines.append("Rounding of cash: \(money(rounding).shown)") }
        if cashIn != 0 || cashOut != 0 {
            lines.append(
                "Put into the drawer: \(money(cashIn).shown); taken out: \(money(cashOut).shown)")
        }
        return lines
    }
}
