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
        discussion: "\"Paid\" is the total of card payments, less refunds; it does not affect the "
            + "cash drawer. \"Added\" is what was received for top-ups and starting balances, less "
            + "refunded top-ups; \"paid out\" is cash paid out for closed or reissued cards and "
            + "for prizes. Sales without a card, what was received with each tender, and cash put "
            + "into the drawer or taken out are shown below the table. If some offline "
            + "payments could not be covered by their cards, a final line shows the issuer's loss. "
            + "Hours are in local time, and the totals for a shared ledger include all stations.",
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
        func money(_ amount: Int64) -> Money { Money(minorUnits: amount, ledger.currency) }
        let documents: [JSONValue] = hours.indices.map { hour in
            [
                "hour": .number(hour), "paid": .text(money(hours[hour].paid)),
                "added": .text(money(hours[hour].added)),
                "paidOut": .text(money(hours[hour].paidOut)),
            ]
        }
        return Report(
            [
                "day": .text(day), "currency": .string(ledger.currency.code),
                "hours": .array(documents), "paid": .text(money(sum.paid)),
                "added": .text(money(sum.added)), "paidOut": .text(money(sum.paidOut)),
                "drawer": .text(money(sum.drawer)), "payments": .number(sum.payments),
                "topUps": .number(sum.topUps), "payouts": .number(sum.payouts),
                "shortfall": .text(money(sum.shortfall)),
                "withoutCard": .text(money(sum.soldWithoutCard)),
                "tenders": sum.tenders(in: ledger.currency).object,
                "rounding": .text(money(sum.rounding)), "cashIn": .text(money(sum.cashIn)),
                "cashOut": .text(money(sum.cashOut)),
            ], table(of: hours, sum, day, money), isPlain: true)
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

    /// The lines about sales without a card and about tenders; none if there was only cash for
    /// cards.
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
