public import TapcardDomain

/// The sixteen bytes made for one number of one card: the only valid record with this number.
public struct IssuedRecord: Hashable, Sendable {
    public let uid: CardUID
    public let sequence: SequenceNumber
    public let bytes: [UInt8]
    public let operation: OperationID
    /// The key that sealed the record; nil before version 8.
    public let keyID: UInt8?

    public init(
        uid: CardUID, sequence: SequenceNumber, bytes: [UInt8], operation: OperationID,
        keyID: UInt8? = nil
    ) {
        self.uid = uid
        self.sequence = sequence
        self.bytes = bytes
        self.operation = operation
        self.keyID = keyID
    }
}

/// The numbers that may have been handed out after the backup from which the ledger was restored.
public struct SequenceGap: Hashable, Sendable {
    public let uid: CardUID
    public let numbers: ClosedRange<SequenceNumber>

    public init(uid: CardUID, numbers: ClosedRange<SequenceNumber>) {
        self.uid = uid
        self.numbers = numbers
    }
}

/// The content of a record.
public struct SealedContent: Hashable, Sendable {
    public let uid: CardUID
    public let sequence: SequenceNumber
    public let balance: Money
    public let holder: Holder
    public let scratch: ScratchCard

    public init(
        uid: CardUID, sequence: SequenceNumber, balance: Money, holder: Holder, scratch: ScratchCard
    ) {
        self.uid = uid
        self.sequence = sequence
        self.balance = balance
        self.holder = holder
        self.scratch = scratch
    }
}

/// Makes records: the ledger decides inside its transaction which content is sealed under which
/// number, but stores no keys.
public struct RecordSealer: Sendable {
    /// The key for new records.
    public let keyID: UInt8
    public let seal: @Sendable (SealedContent) -> [UInt8]
    /// The key that made a record; nil for bytes that are not a record.
    public let keyOf: @Sendable ([UInt8]) -> UInt8?

    public init(
        keyID: UInt8, seal: @escaping @Sendable (SealedContent) -> [UInt8],
        keyOf: @escaping @Sendable ([UInt8]) -> UInt8?
    ) {
        self.keyID = keyID
        self.seal = seal
        self.keyOf = keyOf
    }

    /// A sealer for transactions that make no record.
    static let none = RecordSealer(keyID: 0, seal: { _ in [] }, keyOf: { _ in nil })
}
