package import CardCryptography
import Tags
package import TapcardDomain

extension KeyRing {
    /// A table for a station without master keys. For each card, it contains a record key and a
    /// sell key derived from each of the issuer's keys with the given IDs.
    ///
    /// Retired keys and keys that this ring lacks are left out. `nil` if this ring is itself a
    /// table, because a table can be made only from master keys.
    package func table(of cards: [CardUID: Set<UInt8>]) -> KeyRing? {
        var entries: [KeyEntry] = []
        for entry in self.entries where entry.status != .retired {
            guard let masters = entry.masters else { return nil }
            let uids = cards.filter { $0.value.contains(entry.id) }.keys
            let rows = uids.map { uid in
                CardKeyRows.Row(
                    uid: uid.bytes, record: masters.cardKey(uid: uid.bytes),
                    selling: NTAG424CardKeys.key(.three, from: masters, uid: uid))
            }
            guard let rows = CardKeyRows(rows) else { return nil }
            entries.append(
                KeyEntry(
                    id: entry.id, mark: entry.mark, rows: rows, files: entry.tableKey,
                    // At the till, only the current sealing key may seal; the other keys only
                    // verify.
                    status: entry.id == sealing.id ? .active : .verifyOnly,
                    created: entry.created))
        }
        // A key with no cards is useless to a station, unless it is the sealing key.
        entries.removeAll { $0.id != sealing.id && $0.rows?.count == 0 }
        return KeyRing(entries: entries)?.sealing(currency: currencyCode)
    }
}
