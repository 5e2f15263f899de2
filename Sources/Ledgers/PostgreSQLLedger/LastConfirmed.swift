import DurableFile
import Ledger
import LedgerColumns
import TapcardDomain

/// The last operation whose change the server has confirmed to this station. A server that lacks it
/// has lost a commit, and perhaps more of them.
struct LastConfirmed: Equatable {
    /// The ledger, which keeps this name on every server.
    let house: String
    let epoch: Int64
    let card: CardUID
    let operation: OperationID
    let state: Operation.State

    init(_ operation: Operation, in opening: Opening) {
        (house, epoch) = (opening.house, opening.epoch)
        (card, self.operation, state) = (operation.uid, operation.id, operation.state)
    }

    /// Parses the text that a station has kept; nil for any other text.
    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        guard words.count == 5, let epoch = Int64(words[1]), let card = CardUID(words[2]),
            let operation = OperationID(words[3]), let state = Operation.State(rawValue: words[4])
        else { return nil }
        (house, self.epoch, self.card) = (words[0], epoch, card)
        (self.operation, self.state) = (operation, state)
    }

    var text: String { "\(house) \(epoch) \(card) \(operation) \(state.rawValue)\n" }
}

/// The file in which a station keeps it. It need not reach the disk: after a failure of the machine
/// an older one is there, or none, and the check finds less.
struct ConfirmationFile {
    let path: String

    func load() -> LastConfirmed? {
        guard let bytes = try? DurableFile(path).read() else { return nil }
        return LastConfirmed(String(decoding: bytes, as: UTF8.self))
    }

    func keep(_ confirmed: LastConfirmed) {
        // Without it the next check finds less, and no payment fails for that.
        try? DurableFile(path).write(Array(confirmed.text.utf8), mode: 0o600, durable: false)
    }
}

extension OpenLedger {
    /// Throws if the server lacks what it has confirmed, unless a loss was declared since.
    func requireKept(_ confirmed: LastConfirmed?) throws(LedgerError) {
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .lastConfirmed { return }
        #endif
        guard let confirmed, confirmed.house == opening.house, confirmed.epoch == opening.epoch
        else { return }
        let rows = PostgreSQLRows(self, isWriting: false)
        defer { link.rollBack(rows) }
        let kept: Operation? = try rows.row(
            where: "uid = $1 AND id = $2", [.uid(confirmed.card), .id(confirmed.operation)])
        guard let kept, kept.state == confirmed.state || confirmed.state == .pending else {
            throw LedgerError(
                .undeclared,
                "the database lacks operation \(confirmed.operation), which it has confirmed to "
                    + "this station; its owner has to reopen it with tapcard ledger reopen "
                    + "--after-loss")
        }
    }
}
