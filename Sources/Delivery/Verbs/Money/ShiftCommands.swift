import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<TypedAmount?> {
    fileprivate static var float: Self {
        .option(
            "float", "AMOUNT", .amount, "Cash in the drawer now (required)",
            isRequired: true)
    }
    fileprivate static var counted: Self {
        .option(
            "counted", "AMOUNT", .amount, "Cash you counted in the drawer (required)",
            isRequired: true)
    }
}

extension Parameter<OperationID?> {
    fileprivate static var shift: Self {
        .optionalArgument(
            "SHIFT", .shift, "ID of the shift (default: the open one)", page: .other("shift"))
    }
}

extension Parameter<Bool> {
    fileprivate static var csv: Self { .flag("csv", "Print the report as CSV") }
}

extension Command {
    static let shiftCommands: [Command] = [
        Command(
            "shift open", group: .money, "Open a shift on this machine",
            discussion: "Count the cash in the drawer first. Each server has one drawer and at "
                + "most one open shift, which several cashiers can share.",
            takes: .float, .operation,
            page: .post("shift/open", reader: .never, for: .cashiers), answers: .shift,
            example: "tapcard shift open --float 100", run: ShiftCommands.open),
        Command(
            "shift show", group: .money, "Show whether a shift is open, or a shift's report",
            discussion: "Without an ID, the command shows whether a shift is open on this machine, "
                + "but not its cash. With the ID of a closed shift, from `tapcard shift list`, it "
                + "shows the shift's report: sales, top-ups, refunds, cash put in or taken out, "
                + "the expected cash, each count with its difference, and late entries, which are "
                + "operations that began during the shift but were booked after it was closed.",
            takes: .shift, .csv, page: .get("shift", reader: .never, for: .shift), answers: .shift,
            example: "tapcard shift show", run: ShiftCommands.show),
        .cashMove,
        Command(
            "shift close", group: .money, "Record the counted cash and close the shift",
            discussion: "The expected cash is shown only after your count is saved. Close a shift "
                + "on the server that opened it. To count a closed shift again, give its ID: the "
                + "new count is added, and the report shows all counts.",
            takes: .shift, .counted, page: .post("shift/close", reader: .never, for: .cashiers),
            answers: .shift, example: "tapcard shift close --counted 123.40",
            run: ShiftCommands.close),
        Command(
            "shift list", group: .money, "List the shifts of all servers, oldest first",
            page: .get("shifts", reader: .never, for: .owners), answers: .shifts,
            example: "tapcard shift list", run: ShiftCommands.list),
    ]
}

enum ShiftCommands {
    /// Opens a shift. The operation ID, if given, becomes the shift's ID.
    static func open(in session: Session) async throws(TapcardError) -> Report {
        // A missing amount is reported even while the ledger is offline.
        let missing = TapcardError.usage("The float is missing: --float AMOUNT.")
        guard session[.float] != nil else { throw missing }
        let ledger = try await session.ledger()
        guard let float = try session[.float, in: ledger.currency] else { throw missing }
        let id = session[.operation] ?? session.dependencies.newID()
        let (shift, isReplayed) = try await Shifts.open(
            id, float: float, in: ledger, session.dependencies)
        return report(
            shift, nil, ledger.currency,
            [
                "Shift opened with \(float.shown)\(isReplayed ? " (already done)" : "")",
                "Shift \(id)",
            ], isChange: true)
    }

    /// Shows the report of the shift with the given ID or, without an ID, whether a shift is open.
    /// While a shift is open, its cash is not shown.
    static func show(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        guard let id = session[.shift] else {
            let shift = try await Shifts.open(in: ledger)
            let line = shift.map { "A shift has been open since \(LocalTime.text($0.openedAt))." }
            return report(
                shift, nil, ledger.currency,
                [line ?? "No shift is open here."]
                    + (shift.map { ["Shift \($0.id)"] } ?? []))
        }
        let (shift, found) = try await Shifts.find(id, in: ledger)
        guard let found else {
            return report(
                shift, nil, ledger.currency,
                ["The shift is open. Its cash is shown once it has been counted."])
        }
        let text = ShiftText(found, ledger.currency)
        if session[.csv] {
            if !session.outputOptions.isJSON { session.output.write(Array(text.csv.utf8)) }
            return Report(["csv": .string(text.csv)], [], isPlain: true)
        }
        return report(shift, found, ledger.currency, text.lines)
    }

    /// Saves a count, closes the shift if it is open, and shows its report.
    static func close(in session: Session) async throws(TapcardError) -> Report {
        let missing = TapcardError.usage("The counted cash is missing: --counted AMOUNT.")
        guard session[.counted] != nil else { throw missing }
        let ledger = try await session.ledger()
        guard let counted = try session[.counted, in: ledger.currency] else { throw missing }
        let id = session[.shift]
        let (shift, _) = try await Shifts.count(id, counted, in: ledger, session.dependencies)
        let found = try await Shifts.find(shift.id, in: ledger).report
        let lines = found.map { ShiftText($0, ledger.currency).lines } ?? []
        return report(shift, found, ledger.currency, lines, isChange: true)
    }

    static func list(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let shifts = try await Shifts.all(in: ledger)
        let lines = shifts.map { shift in
            let shown = ShownShift(shift: shift, currency: ledger.currency)
            let end = shift.closing.map { closing in
                "closed \(LocalTime.text(closing.at)), difference \(shown.difference?.shown ?? "")"
            }
            return "\(shift.id)  opened \(LocalTime.text(shift.openedAt)), \(end ?? "open")"
        }
        return Report(
            ["shifts": shifts.map { ShownShift(shift: $0, currency: ledger.currency) }.document],
            lines.isEmpty ? ["No shifts; to open one, run: tapcard shift open"] : lines,
            isPlain: true)
    }

    private static func report(
        _ shift: Shift?, _ report: ShiftReport?, _ currency: Currency, _ lines: [String],
        isChange: Bool = false
    ) -> Report {
        Report(
            [
                "shift": shift.map { ShownShift(shift: $0, currency: currency) }.document,
                "report": report.map { ShownShiftReport(report: $0, currency: currency) }.document,
                "notice": .string(ReportTable.notice),
            ], lines, isPlain: !isChange, isChange: isChange)
    }

    /// Throws if `shift-required` is on and no shift is open. A request that was recorded before is
    /// let through.
    static func requireShift(
        in session: Session, _ ledger: any LedgerStore
    ) async throws(TapcardError) {
        guard session.settings.isOn(.shiftRequired) else { return }
        try await Shifts.requireOpen(for: session[.operation], in: ledger)
    }
}
