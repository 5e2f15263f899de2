import BlockingLane
public import CardCryptography
import Ledger
public import TapcardDomain

/// A station's keys. They are reread each time the station reads a card, because a long-running
/// process must not continue to use keys that have been retired.
public final class KeyRingSource: Sendable {
    private let load: @Sendable () throws(TapcardError) -> KeyRing
    private let ring: Guarded<KeyRing>
    /// The ID of the key with which all stations on the ledger seal, and whether this station has
    /// it.
    private let commonKey = Guarded<(id: UInt8?, isHere: Bool)>((nil, true))

    /// `load` reads the current keys; it should be cheap if they have not changed.
    public init(
        _ ring: KeyRing, load: @escaping @Sendable () throws(TapcardError) -> KeyRing
    ) {
        self.ring = Guarded(ring)
        self.load = load
    }

    /// Creates a source of keys that never change.
    public convenience init(_ ring: KeyRing) { self.init(ring) { ring } }

    /// The keys as last read.
    var current: KeyRing { ring.withLock { $0 } }

    /// The ID of the key with which the other stations seal, if this station lacks it. The station
    /// can then verify cards but must not seal records.
    var missing: UInt8? { commonKey.withLock { $0.isHere ? nil : $0.id } }

    /// Rereads the keys. The ledger overrules the file, which may be an older copy: a key that the
    /// ledger has retired is retired here, too, and the key that the ledger specifies is used to
    /// seal.
    func refresh(by policy: KeyPolicy) throws(TapcardError) {
        let own = try load()
        // If `withSealingKey` is nil, the station lacks the key that the ledger specifies, but can
        // still verify cards.
        let withSealingKey = policy.sealing.map { own.sealing(with: $0) } ?? own
        let read = withSealingKey ?? own
        // `retiring` returns nil if the sealing key would be among the retired keys.
        guard let trusted = read.retiring(policy.retired) else {
            if let missing = policy.sealing, withSealingKey == nil {
                throw .lackingKey(missing)
            }
            throw TapcardError(
                .keysUnusable,
                "The ledger has retired key \(read.sealing.id), this machine's sealing key.",
                meaning: "This machine's key file is an outdated copy. " + TapcardError.unchanged,
                next: [.file(.renewKeys)])
        }
        ring.withLock { $0 = trusted }
        commonKey.withLock { $0 = (policy.sealing, withSealingKey != nil) }
    }
}

extension TapcardError {
    /// The error at a station that lacks the key with which the other stations seal.
    static func lackingKey(_ id: UInt8) -> TapcardError {
        TapcardError(
            .keysBehind,
            "This machine does not have sealing key \(id), which other servers of this ledger "
                + "already use, so it cannot write cards.",
            meaning: unchanged, next: [.file(.importCurrentKeys)])
    }
}

extension KeyRing {
    /// The currency of the cards that the keys seal; nil if no currency is set or its code is
    /// unknown.
    public var currency: Currency? { currencyCode.flatMap(Currency.init(code:)) }
}
