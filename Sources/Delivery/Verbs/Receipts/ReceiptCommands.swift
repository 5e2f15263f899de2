import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<OperationID> {
    fileprivate static var printed: Self {
        .argument(
            "OPERATION", .operation, "ID of the operation, from `tapcard history`",
            page: .other("of"))
    }
}

extension Command {
    static let receiptCommands: [Command] = [
        Command(
            "receipt", group: .money, "Show the receipt of an operation",
            discussion: "The receipt is built from the ledger's record of the operation, so it can "
                + "be shown again at any time. An offline payment has a receipt once it is booked. "
                + "The first lines are those of the setting `receipt-header`.",
            takes: .printed, page: .get("receipt", .printed, reader: .never, for: .sellers),
            answers: .printedReceipt,
            example: "tapcard receipt 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60",
            run: ReceiptCommands.show),
        Command(
            "receipt print", group: .money, "Print the receipt of an operation",
            discussion: "The receipt goes to the ESC/POS printer of the setting "
                + "`receipt-printer`. The till's server prints the original of each operation that "
                + "it completed only once; all other printouts say COPY. If cash was taken or "
                + "given, the original also opens the drawer.",
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
        guard let (line, besides) = try await History.line(of: id, in: ledger) else {
            throw unknown(id)
        }
        let receipt = PrintedReceipt(
            line, besides, ledger.currency, header: session.settings.text(of: .receiptHeader))
        return Report(receipt.fullMembers, receipt.lines().map(\.text), isPlain: true)
    }

    static func printOut(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let isCopy = try await session.serviceCache.printer.printOut(
            session[.printed], from: ledger, session.settings)
        return Report(
            ["copy": .bool(isCopy)], [isCopy ? "Printed (copy)" : "Printed"], isChange: true)
    }

    static func unknown(_ id: OperationID) -> TapcardError {
        TapcardError(Refusal(.badIdentifier, "operation \(id) is not in this ledger"))
    }
}
