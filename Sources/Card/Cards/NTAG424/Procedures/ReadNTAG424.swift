import Tags

/// Reads a card in five commands: the card authenticates itself with the given key and returns its
/// content. The session stays open, so a payment takes only one more command.
///
/// If the card was made for a different address, finding the grant takes two more commands.
package struct ReadNTAG424: NTAG424Procedure {
    private enum Stage {
        case selecting, authenticating, readingGrant, findingGrant, readingSlots
    }

    package var talk = NTAG424Talk()
    private let card: SellingKey
    private let others: [SellingKey]
    private let random: [UInt8]
    private var stage = Stage.selecting
    private var grantAt: Int
    private var canSearch = true
    private var grant: Grant?

    /// During a key rotation, the grant may still be sealed with one of the `others`. `random` is
    /// 16 unpredictable bytes.
    package init(
        _ card: SellingKey, or others: [SellingKey] = [], _ address: AddressFile, random: [UInt8]
    ) {
        (self.card, self.others, self.random) = (card, others, random)
        grantAt = address.grantAt
    }

    package mutating func begin() -> NTAG424Move<NTAG424State> { .run(.selectApplication) }

    package mutating func proceed(
        _ data: [UInt8]
    ) throws(NTAG424CardError) -> NTAG424Move<NTAG424State> {
        switch stage {
        case .selecting:
            stage = .authenticating
            // Key 3 is the sell key.
            return .authenticate(.three, card.key, random: random)
        case .authenticating: return readGrant()
        case .readingGrant:
            grant = ([card] + others).lazy.compactMap { Grant(data, for: $0) }.first
            // The search runs only once; otherwise, a card that returns garbage would be queried
            // forever.
            guard grant == nil, canSearch else { return readSlots() }
            (stage, canSearch) = (.findingGrant, false)
            return .run(
                .readData(.ndef, offset: 0, length: AddressFile.lengthByteCount), .plain)
        case .findingGrant:
            // If we have already looked there, the grant is missing or forged.
            guard let offset = AddressFile.grantAt(length: data), offset != grantAt else {
                return readSlots()
            }
            grantAt = offset
            return readGrant()
        case .readingSlots:
            guard let slots = NTAG424Slots(data) else { throw .chip(NTAG424Error(.malformed)) }
            return .finish(
                NTAG424State(card: card, grant: grant, grantAt: grantAt, slots: slots, talk: talk))
        }
    }

    package var indifferentLength: Int? { stage == .selecting ? 0 : nil }

    /// Reads without a MAC even in a session, because anyone can read this file. The grant's seal
    /// is checked instead.
    private mutating func readGrant() -> NTAG424Move<NTAG424State> {
        stage = .readingGrant
        return .run(.readData(.ndef, offset: grantAt, length: Grant.byteCount), .plain)
    }

    private mutating func readSlots() -> NTAG424Move<NTAG424State> {
        stage = .readingSlots
        // The settings of this file require encryption and a MAC.
        return .run(.readData(.data, offset: 0, length: NTAG424Slots.byteCount), .full)
    }
}

/// The content of a card that is still on the reader, and the session that authenticated it. The
/// session lasts until the card is selected again.
package struct NTAG424State: Hashable, Sendable {
    package let card: SellingKey
    /// `nil` if the card has no grant that was sealed for it.
    package let grant: Grant?
    package let grantAt: Int
    package let slots: NTAG424Slots
    let talk: NTAG424Talk
}
