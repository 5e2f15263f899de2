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
            + "cash drawer. \"Added\" is cash received for top-ups and starting balances, less "
            + "refunded top-ups; \"paid out\" is cash paid out for closed or reissued cards and "
            + "for prizes, so the drawer changes by \"added\" minus \"paid out\". If some offline "
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
        ) { hours, operation, additional in hours.count(operation, additional) }
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
        } + [
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

    mutating func count(_ operation: Operation, _ additional: AdditionalBookings) {
        let begun = LocalTime.dayAndHour(operation.beganAt)
        // Local days differ in length, so the ledger returned a time span longer than the day.
        guard begun.day == day, hours.indices.contains(begun.hour) else { return }
        sum.count(operation, additional)
        hours[begun.hour].count(operation, additional)
    }
}
