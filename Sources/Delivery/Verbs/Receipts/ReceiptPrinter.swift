import BlockingLane
package import Ledger
import OperatingSystem
package import TapcardCore
package import TapcardDomain
import TextCodecs

/// Prints receipts on the printer that the settings name. The first printout of an operation that
/// this process completed is the original; all others are copies.
package final class ReceiptPrinter: Sendable {
    private struct State {
        /// The latest operations that this process completed, oldest first.
        var completed: [OperationID] = []
        /// The completed operations whose originals have not been printed.
        var unprinted: Set<OperationID> = []
        var problem: TapcardError?
        /// How many receipts are being sent or waiting to be sent.
        var waiting = 0
        var listener: (@Sendable () async -> Void)?
    }

    /// How many receipts may be sent or wait at once. Any more are refused.
    private static let mostWaiting = 20
    /// How many completed operations are remembered.
    private static let mostCompleted = 1_000
    /// Sends one receipt at a time, outside the cooperative pool, because sending blocks.
    private static let door = Doorway(BlockingLane(label: "tapcard.printer"))

    private let state = Guarded(State())

    /// Creates a printer that has no originals to print.
    package init() {}

    /// Why the printer failed last time; nil if it did not.
    package var problem: TapcardError? { state.withLock { $0.problem } }

    /// Calls `listener` whenever ``problem`` changes. There is only one listener, so this replaces
    /// any other.
    package func listen(_ listener: @escaping @Sendable () async -> Void) {
        state.withLock { $0.listener = listener }
    }

    /// Records that this process completed an operation, so that its first printout is the
    /// original. Only the latest 1,000 operations are remembered.
    package func recordCompleted(_ id: OperationID) {
        state.withLock { state in
            guard !state.completed.contains(id) else { return }
            state.completed.append(id)
            state.unprinted.insert(id)
            guard state.completed.count > ReceiptPrinter.mostCompleted else { return }
            state.unprinted.remove(state.completed.removeFirst())
        }
    }

    /// Prints an operation's original receipt if that has not been done and the operation moved
    /// money. Nothing is thrown; if the printer fails, ``problem`` says why.
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

    /// Prints an operation's receipt. If the original cannot be sent at all, the next attempt
    /// prints it. If `isAutomatic` is true, an operation is skipped unless it has taken effect and
    /// moved money.
    ///
    /// - Throws: An error if no printer is set, the ledger does not have the operation, or the
    ///   printer fails.
    /// - Returns: Whether the printout is a copy; false if it was skipped.
    @discardableResult func printOut(
        _ id: OperationID, from ledger: any LedgerStore, _ settings: Settings,
        isAutomatic: Bool = false
    ) async throws(TapcardError) -> Bool {
        guard let address = try settings.printer else {
            throw TapcardError.usage(
                "No receipt printer is set.",
                advice: "Set it, for example: tapcard config set receipt-printer tcp://HOST:9100")
        }
        guard let record = try await History.record(id, in: ledger) else {
            throw ReceiptCommands.unknown(id)
        }
        if isAutomatic, !record.isWorthPrinting { return false }
        let isCopy = state.withLock { $0.unprinted.remove(id) == nil }
        let receipt = PrintedReceipt(
            record, ledger.currency, header: settings.text(of: .receiptHeader), isCopy: isCopy)
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

    /// Sends the bytes, and returns when the printer has received them. If nothing was sent, calls
    /// `unsent` before it throws.
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

    /// Records how the last printout went, and calls the listener if the problem has changed.
    private func note(_ problem: TapcardError?) {
        let listener = state.withLock { state in
            defer { state.problem = problem }
            return problem?.what == state.problem?.what ? nil : state.listener
        }
        if let listener { Task { await listener() } }
    }
}

extension History.Record {
    /// Whether it has taken effect and moved money.
    fileprivate var isWorthPrinting: Bool {
        guard case .operation(let line, _) = self else { return true }
        let operation = line.operation
        return operation.hasHappened && (operation.amount != 0 || line.closed != nil)
    }
}
