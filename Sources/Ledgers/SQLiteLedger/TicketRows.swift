import Ledger
import TapcardDomain

extension SQLiteRows {
    func ticket(_ id: TicketID) throws(LedgerError) -> SoldTicket? {
        try tickets(where: "id = ?", [.text(id.text)]).first
    }

    func ticket(of operation: OperationID) throws(LedgerError) -> SoldTicket? {
        try tickets(where: "operation = ?", [.id(operation)]).first
    }

    func tickets(on uid: CardUID?) throws(LedgerError) -> [SoldTicket] {
        guard let uid else { return try tickets(where: "TRUE ORDER BY position", []) }
        return try tickets(where: "uid = ? ORDER BY position", [.uid(uid)])
    }

    func insert(_ sold: SoldTicket) throws(LedgerError) {
        try connection.run(
            "INSERT INTO ticket (\(SoldTicket.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            sold.values)
    }

    private func tickets(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [SoldTicket] {
        try connection.query(
            "SELECT \(SoldTicket.columns) FROM ticket WHERE \(condition)", values
        ) { row throws(LedgerError) in try SoldTicket(&row) }
    }
}
