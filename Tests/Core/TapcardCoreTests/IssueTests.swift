import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A blank tag becomes a card.
@Suite("Issuing a card")
struct IssueTests {
    @Test("writes the demo user, once", arguments: Type2Chip.known)
    func demo(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        let summary = try await world.station.make(try CardRequest.demo(in: .usd), id: World.id(1))
        #expect(summary.holder == (try World.holder("Amanda Gonzalez")))
        #expect(summary.balance == World.usd(0) && summary.scratch == .unscratched)
        #expect(summary.seal == .valid && summary.ledger == .known && summary.display == .current)
        try await world.expectResolved()
        let before = try await world.tag()
        let request = try CardRequest.demo(in: .usd)
        await expectRefused(.refusal(.cardKnown), exit: 4) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(2))
        }
        #expect(try await world.tag() == before)
    }

    /// Every demo card has the same holder: the new message makes the old seals true again.
    @Test("over the records of another ledger's card whose message was erased goes above them")
    func hiddenRecords() async throws {
        let elsewhere = World(try World.blank())
        _ = try await elsewhere.station.make(.demo(in: .usd), id: World.id(1))
        for number in 2...5 {
            _ = try await elsewhere.station.add(World.usd(500), id: World.id(UInt64(number)))
        }
        var tag = try await elsewhere.tag()
        for page in try tag.layout.ndefPages { tag[page] = .zero }
        tag[4] = Page(0x03, 0x00, 0xFE, 0x00)
        let world = World(try World.blank())
        try await world.put(tag)
        let summary = try await world.station.make(.demo(in: .usd), id: World.id(9))
        #expect(summary.balance == World.usd(0) && summary.display == .current)
        try await world.expectResolved()
        _ = try await world.station.add(World.usd(100), id: World.id(10))
        try await world.expectResolved()
    }

    @Test("that is finished by the same request brings up to date what phones read")
    func finishedDisplay() async throws {
        let world = World(try World.blank())
        // The card leaves between the record and what phones read.
        try await world.arm(Fault(at: 5, counting: .write, .lost))
        _ = try await world.station.make(.demo(in: .usd), id: World.id(1))
        try await world.putBack()
        #expect(try await world.tag().content.face == nil)
        let again = try await world.station.make(.demo(in: .usd), id: World.id(1))
        #expect(again.display == .repaired)
        try await world.expectResolved()
    }

    @Test("that was interrupted is finished by the next try", arguments: Type2Chip.known)
    func interruptedDemo(_ chip: Type2Chip) async throws {
        for way in Fault.Kind.endsOfWrite {
            var write = 1
            while true {
                let world = World(try World.blank(chip))
                let request = try CardRequest.demo(in: .usd)
                try await world.arm(Fault(at: write, counting: .write, way))
                _ = try? await world.station.make(request, id: World.id(1))
                guard try await !world.isArmed() else { break }
                let wasDone = try await world.reader.change { !$0.onReader.isEmpty }
                try await world.putBack()
                let said = await outcome { () throws(TapcardError) in
                    try await world.station.make(request, id: World.id(2))
                }
                let label: Comment = "\(way) at WRITE \(write)"
                // Where only the display was torn, the card is known: it has been made.
                #expect(said.isSuccess || said.error == .refusal(.cardKnown), label)
                if said.error == .refusal(.cardKnown) { #expect(wasDone || write > 4, label) }
                _ = try await world.station.read()
                try await world.expectResolved(label)
                #expect(try await world.balance() == 0, label)
                #expect(try await world.operations().count { $0.kind == .issue } == 1, label)
                write += 1
            }
            #expect(write > 4)
        }
    }

    @Test("answers a repeated request with the card, and another one under its id with an error")
    func replay() async throws {
        let world = World(try World.blank())
        let request = CardRequest(
            .issue(try World.holder("Eve"), World.usd(500), hasScratchCard: false))
        let first = try await world.station.make(request, id: World.id(1))
        #expect(first.scratch == .none)
        #expect(try await world.station.make(request, id: World.id(1)).balance == World.usd(500))
        #expect(try await world.operations().count == 1)
        let other = CardRequest(
            .issue(try World.holder("Eve"), World.usd(600), hasScratchCard: false))
        for request in [other, CardRequest(.adopt(accepting: nil))] {
            await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
                try await world.station.make(request, id: World.id(1))
            }
        }
        try await world.put(try World.otherTag())
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        #expect(try await world.reader.change { $0.tags[1] } == World.otherTag())
    }

    @Test("left open is not taken for the making of another card")
    func otherOrderAfterInterruption() async throws {
        let world = World(try World.blank())
        try await world.put(try World.otherTag())
        try await world.issue(900)
        try await world.putBack()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        let demo = try CardRequest.demo(in: .usd)
        _ = try? await world.station.make(demo, id: World.id(2))
        try await world.putBack()
        let lost = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.refusal(.cardKnown), exit: 4) { () throws(TapcardError) in
            try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        }
        #expect(try await world.ledger.knownCard(of: lost)?.card.status == .active)
        #expect(try await world.balance() == 0)
        try await world.expectResolved()
    }

    @Test(
        "of another balance than there is room for is refused", arguments: [-1, 100_000_000, .max])
    func badBalance(_ minorUnits: Int64) async throws {
        let world = World(try World.blank())
        let request = CardRequest(
            .issue(.nobody, World.usd(minorUnits), hasScratchCard: false))
        let said = await outcome { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        #expect(said.result == .refused)
        #expect(try await world.tag() == World.blank().tags[0])
        #expect(try await world.balance() == nil)
    }

    @Test("and moving money in another currency than the ledger's is refused")
    func otherCurrency() async throws {
        let world = World(try World.blank())
        let yen = Money(minorUnits: 500, try #require(Currency(code: "JPY")))
        await expectRefused(.ledgerCurrency, exit: 9) { () throws(TapcardError) in
            try await world.station.make(
                CardRequest(.issue(.nobody, yen, hasScratchCard: false)), id: World.id(1))
        }
        try await world.issue()
        await expectRefused(.ledgerCurrency, exit: 9) { () throws(TapcardError) in
            try await world.station.pay(yen, id: World.id(2))
        }
        await expectRefused(.ledgerCurrency, exit: 9) { () throws(TapcardError) in
            try await world.station.add(yen, id: World.id(3))
        }
        #expect(try await world.balance() == 1_000)
    }

    @Test("tells a name by how many bytes it is too long", arguments: [20, 21, 30])
    func nameLength(_ bytes: Int) async throws {
        let world = World(try World.blank())
        let name = String(repeating: "n", count: bytes)
        let request = CardRequest(
            .issue(try World.holder(name), World.usd(0), hasScratchCard: true))
        let said = await outcome { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        guard bytes > 20 else {
            #expect(said.isSuccess)
            _ = try await world.station.scratch(id: World.id(2))
            try await world.expectResolved()
            return
        }
        guard case .failure(let error) = said else {
            Issue.record("a name of \(bytes) bytes has no room next to a code")
            return
        }
        #expect(error.kind == .tooLong && error.result == .refused)
        #expect(error.what.contains("\(bytes - 20) \(bytes == 21 ? "byte" : "bytes") too long"))
        #expect(try await world.tag() == World.blank().tags[0])
        #expect(try await world.balance() == nil)
    }

    @Test("works on a chip that shows no signature")
    func withoutSignature() async throws {
        let world = World(try World.blank())
        let station = world.station(
            reader: InterposedReader(world.reader, answer: InterposedReader.unsigned))
        let request = try CardRequest.demo(in: .usd)
        #expect(try await station.make(request, id: World.id(1)).seal == .valid)
        try await world.expectResolved()
        let uid = try await world.uid()
        #expect(try await world.ledger.knownCard(of: uid)?.card.isGenuineChip == .some(nil))
        #expect(try await station.tagInfo().originality == TagInfo.Originality.none)
        #expect(try await station.dump().pages.count == 45)
    }

    @Test("notes whether the chip is its maker's", arguments: [true, false])
    func originality(_ isGenuine: Bool) async throws {
        var simulation = isGenuine ? Simulation.fresh : try World.blank()
        simulation.put([simulation.tags[0].uid])
        let world = World(simulation)
        try await world.issue()
        let card = try #require(try await world.ledger.knownCard(of: try await world.uid())).card
        #expect(card.isGenuineChip == (isGenuine ? true : nil))
    }
}
