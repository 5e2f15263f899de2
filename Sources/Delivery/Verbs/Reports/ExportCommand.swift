import Ledger
import TapcardCore
import TapcardDomain

enum ExportCommand {
    /// The columns that every export starts with.
    private static let common = [
        "time", "operation", "kind", "server", "till", "cashier", "supervisor", "card", "name",
    ]

    /// Prints bookings as they are read, so that a large ledger does not fill the memory.
    static func export(in session: Session) async throws(TapcardError) -> Report {
        guard !session.outputOptions.isJSON else {
            throw TapcardError.usage("The export is CSV, not JSON.", advice: "Leave out --json.")
        }
        let (from, to, isLines) = (session[.from], session[.to], session[.lines])
        let ledger = try await session.ledger(making: false)
        let (start, end) = LocalTime.span(from: from, to: to)
        let currency = ledger.currency
        let header =
            common
            + (isLines
                ? ["product", "product-id", "quantity", "price", "amount", "currency"]
                : ["debit", "credit", "amount", "currency", "text"])
        let open = try await Shifts.all(in: ledger).open
        if !open.isEmpty { session.say(ReportSums.openShiftNotice) }
        var pages = OutputPages(session.output, isUTF8: true)
        pages.append(CSVText.line(header))
        pages = try await History.bookings(
            begunSince: start, until: end, in: ledger, into: pages,
            { pages, booking in
                let begun = LocalTime.dayAndHour(booking.beganAt)
                guard LocalTime.isDay(begun.day, from: from, to: to), !booking.isIn(open) else {
                    return true
                }
                let rows = isLines ? lines(of: booking, currency) : transfers(of: booking, currency)
                for row in rows { pages.append(row) }
                return pages.isOpen
            }, then: { _ in }
        ).sum
        pages.flush()
        return .nothing
    }

    /// The rows of a booking: one for each transfer between two accounts.
    private static func transfers(of booking: Booking, _ currency: Currency) -> [String] {
        booking.transfers.map { transfer in
            let amount = Money(minorUnits: transfer.amount, currency).description
            return CSVText.line(
                cells(of: booking) + [
                    transfer.debit.description, transfer.credit.description, amount, currency.code,
                    booking.lines.map { "\($0.quantity) \($0.name)" }
                        .joined(separator: "; "),
                ], numbers: [common.count + 2])
        }
    }

    /// The rows of a booking: one for each line of a sale. A sale or refund without lines has one
    /// row; a booking that does not change the takings has none.
    private static func lines(of booking: Booking, _ currency: Currency) -> [String] {
        func row(_ product: [String], _ quantity: Int, _ price: Int64) -> String {
            let amounts = [price, price * Int64(quantity)].map {
                Money(minorUnits: $0, currency).description
            }
            return CSVText.line(
                cells(of: booking) + product + [String(quantity)] + amounts + [currency.code],
                numbers: Set(common.count + 2...common.count + 4))
        }
        let amount = booking.amount(on: .takings)
        guard amount != 0 else { return [] }
        let lines = booking.lines
        return lines.isEmpty
            ? [row(["", ""], 1, amount)]
            : lines.map {
                row([$0.name.text, $0.product?.description ?? ""], $0.quantity, $0.price)
            }
    }

    /// The cells for the ``common`` columns.
    private static func cells(of booking: Booking) -> [String] {
        [
            LocalTime.isoLocal(booking.beganAt), booking.id.map { "\($0)" } ?? "", booking.kind,
            booking.station ?? "", booking.requester.till?.text ?? "",
            booking.cashier?.text ?? "", booking.requester.supervisor?.text ?? "",
            booking.card.map { "\($0)" } ?? "", booking.holder?.text ?? "",
        ]
    }
}
