import CardCryptography
import Cards
import TapcardDomain
import Testing

@Suite("The two record slots")
struct RecordSlotsTests {
    /// The possible contents of a slot; the valid ones differ in their number.
    enum Content: CaseIterable, Sendable {
        case blank, broken, unsealed, retired, older, newer

        var isValid: Bool { self == .older || self == .newer }
        var number: UInt32 { self == .newer ? 12 : self == .older ? 11 : 20 }

        func bytes(_ fixture: CardFixture) throws -> [UInt8] {
            switch self {
            case .blank: [UInt8](repeating: 0, count: 16)
            case .broken: [UInt8](repeating: 0xFF, count: 16)
            case .unsealed: try fixture.record(number, of: .nobody)
            case .retired: try fixture.record(number, keyID: 1)
            case .older, .newer: try fixture.record(number)
            }
        }
    }

    private func slots(_ first: Content, _ second: Content) throws -> RecordSlots {
        let fixture = try CardFixture()
        return RecordSlots(
            try fixture.image(first.bytes(fixture), second.bytes(fixture)).records,
            uid: fixture.uid,
            holders: [fixture.holder], currency: .usd, keys: fixture.keys)
    }

    @Test("Each slot is classified by its content", arguments: Content.allCases, Content.allCases)
    func kinds(first: Content, second: Content) throws {
        let fixture = try CardFixture()
        let slots = try slots(first, second)
        let contents = [first, second]
        #expect(slots.bytes == (try contents.map { try $0.bytes(fixture) }))
        #expect(
            try slots.slots
                == contents.map { content in
                    let record = SealedRecord(try content.bytes(fixture))
                    return switch content {
                    case .blank: .blank
                    case .broken: .broken
                    case .unsealed: .unsealed(try #require(record))
                    case .retired: .retired(try #require(record))
                    case .older, .newer: .valid(try #require(record))
                    }
                })
        #expect(slots.hasRetired == contents.contains(.retired))
        #expect(slots.hasInvalidSeal == contents.contains(.unsealed))
        #expect(
            slots.sequences.map(\.value)
                == contents.filter { $0 != .blank && $0 != .broken }.map(\.number))
    }

    @Test(
        "The valid record with the highest number is the best one", arguments: Content.allCases,
        Content.allCases)
    func best(first: Content, second: Content) throws {
        let best = try slots(first, second).best
        let highest = [first, second].filter(\.isValid).map(\.number).max()
        #expect(best?.record.sequence.value == highest)
        #expect(
            best?.slotIndex == [first, second].firstIndex { $0.isValid && $0.number == highest })
    }

    @Test(
        "The next record never replaces the confirmed one, or else the best one",
        arguments: Content.allCases, Content.allCases)
    func target(first: Content, second: Content) throws {
        let slots = try slots(first, second)
        let contents = [first, second]
        for number in [0, 10, 11, 12, 13, 20] as [UInt32] {
            let target = slots.target(keeping: try #require(SequenceNumber(number)))
            let confirmed = contents.indices.filter {
                contents[$0].isValid && contents[$0].number == number
            }
            if confirmed.count == 1 {
                #expect(target == 1 - confirmed[0])
            } else if confirmed.count == 2 {
                // Two copies of one record: either may go.
                #expect(contents.indices.contains(target))
            } else {
                #expect(target == slots.best.map { 1 - $0.slotIndex } ?? 0)
            }
        }
    }

    @Test("An unsealed record that the ledger issued is believed")
    func acceptingIssued() throws {
        let slots = try slots(.unsealed, .older)
        let record = try #require(SealedRecord(slots.bytes[0]))
        let believed = slots.acceptingIssued { $0 == slots.bytes[0] }
        #expect(believed.slots == [.valid(record), slots.slots[1]])
        #expect(believed.bytes == slots.bytes)
        #expect(believed.best?.slotIndex == 0)
        #expect(slots.acceptingIssued { $0 == slots.bytes[1] } == slots)
    }

    @Test("A record under a retired key that the ledger issued is believed")
    func believingRetired() throws {
        let slots = try slots(.retired, .older)
        let record = try #require(SealedRecord(slots.bytes[0]))
        let believed = slots.acceptingIssued { $0 == slots.bytes[0] }
        #expect(believed.slots == [.valid(record), slots.slots[1]])
        #expect(slots.acceptingIssued { _ in false } == slots)
    }

    @Test("The ledger's word makes no blank or broken slot valid")
    func notBelieved() throws {
        for content in [Content.blank, .broken, .newer] {
            let slots = try slots(content, content)
            #expect(slots.acceptingIssued { _ in true } == slots)
        }
    }

    @Test("Records are valid for any of the given holders and for no others")
    func holders() throws {
        let fixture = try CardFixture()
        let image = try fixture.image(try fixture.record(1, of: .nobody), try fixture.record(2))
        func valid(_ holders: [Holder]) -> [Bool] {
            RecordSlots(
                image.records, uid: fixture.uid, holders: holders, currency: .usd,
                keys: fixture.keys
            ).slots.map { if case .valid = $0 { true } else { false } }
        }
        #expect(valid([.nobody, fixture.holder]) == [true, true])
        #expect(valid([fixture.holder]) == [false, true])
        #expect(valid([.nobody]) == [true, false])
        #expect(valid([]) == [false, false])
    }

    @Test("Records of another chip, currency or key ring are not valid")
    func foreignRecords() throws {
        let fixture = try CardFixture()
        let image = try fixture.image(try fixture.record(1), try fixture.record(2))
        let uid = try #require(CardUID("04000000000001"))
        let euro = try #require(Currency(code: "EUR"))
        let keys = KeyRing.fresh(created: "") { [UInt8](repeating: 1, count: $0) }
        for slots in [
            RecordSlots(
                image.records, uid: uid, holders: [fixture.holder], currency: .usd,
                keys: fixture.keys),
            RecordSlots(
                image.records, uid: fixture.uid, holders: [fixture.holder], currency: euro,
                keys: fixture.keys),
            RecordSlots(
                image.records, uid: fixture.uid, holders: [fixture.holder], currency: .usd,
                keys: keys),
        ] {
            #expect(slots.best == nil && slots.hasInvalidSeal && slots.sequences.count == 2)
        }
    }
}
