import BlockingLane
package import Ledger
import OperatingSystem
package import TapcardCore
package import TapcardDomain
import TextCodecs

/// Sends receipts to the station's printer, one after another, and knows which were printed.
package final class ReceiptPrinter: Sendable {
    private struct State {
        /// The last operations that this process has completed, oldest first.
        var completed: [OperationID] = []
        /// Those of them that were not printed.
        var unprinted: Set<OperationID> = []
        var problem: TapcardError?
        var waiting = 0
        var listener: (@Sendable () async -> Void)?
    }

    /// Later receipts are dropped, because a printer that is off must not fill the memory.
    private static let mostWaiting = 20
    private static let mostCompleted = 1_000
    /// A printer accepts one connection at a time, so the whole process sends in turn.
    private static let door = Doorway(BlockingLane(label: "tapcard.printer"))

    private let state = Guarded(State())

    package init() {}

    /// Why the last receipt was not printed; nil if it was.
    package var problem: TapcardError? { state.withLock { $0.problem } }

    /// Calls the listener when `problem` has changed.
    package func listen(_ listener: @escaping @Sendable () async -> Void) {
        state.withLock { $0.listener = listener }
    }

    /// Records that this process has completed an operation, so that its first printout is the
    /// original. All others are copies.
    package func recordCompleted(_ id: OperationID) {
        state.withLock { state in
            guard !state.completed.contains(id) else { return }
            state.completed.append(id)
            state.unprinted.insert(id)
            guard state.completed.count > ReceiptPrinter.mostCompleted else { return }
            state.unprinted.remove(state.completed.removeFirst())
        }
    }

    /// Prints the original of a receipt, unless it was printed before or there is nothing that a
    /// customer should keep.
    package func printOriginal(
        of id: OperationID, from ledger: any LedgerStore, _ settings: Settings
    ) async {
        guard state.withLock({ $0.unprinted.contains(id) }) else { return }
        do throws(TapcardError) {
            try await printOut(id, from: ledger, settings, isAutomatic: true)
        } catch {
            // The operation is done, whatever happens to its receipt. The pages show `problem`.
            return
        }
    }

    /// Prints a receipt; returns whether the printout is a copy.
    @discardableResult func printOut(
        _ id: OperationID, from ledger: any LedgerStore, _ settings: Settings,
        isAutomatic: Bool = false
    ) async throws(TapcardError) -> Bool {
        guard let address = try settings.printer else {
            throw TapcardError.usage(
                "No receipt printer is set.",
                advice: "Set it, for example: tapcard config set receipt-printer tcp://HOST:9100")
        }
        guard let (line, besides) = try await History.line(of: id, in: ledger) else {
            throw ReceiptCommands.unknown(id)
        }
        if isAutomatic, !line.isWorthPrinting { return false }
        let isCopy = state.withLock { $0.unprinted.remove(id) == nil }
        let receipt = PrintedReceipt(
            line, besides, ledger.currency, header: settings.text(of: .receiptHeader),
            isCopy: isCopy)
        let bytes = EscPos.bytes(receipt, opensDrawer: !isCopy && receipt.movesCash)
        do throws(TapcardError) {
            try await send(bytes, to: address) {
                if !isCopy { self.state.withLock { _ = $0.unprinted.insert(id) } }
            }
            note(nil)
        } catch {
            note(error)
            throw error
        }
        return isCopy
    }

    /// Calls `unsent` if the printer has received nothing.
    private func send(
        _ bytes: [UInt8], to address: PrinterAddress, unsent: () -> Void
    ) async throws(TapcardError) {
        func problem(_ reason: String, _ meaning: String) -> TapcardError {
            TapcardError(
                .printerFailed, "The receipt printer at \(address) failed: \(reason).",
                meaning: meaning)
        }
        let hasRoom = state.withLock { state in
            defer { state.waiting += 1 }
            return state.waiting < ReceiptPrinter.mostWaiting
        }
        defer { state.withLock { $0.waiting -= 1 } }
        let nothing = "Nothing was printed. The payment or top-up is not affected."
        guard hasRoom else {
            unsent()
            throw problem("too many receipts are waiting", nothing)
        }
        do throws(TCPDelivery.Failure) {
            try await ReceiptPrinter.door.run { () throws(TCPDelivery.Failure) in
                try TCPDelivery.send(bytes, to: address.host, port: address.port)
            }
        } catch {
            switch error {
            case .notConnected(let reason):
                unsent()
                throw problem(reason, nothing)
            case .cutOff(let reason):
                throw problem(
                    reason,
                    "The receipt may be incomplete. The payment or top-up is not affected.")
            }
        }
    }

    private func note(_ problem: TapcardError?) {
        let listener = state.withLock { state in
            defer { state.problem = problem }
            return problem?.what == state.problem?.what ? nil : state.listener
        }
        if let listener { Task { await listener() } }
    }
}

extension HistoryLine {
    /// Whether money has moved for good.
    fileprivate var isWorthPrinting: Bool {
        let isDone =
            operation.state == .committed
            || operation.state == .pending && !operation.kind.isVoidable
        return isDone && (operation.amount != 0 || closed != nil)
    }
}
