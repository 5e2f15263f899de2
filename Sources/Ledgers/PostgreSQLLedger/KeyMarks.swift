public import Ledger
import LedgerColumns

extension PostgreSQLLedger {
    public func otherKeys(
        than marks: [UInt8: String]
    ) async throws(LedgerError) -> Set<UInt8> {
        let link = try connected().link
        var known = try link.keyMarks()
        let new = marks.filter { known[$0.key] == nil }
        if !new.isEmpty {
            let insertions = new.map { id, mark in
                SQLStatement(
                    "INSERT INTO key_mark (id, mark) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    [.integer(Int64(id)), .text(mark)])
            }
            do throws(LinkFailure) {
                try link.commit([SQLStatement("BEGIN"), Opening.terms] + insertions)
            } catch {
                throw LedgerError(error)
            }
            known = try link.keyMarks()
        }
        return Set(marks.filter { known[$0.key] != $0.value }.keys)
    }
}

extension Link {
    fileprivate func keyMarks() throws(LedgerError) -> [UInt8: String] {
        let selection = Selection("SELECT id, mark FROM key_mark") { row throws(LedgerError) in
            (try row.value(\.keyID), try row.value(\.text))
        }
        return Dictionary(try rows(selection)) { $1 }
    }
}
