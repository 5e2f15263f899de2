public import TapcardDomain

/// The sixteen bytes that were made for one number of one card: the only true ones.
public struct IssuedRecord: Hashable, Sendable {
    public let uid: CardUID
    public let sequence: SequenceNumber
    public let bytes: [UInt8]
    public let operation: OperationID

    public init(
        uid: CardUID, sequence: SequenceNumber, bytes: [UInt8], operation: OperationID
    ) {
        self.uid = uid
        self.sequence = sequence
        self.bytes = bytes
        self.operation = operation
    }
}

/// Numbers that may have been handed out after the backup from which the ledger was restored.
public struct SequenceGap: Hashable, Sendable {
    public let uid: CardUID
    public let numbers: ClosedRange<SequenceNumber>

    public init(uid: CardUID, numbers: ClosedRange<SequenceNumber>) {
        self.uid = uid
        self.numbers = numbers
    }
}

/// What a record is to say.
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

/// Makes records: the ledger decides what is sealed and under which number, inside its
/// transaction, but keeps no keys.
public struct RecordSealer: Sendable {
    public let seal: @Sendable (SealedContent) -> [UInt8]
    /// Whether a record was made with the key that new ones are made with.
    public let isCurrent: @Sendable ([UInt8]) -> Bool

    public init(
        seal: @escaping @Sendable (SealedContent) -> [UInt8],
        isCurrent: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.seal = seal
        self.isCurrent = isCurrent
    }
}
