import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The till's receipts and their printer.
extension OperationQueue {
    /// The receipt printer's state as pages see it; null if no printer is set.
    nonisolated var printer: JSONValue {
        guard runner.settings.text(of: .receiptPrinter) != nil else { return .null }
        let problem = runner.printer.problem
        return [
            "state": .string(problem == nil ? "ready" : "failed"),
            "why": problem.map { .string($0.what) } ?? .null,
        ]
    }

    /// Tells the pages whenever the printer's state changes.
    func watchPrinter() {
        runner.printer.listen { [weak self] in
            guard let self else { return }
            await publish("printer", printer)
        }
    }

    /// Prepares the receipt of an operation that has just completed. Offline payments are skipped.
    /// Repeated answers are skipped too, unless the outcome was unknown until now.
    func noteReceipt(of operation: TillOperation, wasUnknown: Bool) {
        guard operation.call.takesOperation, let document = operation.answer?.document,
            document["offline"] == nil, wasUnknown || document["replayed"] != .bool(true),
            let id = document["operation"]?.string.flatMap({ OperationID($0) })
        else { return }
        noteReceipt(of: id)
    }

    /// Makes the operation's next printout its original, and prints it at once if `receipts` is set
    /// to `always`. Does nothing if receipts are turned off.
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
