import BlockingLane
public import CardCryptography
import DurableFile

/// The keys of a station, read again for each look at a card: a long-running process must not go on
/// with keys that were retired since.
public final class KeyRingSource: Sendable {
    private let load: @Sendable () throws(TapcardError) -> KeyRing
    private let ring: Guarded<KeyRing>

    /// `load` reads the current keys, at little cost where they have not changed.
    public init(
        _ ring: KeyRing, load: @escaping @Sendable () throws(TapcardError) -> KeyRing
    ) {
        self.ring = Guarded(ring)
        self.load = load
    }

    /// Keys that never change.
    public convenience init(_ ring: KeyRing) { self.init(ring) { ring } }

    /// The keys of a file, with the ring that was just read from it.
    public convenience init(_ file: KeyFile, holding ring: KeyRing) {
        let known = Guarded(KnownRing(ring: ring))
        self.init(ring) { () throws(TapcardError) in
            try known.withLock { known throws(TapcardError) in try known.ring(in: file) }
        }
    }

    /// The keys at the last read.
    var current: KeyRing { ring.withLock { $0 } }

    /// Reads the keys again. Keys that the ledger has retired are retired, whatever the file says:
    /// it may be an older copy.
    func refresh(retired: Set<UInt8>) throws(TapcardError) {
        let read = try load()
        guard let trusted = read.retiring(retired) else {
            throw TapcardError(
                .keysUnusable,
                "Key \(read.sealing.id), with which this station seals records, was given up.",
                meaning: "The key file is an older copy. " + TapcardError.unchanged,
                next: [.file(.renewKeys)])
        }
        ring.withLock { $0 = trusted }
    }

    /// A ring and the state of its file when it was read.
    private struct KnownRing {
        var ring: KeyRing
        var stamp: DurableFile.Stamp?

        /// The stamp is taken first: a file that changes in between is read again next time.
        mutating func ring(in file: KeyFile) throws(TapcardError) -> KeyRing {
            let stamp = try? DurableFile(file.path).stamp()
            if let stamp, stamp == self.stamp { return ring }
            guard let read = try file.load() else { throw file.missing }
            (ring, self.stamp) = (read, stamp)
            return read
        }
    }
}
