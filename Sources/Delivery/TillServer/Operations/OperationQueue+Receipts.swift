import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The receipts of this till. Printing never delays an operation or changes its outcome.
extension OperationQueue {
    /// The state of the receipt printer; null if none is set.
    nonisolated var printer: JSONValue {
        guard runner.settings.text(of: .receiptPrinter) != nil else { return .null }
        let problem = runner.printer.problem
        return [
            "state": .string(problem == nil ? "ready" : "failed"),
            "why": problem.map { .string($0.what) } ?? .null,
        ]
    }

    func watchPrinter() {
        runner.printer.listen { [weak self] in
            guard let self else { return }
            await publish("printer", printer)
        }
    }

    /// Notes the end of an operation. An offline payment is not in the ledger yet, and a repeated
    /// request has its receipt, unless the outcome was unknown until now.
    func noteReceipt(of operation: TillOperation, wasUnknown: Bool) {
        guard operation.call.takesOperation, let document = operation.answer?.document,
            document["offline"] == nil, wasUnknown || document["replayed"] != .bool(true),
            let id = document["operation"]?.string.flatMap({ OperationID($0) })
        else { return }
        noteReceipt(of: id)
    }

    /// Remembers that the first printout of an operation will be the original, and prints it if the
    /// settings say so.
    func noteReceipt(of id: OperationID) {
        let settings = runner.settings
        guard settings.printsReceipts else { return }
        runner.printer.recordCompleted(id)
        guard (try? settings.receiptMode) == .always else { return }
        Task { [runner] in
            await runner.printer.printOriginal(of: id, from: runner.ledger, settings)
        }
    }
}
