package import CardCryptography
import OperatingSystem
package import TapcardCore

/// The file that holds the card snapshot, on which a station bases its decisions about offline
/// payments.
package struct SnapshotFile: Sendable, Hashable {
    private static let mode: UInt32 = 0o600

    package let path: String

    package init(_ path: String) { self.path = path }

    /// The snapshot; nil if there is none, or if it is not sealed with one of this station's keys.
    package func load(_ keys: KeyRing) -> CardSnapshot? {
        guard let bytes = try? DurableFile(path).read(limit: CardSnapshot.maximumFileSize) else {
            return nil
        }
        return CardSnapshot(bytes, keys)
    }

    /// Removes the snapshot. This is called when payments are booked, because the snapshot's
    /// balances do not include them.
    package func remove() throws(TapcardError) {
        try translating(DurableFile(path).remove()) { (error: FileError) in
            TapcardError(
                .fileUnusable, "The snapshot file could not be removed: \(error.detail).",
                meaning: "The payments are booked, each exactly once.", next: [])
        }
    }

    package func save(_ snapshot: CardSnapshot, _ keys: KeyRing) throws(TapcardError) {
        // If the latest snapshot is lost in a power failure, the only consequence is that offline
        // payments are refused.
        try translating(
            DurableFile(path).write(
                snapshot.bytes(under: keys), mode: SnapshotFile.mode, durable: false)
        ) { (error: FileError) in
            TapcardError(
                .fileUnusable, "The snapshot could not be written: \(error.detail).",
                meaning: "Offline payments are not possible without a snapshot.", next: [])
        }
    }
}
