import CardCryptography
package import TapcardDomain

/// The sixteen bytes that determine the value of a card.
package struct SealedRecord: Hashable, Sendable {
    package static let byteCount = 16
    package static let pageCount = 4
    static let formatVersion: UInt8 = 1
    static let sealByteCount = 8

    /// The state of the scratch card in the record; the code itself is not sealed.
    package enum State: UInt8, Sendable {
        case noScratchCard, unscratched, scratched, activated

        package init(_ scratch: ScratchCard) {
            switch scratch {
            case .none: self = .noScratchCard
            case .unscratched: self = .unscratched
            case .scratched: self = .scratched
            case .activated: self = .activated
            }
        }
    }

    package let keyID: UInt8
    package let state: State
    package let sequence: SequenceNumber
    /// The balance in minor units.
    package let balance: UInt32
    package let seal: [UInt8]

    /// Reads the fields; the validity of the seal is a separate check. Nil if the bytes are not a
    /// record of this format, such as a page of zeros.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == SealedRecord.byteCount,
            bytes[0] >> 6 == SealedRecord.formatVersion,
            let state = State(rawValue: bytes[0] & 3),
            let sequence = SequenceNumber(SealedRecord.number(bytes[1...3]))
        else { return nil }
        keyID = bytes[0] >> 2 & 0x0F
        self.state = state
        self.sequence = sequence
        balance = SealedRecord.number(bytes[4...7])
        seal = Array(bytes[8...])
    }

    /// Makes a record and seals it. Nil if the balance is too large for a record.
    package init?(
        uid: CardUID, sequence: SequenceNumber, balance: Money, state: State, holder: Holder,
        keyID: UInt8, cardKey: [UInt8]
    ) {
        guard let units = UInt32(exactly: balance.minorUnits), keyID <= 0x0F else { return nil }
        self.keyID = keyID
        self.state = state
        self.sequence = sequence
        self.balance = units
        seal = SealedRecord.seal(
            over: SealedRecord.head(keyID, state, sequence, units), uid: uid,
            digest: SealedRecord.digest(of: holder, in: balance.currency), cardKey: cardKey)
    }

    package var bytes: [UInt8] {
        SealedRecord.head(keyID, state, sequence, balance) + seal
    }

    /// Whether the seal is valid for this chip, this holder and this currency.
    package func isSealed(
        uid: CardUID, holder: Holder, currency: Currency, cardKey: [UInt8]
    ) -> Bool {
        let expected = SealedRecord.seal(
            over: SealedRecord.head(keyID, state, sequence, balance), uid: uid,
            digest: SealedRecord.digest(of: holder, in: currency), cardKey: cardKey)
        return ConstantTime.equal(expected, seal)
    }

    /// The digest that binds the record to a holder and a currency without a byte of either in it.
    package static func digest(of holder: Holder, in currency: Currency) -> [UInt8] {
        let id = UInt64(holder.id?.number ?? 0)
        return SHA256.digest(
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
                + Array(currency.code.utf8) + Array((holder.name?.text ?? "").utf8))
    }

    private static func head(
        _ keyID: UInt8, _ state: State, _ sequence: SequenceNumber, _ balance: UInt32
    ) -> [UInt8] {
        [formatVersion << 6 | keyID << 2 | state.rawValue]
            + [2, 1, 0].map { UInt8(truncatingIfNeeded: sequence.value >> ($0 * 8)) }
            + [3, 2, 1, 0].map { UInt8(truncatingIfNeeded: balance >> ($0 * 8)) }
    }

    private static func seal(
        over head: [UInt8], uid: CardUID, digest: [UInt8], cardKey: [UInt8]
    ) -> [UInt8] {
        let message = Array("tapcard/record/1".utf8) + uid.bytes + head + digest
        return Array(HMACSHA256.code(for: message, key: cardKey).prefix(sealByteCount))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
