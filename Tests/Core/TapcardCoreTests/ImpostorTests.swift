import CardCryptography
import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("Impostor tags")
struct ImpostorTests {
    @Test("A tag that carries a copy of a card is refused as copied", arguments: FaceStyle.allCases)
    func copy(_ style: FaceStyle) async throws {
        let world = World(try World.blank())
        try await world.issue(face: style)
        var copy = try World.otherTag()
        copy.copy(try await world.tag())
        try await expectUntrusted(copy, .copied, in: world)
        #expect(try await world.balance() == 1_000, "the card copied from is not to blame")
        try await world.putBack()
        #expect(try await world.station.read().problem == nil)
    }

    @Test("A tag that carries only a copied record is refused as copied")
    func copiedRecordAlone() async throws {
        let world = try await World.withCard()
        var copy = try World.otherTag()
        copy.copy(try await world.tag())
        copy[4] = Page(0x03, 0x00, 0xFE, 0x00)
        try await expectUntrusted(copy, .copied, in: world)
    }

    @Test("A copy of another ledger's card is refused as forged")
    func copyOfAnotherLedgersCard() async throws {
        let elsewhere = try await World.withCard()
        var copy = try World.otherTag()
        copy.copy(try await elsewhere.tag())
        try await expectUntrusted(copy, .forged, in: World(try World.blank()))
    }

    @Test("A known card with a copied or made-up record is refused as damaged")
    func onAKnownCard() async throws {
        let world = try await World.withCard()
        let stolen = try await world.tag()
        try await world.put(try World.otherTag())
        try await world.issue(500, name: "Eve", id: 2)
        let other = try #require(try await world.reader.change { $0.tag(World.otherUID) })
        var copied = other
        copied.copy(stolen)
        var madeUp = other
        let layout = try other.layout
        for page in layout.recordPages.flatMap({ [$0 + 2, $0 + 3] }) {
            madeUp[page] = Page(0xFE, 0xED, 0xF0, 0x0D)
        }
        for tag in [copied, madeUp] {
            try await world.put(tag)
            #expect(try await world.station.read().problem?.kind == .damaged)
            await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
                try await world.station.pay(World.usd(100), id: World.id(3))
            }
        }
    }

    @Test("A blank tag with a known card's number is refused as damaged")
    func blankTagWithKnownNumber() async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        #expect(try await world.ledger.operation(World.id(2))?.state == .pending)
        let blank = try World.blank().tags[0]
        try await world.put(blank)
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        #expect(try await world.station.read().seal == .damaged)
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station.make(try demo(), id: World.id(3))
        }
        #expect(try await world.tag() == blank)
        #expect(try await world.balance() == 1_000)
    }

    @Test("A sealed record that the ledger never issued is refused as forged")
    func neverIssued() async throws {
        let world = try await World.withCard()
        let sealed = try record(World.usd(99_999_999), number: 1, of: world)
        let place = try await world.tag().layout.recordPages[1]
        try await world.alter { tag in
            for page in 0..<4 {
                tag[place + UInt8(page)] = Page(sealed.bytes[page * 4..<page * 4 + 4]) ?? .zero
            }
            // The true one gives way: only the forged one is left.
            for page in UInt8(0)..<4 { tag[place - 4 + page] = .zero }
        }
        let summary = try await world.station.read()
        #expect(summary.seal == .forged && summary.problem?.result.exitStatus == 7)
        #expect(summary.balance == World.usd(1_000))
        await expectRefused(.forged, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(2))
        }
    }

    private func record(
        _ balance: Money, number: UInt32, of world: World
    ) throws -> SealedRecord {
        let uid = try #require(World.uids["NTAG213"].flatMap(CardUID.init(bytes:)))
        let sequence = try #require(SequenceNumber(number))
        let cardKey = world.keys.sealing.masters.cardKey(uid: uid.bytes)
        return try #require(
            SealedRecord(
                uid: uid, sequence: sequence, balance: balance,
                state: .unscratched, holder: try World.holder("Amanda Gonzalez"),
                keyID: world.keys.sealing.id,
                cardKey: cardKey))
    }

    private func demo() throws(TapcardError) -> CardRequest {
        do {
            return try CardRequest.demo(in: .usd)
        } catch {
            throw TapcardError(error)
        }
    }

    private func expectUntrusted(
        _ tag: TagMemory, _ kind: TapcardError.Kind, in world: World,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await world.put(tag)
        let summary = try await world.station.read()
        #expect(summary.problem?.kind == kind, sourceLocation: sourceLocation)
        #expect(summary.seal == .forged, sourceLocation: sourceLocation)
        #expect(summary.ledger == .unknown, sourceLocation: sourceLocation)
        await expectRefused(kind, exit: 7, sourceLocation: sourceLocation) {
            () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(8))
        }
        for request in [try demo(), CardRequest(.adopt(accepting: World.usd(1_000)))] {
            await expectRefused(kind, exit: 7, sourceLocation: sourceLocation) {
                () throws(TapcardError) in
                try await world.station.make(request, id: World.id(9))
            }
        }
        let after = try await world.reader.change { $0.tag(tag.uid) }
        #expect(after == tag, sourceLocation: sourceLocation)
    }
}
