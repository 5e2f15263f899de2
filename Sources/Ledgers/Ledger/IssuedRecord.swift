public import TapcardDomain

/// The 16 bytes issued to one card for one sequence number; no other record with that number is
/// valid for the card.
public struct IssuedRecord: Hashable, Sendable {
    /// The card for which the record was made.
    public let uid: CardUID
    /// The sequence number in the record.
    public let sequence: SequenceNumber
    /// The bytes of the sealed record.
    public let bytes: [UInt8]
    /// The operation for which the record was made.
    public let operation: OperationID
    /// The key that sealed the record.
    public let keyID: UInt8

    /// Creates the row for a record that may be on a card.
    public init(
        uid: CardUID, sequence: SequenceNumber, bytes: [UInt8], operation: OperationID,
        keyID: UInt8
    ) {
        self.uid = uid
        self.sequence = sequence
        self.bytes = bytes
        self.operation = operation
        self.keyID = keyID
    }
}

/// A range of numbers that may have been assigned after a backup was made. A ledger restored from
/// that backup has no records with these numbers.
public struct SequenceGap: Hashable, Sendable {
    /// The card to which the numbers may have been assigned.
    public let uid: CardUID
    /// The numbers that may already have been assigned.
    public let numbers: ClosedRange<SequenceNumber>

    /// Creates a range of numbers for a card.
    public init(uid: CardUID, numbers: ClosedRange<SequenceNumber>) {
        self.uid = uid
        self.numbers = numbers
    }
}

/// The contents of a record.
public struct SealedContent: Hashable, Sendable {
    /// The card's number.
    public let uid: CardUID
    /// The sequence number of the record.
    public let sequence: SequenceNumber
    /// The balance in the record.
    public let balance: Money
    /// The cardholder in the record.
    public let holder: Holder
    /// The state of the scratch card in the record.
    public let scratch: ScratchCard

    /// Creates the contents of a record.
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

/// Makes records. The ledger decides, within its transaction, what each record contains and which
/// number it gets. The ledger stores no keys, so its caller passes in a sealer.
public struct RecordSealer: Sendable {
    /// The key for new records.
    public let keyID: UInt8
    /// Makes the bytes of a record, including its seal.
    public let seal: @Sendable (SealedContent) -> [UInt8]

    /// Creates a sealer for a key.
    public init(keyID: UInt8, seal: @escaping @Sendable (SealedContent) -> [UInt8]) {
        self.keyID = keyID
        self.seal = seal
    }

    /// A sealer for transactions that make no records.
    static let none = RecordSealer(keyID: 0, seal: { _ in [] })
}
