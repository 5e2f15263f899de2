import CardCryptography
import Cards
import TapcardDomain
import Testing

@Suite("Sealed records")
struct SealedRecordTests {
    private func isBelieved(
        _ bytes: [UInt8], uid: CardUID? = nil, holder: Holder? = nil, _ currency: Currency = .usd,
        key: [UInt8]? = nil
    ) throws -> Bool {
        let example = try Example()
        return SealedRecord(bytes)?.isSealed(
            uid: uid ?? example.uid, holder: holder ?? example.holder, currency: currency,
            cardKey: key ?? example.cardKey) ?? false
    }

    private func record(
        _ balance: Money = Money(minorUnits: 0, .usd), keyID: UInt8 = 1,
        _ state: SealedRecord.State = .noScratchCard, _ sequence: SequenceNumber = .highest
    ) throws -> SealedRecord? {
        let example = try Example()
        return SealedRecord(
            uid: example.uid, sequence: sequence, balance: balance, state: state,
            holder: example.holder, keyID: keyID, cardKey: example.cardKey)
    }

    @Test("A record survives a round trip for every key id and state, up to its limits")
    func roundTrip() throws {
        for keyID in 0...15 as ClosedRange<UInt8> {
            for state in [SealedRecord.State.noScratchCard, .unscratched, .scratched, .activated] {
                for (units, sequence) in [(0, SequenceNumber.none), (99_999_999, .highest)] {
                    let made = try #require(
                        try record(
                            Money(minorUnits: Int64(units), .usd), keyID: keyID, state, sequence))
                    #expect(made.bytes.count == 16)
                    #expect(SealedRecord(made.bytes) == made)
                    #expect(made.keyID == keyID && made.state == state)
                    #expect(made.sequence == sequence && made.balance == units)
                    #expect(try isBelieved(made.bytes))
                }
            }
        }
    }

    @Test("A record is not made with a balance or key id beyond its fields")
    func noRoom() throws {
        for units in [-1, Int64.min, 0x1_0000_0000, .max] {
            #expect(try record(Money(minorUnits: units, .usd)) == nil)
        }
        #expect(try record(Money(minorUnits: 0xFFFF_FFFF, .usd)) != nil)
        #expect(try record(keyID: 16) == nil)
    }

    @Test("A record names the state of the scratch card")
    func states() throws {
        let code = try Example().code
        let cards: [ScratchCard] = [.none, .unscratched, .scratched(code), .activated(code)]
        #expect(cards.map { SealedRecord.State($0).rawValue } == [0, 1, 2, 3])
    }

    @Test("Bytes of another length or version are not a record")
    func noRecord() throws {
        let bytes = try bytes(Example.record)
        for count in (0...40) where count != 16 {
            #expect(SealedRecord(Array((bytes + bytes + bytes).prefix(count))) == nil)
        }
        for version: UInt8 in [0, 2, 3] {
            #expect(SealedRecord([bytes[0] & 0x3F | version << 6] + bytes.dropFirst()) == nil)
        }
        #expect(SealedRecord([UInt8](repeating: 0, count: 16)) == nil)
        #expect(SealedRecord([0, 0, 0, 0] + bytes.dropFirst(4)) == nil)
    }

    @Test("A seal holds for one chip, one holder, one currency and one key")
    func bound() throws {
        let bytes = try bytes(Example.record)
        #expect(try isBelieved(bytes))
        let other = try #require(CardUID("04AC6B72BA6C81"))
        #expect(try !isBelieved(bytes, uid: other))
        let (id, name) = (try HolderID(1), try HolderName("Amanda Gonzalez"))
        for holder in [
            Holder.nobody, Holder(id: id, name: nil), Holder(id: nil, name: name),
            Holder(id: try HolderID(2), name: name),
            Holder(id: id, name: try HolderName("Amanda Gonzales")),
            Holder(id: id, name: try HolderName("amanda Gonzalez")),
        ] {
            #expect(try !isBelieved(bytes, holder: holder))
        }
        for currency in Currency.known where currency != .usd {
            #expect(try !isBelieved(bytes, currency))
        }
        let otherIssuer = CardKeys(
            macMaster: Array(0x20...0x3F), passwordMaster: Array(0x00...0x1F), keyID: 1)
        #expect(try !isBelieved(bytes, key: otherIssuer.cardKey(uid: Example().uid.bytes)))
    }

    @Test("A record with any one bit changed fails its seal")
    func flippedBits() throws {
        for digits in [Example.record, Example.olderRecord] {
            let bytes = try bytes(digits)
            for bit in 0..<128 {
                var changed = bytes
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(try !isBelieved(changed), "bit \(bit)")
            }
        }
    }
}
