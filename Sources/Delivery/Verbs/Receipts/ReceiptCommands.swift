import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<OperationID> {
    fileprivate static var printed: Self {
        .argument(
            "OPERATION", .operation,
            "ID of the operation, from `tapcard history` or `tapcard find`", page: .other("of"))
    }
}

extension Command {
    static let receiptCommands: [Command] = [
        Command(
            "receipt", group: .money, "Show the receipt of an operation",
            discussion: "The receipt is made from the ledger each time, so you can show it at any "
                + "time. An offline payment has a receipt only after it is booked. A receipt "
                + "begins with the text of the setting `receipt-header`.",
            takes: .printed, page: .get("receipt", .printed, reader: .never, for: .sellers),
            answers: .printedReceipt,
            example: "tapcard receipt 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60",
            run: ReceiptCommands.show),
        Command(
            "receipt print", group: .money, "Print the receipt of an operation",
            discussion: "The receipt is sent to the ESC/POS printer in the setting "
                + "`receipt-printer`. Run from the command line, this always prints a copy, marked "
                + "COPY. Only the till's server prints originals, one for each operation that it "
                + "completed. If cash was taken or paid out, the original also opens the drawer.",
            takes: .printed, page: .post("receipt", reader: .never, for: .sellers),
            answers: .copy,
            example: "tapcard receipt print 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60",
            run: ReceiptCommands.printOut),
    ]
}

enum ReceiptCommands {
    static func show(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let id = session[.printed]
        guard let record = try await History.record(id, in: ledger) else { throw unknown(id) }
        let receipt = PrintedReceipt(
            record, ledger.currency, header: session.settings.text(of: .receiptHeader))
        return Report(receipt.fullMembers, receipt.lines().map(\.text), isPlain: true)
    }

    /// Prints a receipt and says whether it is a copy. Only a till's server prints originals, so on
    /// a command line it is always a copy.
    static func printOut(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let isCopy = try await session.serviceCache.printer.printOut(
            session[.printed], from: ledger, session.settings)
        return Report(
            ["copy": .bool(isCopy)], [isCopy ? "Printed (copy)" : "Printed"], isChange: true)
    }

    /// The error for an operation that the ledger does not have.
    static func unknown(_ id: OperationID) -> TapcardError {
        TapcardError(Refusal(.badIdentifier, "operation \(id) is not in this ledger"))
    }
}
