import CardCryptography
import Cards
import Tags
import TapcardDomain
import Testing

/// A card with its keys. Key 1 is retired, key 2 seals.
struct CardFixture {
    let uid: CardUID
    let holder: Holder
    let keys: KeyRing

    init() throws {
        uid = try #require(CardUID(bytes: ScanTagTests.identity.uid))
        holder = Holder(id: try HolderID(1), name: try HolderName("Amanda Gonzalez"))
        let masters: (Int) -> [UInt8] = { [UInt8](repeating: 0x5A, count: $0) }
        keys = try KeyRing.fresh(created: "2026-01-01", random: masters)
            .rotated(created: "2026-01-02", random: masters).retiring(1)
    }

    func area(_ units: Int64, in layout: CardLayout = .ntag213) throws -> [UInt8] {
        try CardFace(
            style: .tapcard, balance: Money(minorUnits: units, .usd), holder: holder,
            scratch: .unscratched
        ).area(in: layout)
    }

    func record(_ number: UInt32, keyID: UInt8 = 2, of holder: Holder? = nil) throws -> [UInt8] {
        let entry = try #require(keys.entry(keyID))
        let record = SealedRecord(
            uid: uid, sequence: try #require(SequenceNumber(number)),
            balance: Money(minorUnits: 1_250, .usd), state: .unscratched,
            holder: holder ?? self.holder, keyID: keyID,
            cardKey: entry.masters.cardKey(uid: uid.bytes))
        return try #require(record).bytes
    }

    func image(_ first: [UInt8], _ second: [UInt8]) throws -> CardImage {
        let bytes = try area(1_250) + first + second
        return try #require(CardImage(bytes, layout: .ntag213))
    }
}
