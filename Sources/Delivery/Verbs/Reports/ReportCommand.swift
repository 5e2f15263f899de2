import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<ReportName> {
    fileprivate static var report: Self {
        .argument("REPORT", .choice(ReportName.self), "Which report")
    }
}

extension Parameter<CalendarDate?> {
    static var from: Self {
        .option("from", "DAY", .day, "First day, as YYYY-MM-DD (default: the ledger's first)")
    }
    static var to: Self {
        .option("to", "DAY", .day, "Last day, as YYYY-MM-DD (default: the ledger's last)")
    }
}

extension Parameter<Bool> {
    fileprivate static var csv: Self { .flag("csv", "Print CSV") }
    static var lines: Self {
        .flag("lines", "One row per line of a sale, not per transfer")
    }
}

extension Command {
    static let reportCommands: [Command] = [
        .find,
        Command(
            "report", group: .money, "Report on sales, top-ups, refunds, and balances",
            discussion: "`days`, `hours`, `shifts`, `cashiers`, and `tills` group the same "
                + "bookings, so their totals are equal. `products` lists what was sold, under the "
                + "name that each product had at the time; refunds have a row of their own. "
                + "`refunds` lists every refund, reversed top-up, and undone sale. `outstanding` "
                + "shows the balances on cards now and compares them with all bookings; if they "
                + "differ, the exit status is 9. An operation counts on the local day when it "
                + "began; an offline payment, on the day when it was taken. Until an open shift is "
                + "counted, its bookings are left out, and `outstanding` shows the balances "
                + "without the comparison. " + ReportTable.notice,
            takes: .report, .from, .to, .csv,
            page: .get("reports", .report, reader: .never, for: .owners), answers: .report,
            example: "tapcard report days --from 2026-11-01 --to 2026-11-30",
            run: ReportCommand.report),
        Command(
            "export", group: .money, "Print all bookings as CSV, for bookkeeping",
            discussion: "Each row is a transfer from the debit account to the credit account. With "
                + "`--lines`, each row is a line of a sale, or a refund, and the amounts add up to "
                + "the takings. Until an open shift is counted, its bookings are left out. If no "
                + "shift is open, the credits to an account minus its debits, over the whole "
                + "ledger, equal its balance. "
                + ReportTable.notice,
            takes: .from, .to, .lines, answers: .nothing,
            example: "tapcard export --from 2026-11-01 --to 2026-11-30 > november.csv",
            run: ExportCommand.export),
    ]
}

enum ReportCommand {
    /// Runs `report`. With `--csv`, this prints the table itself, unless the output is JSON.
    ///
    /// - Throws: An error if a period is given for outstanding balances, or contains too many
    ///   refunds.
    static func report(in session: Session) async throws(TapcardError) -> Report {
        let (name, from, to) = (session[.report], session[.from], session[.to])
        guard name != .outstanding || from == nil && to == nil else {
            throw TapcardError.usage(
                "The report on outstanding balances is always about now.",
                advice: "Leave out --from and --to.")
        }
        let ledger = try await session.ledger(making: false)
        let (start, end) = LocalTime.span(from: from, to: to)
        let now = ledger.time(at: session.dependencies.now())
        let shifts = try await Shifts.all(in: ledger)
        let (sums, balances) = try await History.bookings(
            begunSince: start, until: end, in: ledger,
            into: ReportSums(name, from: from, to: to, open: shifts.open),
            { sums, booking in sums.add(booking) },
            then: { rows throws(LedgerError) in
                name == .outstanding ? try OutstandingBalances(of: rows, at: now) : nil
            })
        guard !sums.hasTooManyRefunds else {
            throw TapcardError.usage(
                "There are more than \(ReportSums.maximumRefunds) refunds in this period.",
                advice: "Choose a shorter period, or run: tapcard export")
        }
        let table =
            balances?.table(in: ledger.currency)
            ?? sums.table(in: ledger.currency, shifts: shifts)
        if session[.csv], !session.outputOptions.isJSON {
            session.output.write(Array(table.csv.utf8))
        }
        let terms = balances?.equation(sums.total) ?? []
        // What was topped up since the shift was opened could be worked out from two reports.
        let equation = shifts.open.isEmpty ? terms : []
        let isLeavingOut = sums.leavesOutOpenShift || terms.count > equation.count
        let wrong = balances?.wrongAccounts(sums.total) ?? []
        let members: Members = [
            "report": .string(name.rawValue), "from": .text(from), "to": .text(to),
            "currency": .string(ledger.currency.code),
        ]
        return Report(
            members + (session[.csv] ? ["csv": .string(table.csv)] : table.members)
                + (balances == nil || session[.csv]
                    ? [:]
                    : [
                        "equation": equation.isEmpty
                            ? .null : document(equation, ledger.currency)
                    ])
                + [
                    "leavesOutOpenShift": .bool(isLeavingOut),
                    "notice": .string(ReportTable.notice),
                ],
            session[.csv]
                ? []
                : (table.rows.isEmpty ? ["No operations in this period."] : table.lines)
                    + lines(equation, ledger.currency)
                    + (isLeavingOut ? [ReportSums.openShiftNotice] : [])
                    + [ReportTable.notice],
            problem: problem(terms.last?.amount ?? 0, wrong, ledger.currency), isPlain: true)
    }

    /// The terms of ``OutstandingBalances/equation(_:)``.
    private typealias Equation = [(name: String, title: String, amount: Int64)]

    private static func document(_ equation: Equation, _ currency: Currency) -> JSONValue {
        Members(equation.map { ($0.name, .text(Money(minorUnits: $0.amount, currency))) }).object
    }

    private static func lines(_ equation: Equation, _ currency: Currency) -> [String] {
        let amounts = equation.map { Money(minorUnits: $0.amount, currency).shown }
        let widths = [
            equation.map(\.title.cellCount).max() ?? 0, amounts.map(\.cellCount).max() ?? 0,
        ]
        return zip(equation, amounts).map { term, amount in
            term.title.padded(widths[0]) + "  " + amount.padded(widths[1], atStart: true)
        }
    }

    /// The error to report if the balances disagree with the bookings; nil if they agree.
    private static func problem(
        _ difference: Int64, _ wrong: [Account], _ currency: Currency
    ) -> TapcardError? {
        guard difference != 0 || !wrong.isEmpty else { return nil }
        return TapcardError(
            .auditFailed,
            wrong.isEmpty
                ? "The balances on cards differ from the bookings by "
                    + "\(Money(minorUnits: difference, currency).shown)."
                : "The balance of \(wrong.map(\.description).joined(separator: ", ")) differs from "
                    + "the bookings.",
            advice: "To find the cause, run: tapcard audit")
    }

    /// The JSON schema of the command's output, which is different for each report and for CSV.
    static let schema: JSONValue = [
        "anyOf": .array(
            ReportName.allCases.map { name in
                document(of: name, ReportTable.schema(name.columns))
            } + [document(of: nil, ["csv": Schema.text])])
    ]

    /// The JSON schema of a report's output, or of CSV if `name` is nil.
    private static func document(of name: ReportName?, _ members: Members) -> JSONValue {
        let names = name.map { [$0.rawValue] } ?? ReportName.allCases.map(\.rawValue)
        let terms = [
            "loaded", "adopted", "prizes", "spent", "paidOut", "outstanding", "difference",
        ]
        return PrintedDocument.shown(
            [
                "report": Schema.oneOf(names), "from": CalendarDate?.schema,
                "to": CalendarDate?.schema, "currency": Schema.text,
            ] + members
                + (name == .outstanding
                    ? [
                        "equation": Schema.nullable(
                            Schema.object(
                                Members(terms.map { ($0, ValueSchemas.signedAmount) })))
                    ] : [:])
                + ["leavesOutOpenShift": Schema.boolean, "notice": Schema.text])
    }
}
