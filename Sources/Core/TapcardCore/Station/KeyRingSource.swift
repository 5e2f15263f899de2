import BlockingLane
public import CardCryptography
import Ledger
public import TapcardDomain

/// The keys of a station, read again for each look at a card: a long-running process must not go on
/// with keys that were retired since.
public final class KeyRingSource: Sendable {
    private let load: @Sendable () throws(TapcardError) -> KeyRing
    private let ring: Guarded<KeyRing>
    /// The key by which all stations of the ledger seal, and whether this one has it.
    private let common = Guarded<(id: UInt8?, isHere: Bool)>((nil, true))

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

    /// The key by which the other stations seal, where this one lacks it: it can verify, and must
    /// seal nothing.
    var missing: UInt8? { common.withLock { $0.isHere ? nil : $0.id } }

    /// Whether the ledger names the key that seals: then no other one may.
    var isCommon: Bool { common.withLock { $0.id != nil } }

    /// Reads the keys again. The ledger goes before the file, which may be an older copy: keys that
    /// it has retired are retired, and the key that it names seals.
    func refresh(by order: KeyPolicy) throws(TapcardError) {
        let own = try load()
        let ordered = order.sealing.map { own.sealing(with: $0) } ?? own
        let read = ordered ?? own
        guard let trusted = read.retiring(order.retired) else {
            if let missing = order.sealing, ordered == nil {
                throw .lackingKey(missing, isTable: own.isTable)
            }
            throw TapcardError(
                .keysUnusable,
                "The ledger has retired key \(read.sealing.id), which this station seals with.",
                meaning: "This station's key file is an outdated copy. " + TapcardError.unchanged,
                next: [.file(own.isTable ? .importTable : .renewKeys)])
        }
        ring.withLock { $0 = trusted }
        common.withLock { $0 = (order.sealing, ordered != nil) }
    }
}

extension TapcardError {
    /// The refusal at a station that has not got the key yet with which the others seal.
    static func lackingKey(_ id: UInt8, isTable: Bool = false) -> TapcardError {
        TapcardError(
            .keysBehind,
            "This station does not have sealing key \(id), which other stations of this ledger "
                + "already use, so it cannot write cards.",
            meaning: unchanged, next: [.file(isTable ? .importTable : .importPresentKeys)])
    }
}

extension KeyRing {
    /// The currency for which the keys seal cards, if it is known here.
    public var currency: Currency? { currencyCode.flatMap(Currency.init(code:)) }
}
