import BlockingLane
import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Images of a card from every moment of its life are put back at its end.
@Suite("Old images of a card")
struct OldImageTests {
    @Test(
        "An old image from between any two taps is refused as rolled back",
        arguments: Type2Chip.known)
    func betweenTaps(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        var dumps = [try await world.tag()]
        let requests: [(Station) async throws -> Void] = [
            { _ = try await $0.add(World.usd(500), id: World.id(2)) },
            { _ = try await $0.scratch(id: World.id(3)) },
            { _ = try await $0.pay(World.usd(100), id: World.id(4)) },
            { _ = try await $0.refund(World.id(4)) },
        ]
        for request in requests {
            try await request(world.station)
            dumps.append(try await world.tag())
        }
        let last = dumps.removeLast()
        for dump in dumps {
            try await world.put(dump)
            await expectRefused(.rolledBack, exit: 7) { () throws(TapcardError) in
                try await world.station.pay(World.usd(100), id: World.id(5))
            }
            let summary = try await world.station.read()
            #expect(summary.seal == .rolledBack && summary.problem?.kind == .rolledBack)
            #expect(summary.balance == World.usd(1_500), "the ledger's balance is shown")
            #expect(try await world.tag() == dump, "evidence is not written over")
        }
        try await world.put(last)
        _ = try await world.station.pay(World.usd(100), id: World.id(6))
        try await world.expectResolved()
    }

    /// A thief can overwrite the record that gives the image away, but the error still names the
    /// doubt.
    @Test("An old image whose other record was overwritten is reported as a possible copy")
    func spoiltBeside() async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        let old = try await world.tag()
        _ = try await world.station.pay(World.usd(100), id: World.id(3))
        try await world.put(old)
        try await world.alter { $0[0x22] = Page(0x2E, 0x2E, 0x2E, 0x2E) }
        let uid = try await world.uid()
        let problem = try #require(try await world.station.read().problem)
        #expect(problem.kind == .damaged)
        #expect(
            problem.what == "The newest record on the card is number 2, but the ledger has "
                + "confirmed number 3.")
        #expect(
            problem.meaning == "The tag may be an old copy, or its newer record was lost. The full "
                + "balance is safe in the ledger.")
        #expect(problem.next == [.card(.showHistory(uid)), .trust(.blockIfUnsure(uid))])
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(4))
        }
    }

    /// The images are from between any two WRITEs, including those of torn and voided payments.
    @Test("An old image made in the middle of a tap is detected")
    func betweenWrites() async throws {
        let world = try await World.withCard()
        let taken = Guarded<[TagMemory]>([])
        // A dump of the first tag after every frame that changed it.
        let camera = InterposedReader(
            world.reader,
            answer: { frame, reader throws(ReaderError) in
                let result: Result<[UInt8], ReaderError>
                do throws(ReaderError) {
                    result = .success(try await reader.exchange(frame))
                } catch {
                    result = .failure(error)
                }
                if let dump = try? await world.tag() {
                    taken.withLock { if dump != $0.last { $0.append(dump) } }
                }
                return try result.get()
            })
        let station = world.station(reader: camera)
        _ = try await station.pay(World.usd(100), id: World.id(2))
        for write in [3, 4, 6] {
            try await world.arm(.init(at: write, counting: .write, .acknowledgeLost))
            _ = try? await station.pay(World.usd(10), id: World.id(UInt64(10 + write)))
            try await world.putBack()
            world.clock.advance(seconds: 200)
            _ = try await station.read()
        }
        _ = try await station.add(World.usd(500), id: World.id(3))
        let card = try #require(try await world.ledger.knownCard(of: try await world.uid())).card
        let balance = try await world.balance()
        let dumps = taken.withLock { $0 }
        var alarms = 0
        for dump in dumps {
            try await world.put(dump)
            let best = try await world.slots().best?.record.sequence ?? .none
            let summary = try await world.station.read()
            #expect(try await world.balance() == balance)
            guard best < card.confirmed else {
                #expect(summary.problem == nil)
                try await world.expectResolved()
                break
            }
            alarms += 1
            #expect(summary.problem?.result == .untrusted)
            #expect([.rolledBack, .damaged].contains(summary.problem?.kind))
            #expect(try await world.tag() == dump)
        }
        #expect(alarms > 30)
    }

    @Test("An image from before a reissue is detected as rolled back")
    func beforeReissue() async throws {
        let world = try await World.withCard()
        let old = try await world.tag()
        try await world.issue(500, mayReissue: true, id: 2)
        try await world.put(old)
        #expect(try await world.station.read().problem?.kind == .rolledBack)
    }

    @Test("An old image cannot complete an open payment, which waits for the genuine card")
    func openPayment() async throws {
        let world = try await World.withCard()
        let old = try await world.tag()
        _ = try await world.station.add(World.usd(100), id: World.id(2))
        try await world.arm(.init(at: 2, counting: .write, .lost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(3))
        let torn = try await world.tag()
        try await world.put(old)
        await expectRefused(.rolledBack, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(3))
        }
        #expect(try await world.ledger.operation(World.id(3))?.state == .pending)
        try await world.put(torn)
        _ = try await world.station.pay(World.usd(250), id: World.id(3))
        #expect(try await world.balance() == 850)
    }
}
