import Ledger
import TapcardDomain

/// The changes in a ledger, in words.
enum Words {
    static func change(from before: LedgerTables, to after: LedgerTables) -> String {
        var words: [String] = []
        let operations = after.operations.values.filter { before.operations[$0.id] != $0 }
        for operation in operations.sorted(by: { $0.sequence < $1.sequence }) {
            let was = before.operations[operation.id]
            if was?.state != operation.state {
                words.append("\(operation.kind.rawValue) \(operation.state.rawValue)")
            }
            if was?.sequence != operation.sequence, operation.sequence != .none {
                words.append("number \(operation.sequence) handed out")
            }
        }
        for (uid, card) in after.cards where before.cards[uid]?.confirmed != card.confirmed {
            words.append("confirmed \(card.confirmed)")
        }
        for (uid, card) in after.cards
        where before.cards[uid]?.isDisplayStale != card.isDisplayStale {
            words.append(card.isDisplayStale ? "display out of date" : "display good")
        }
        return words.joined(separator: ", ")
    }
}
