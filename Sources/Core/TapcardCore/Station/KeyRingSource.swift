import BlockingLane
public import CardCryptography
public import TapcardDomain

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
}

extension KeyRing {
    /// The currency for which the keys seal cards, if it is known here.
    public var currency: Currency? { currencyCode.flatMap(Currency.init(code:)) }
}
