import CardCryptography
package import TapcardDomain

/// The 16 bytes that determine how much a card is worth.
package struct SealedRecord: Hashable, Sendable {
    package static let byteCount = 16
    package static let pageCount = 4
    static let formatVersion: UInt8 = 1
    static let sealByteCount = 8

    /// The state of the scratch card, as stored in the record. The seal does not cover the code.
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

    /// Reads the fields without checking the seal. `nil` if the bytes are not a record in this
    /// format.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == SealedRecord.byteCount,
            // The version is 1, so that neither all zeros nor all ones looks like a record.
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

    /// Makes and seals a record. `nil` if the balance is too large for a record.
    package init?(
        uid: CardUID, sequence: SequenceNumber, balance: Money, state: State, holder: Holder,
        keyID: UInt8, cardKey: [UInt8]
    ) {
        // The ID has four bits in the first byte.
        guard let units = UInt32(exactly: balance.minorUnits), keyID <= 0x0F else { return nil }
        self.keyID = keyID
        self.state = state
        self.sequence = sequence
        self.balance = units
        seal = SealedRecord.seal(
            over: SealedRecord.head(keyID, state, sequence, units), uid: uid,
            digest: SealedRecord.digest(of: holder, in: balance.currency), cardKey: cardKey)
    }

    /// Whether the record holds money, judged without a key. The limits keep other data from being
    /// mistaken for a record: as a number, four characters of text exceed every balance.
    package var showsMoney: Bool {
        sequence > .none && balance > 0 && Int64(balance) <= Currency.largestBalance
    }

    package var bytes: [UInt8] {
        SealedRecord.head(keyID, state, sequence, balance) + seal
    }

    /// Whether the seal is valid for this chip, cardholder, and currency.
    package func isSealed(
        uid: CardUID, holder: Holder, currency: Currency, cardKey: [UInt8]
    ) -> Bool {
        let expected = SealedRecord.seal(
            over: SealedRecord.head(keyID, state, sequence, balance), uid: uid,
            digest: SealedRecord.digest(of: holder, in: currency), cardKey: cardKey)
        return ConstantTime.equal(expected, seal)
    }

    /// The digest that ties the record to a cardholder and a currency without storing either in the
    /// record.
    package static func digest(of holder: Holder, in currency: Currency) -> [UInt8] {
        // Cardholder IDs start at 1, so 0 means none.
        let id = UInt64(holder.id?.number ?? 0)
        return SHA256.digest(
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
                + Array(currency.code.utf8) + Array((holder.name?.text ?? "").utf8))
    }

    private static func head(
        _ keyID: UInt8, _ state: State, _ sequence: SequenceNumber, _ balance: UInt32
    ) -> [UInt8] {
        // The first byte has two bits for the version, four for the key ID, and two for the state.
        [formatVersion << 6 | keyID << 2 | state.rawValue]
            + [2, 1, 0].map { UInt8(truncatingIfNeeded: sequence.value >> ($0 * 8)) }
            + [3, 2, 1, 0].map { UInt8(truncatingIfNeeded: balance >> ($0 * 8)) }
    }

    private static func seal(
        over head: [UInt8], uid: CardUID, digest: [UInt8], cardKey: [UInt8]
    ) -> [UInt8] {
        // The label keeps a seal from being mistaken for any other MAC made with this key. Because
        // the seal covers the UID, a record copied to another chip is invalid.
        let message = Array("tapcard/record/1".utf8) + uid.bytes + head + digest
        // Eight bytes take up two of the record's four pages. One guess in 2^64 is correct.
        return Array(HMACSHA256.code(for: message, key: cardKey).prefix(sealByteCount))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
