import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("A reader at the end of a line")
struct FarReaderTests: ProvenCards {
    /// The requests to a card on an NTAG 424.
    enum ProvenRequest: CaseIterable, Sendable {
        case pay, add, issue

        func perform(at station: Station) async throws(TapcardError) {
            switch self {
            case .pay: _ = try await station.pay(World.usd(250), id: World.id(7))
            case .add: _ = try await station.add(World.usd(200), id: World.id(7))
            case .issue:
                _ = try await station.make(
                    CardRequest(.issue(.nobody, World.usd(700), hasScratchCard: false)),
                    id: World.id(7))
            }
        }

        var after: Int64 {
            switch self {
            case .pay: 750
            case .add: 1_200
            case .issue: 700
            }
        }
    }

    @Test("A payment takes five round trips", arguments: Type2Chip.known)
    func trips(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let reader = FarReader(world.reader)
        _ = try await world.station(reader: reader).pay(World.usd(250), id: World.id(7))
        // Selecting, reading, the record, the text for phones, and releasing.
        #expect(reader.trips == 5, "\(reader.batches)")
    }

    @Test("A payment from an NTAG 424 takes seven round trips")
    func tripsOfNTAG424() async throws {
        let world = try await made()
        let reader = FarReader(world.reader)
        _ = try await world.station(reader: reader).pay(World.usd(250), id: World.id(7))
        #expect(reader.trips == 7, "\(reader.batches)")
    }

    @Test(
        "If a batch's report is lost, nothing false is said, and the next tap resolves it",
        arguments: TillRequest.allCases)
    func lost(_ request: TillRequest) async throws {
        var met = 0
        try await Self.everyLoss { batch, items in
            let world = try await request.world()
            let reader = FarReader(world.reader)
            reader.lose(batch: batch, after: items)
            let label: Comment = "\(request), batch \(batch) after \(items)"
            var failure: TapcardError?
            do throws(TapcardError) {
                try await request.perform(at: world.station(reader: reader))
            } catch {
                failure = error
            }
            guard reader.isDown else { return reader.batches }
            met += 1
            let isCommitted = try await request.operation(in: world)?.state == .committed
            #expect((failure == nil) == isCommitted, label)
            reader.mend()
            _ = try? await world.station(reader: reader).read()
            if failure != nil { try await request.perform(again: world) }
            try await request.expectDone(true, in: world, label)
            #expect(try await world.ledger.audit().violations == [], label)
            return reader.batches
        }
        #expect(met > 3)
    }

    @Test(
        "On an NTAG 424, a lost report leads to the old or the new state",
        arguments: ProvenRequest.allCases)
    func lostOnNTAG424(_ request: ProvenRequest) async throws {
        var met = 0
        try await Self.everyLoss { batch, items in
            let world = try await request == .issue ? factory() : made()
            let reader = FarReader(world.reader)
            reader.lose(batch: batch, after: items)
            let label: Comment = "\(request), batch \(batch) after \(items)"
            var failure: TapcardError?
            do throws(TapcardError) {
                try await request.perform(at: world.station(reader: reader))
            } catch {
                failure = error
            }
            guard reader.isDown else { return reader.batches }
            met += 1
            let operation = try await world.ledger.answer(to: World.id(7))
            #expect((failure == nil) == (operation?.state == .committed), label)
            reader.mend()
            _ = try? await world.station(reader: reader).read()
            if failure?.result != nil {
                try? await request.perform(at: world.station)
                let known = try await world.ledger.answer(to: World.id(7))
                // A payment that was found not to have happened stays voided.
                if known?.state == .voided { return reader.batches }
            }
            try await expectWhole(world, request.after)
            #expect(try await world.ledger.audit().violations == [], label)
            return reader.batches
        }
        #expect(met > 3)
    }

    /// Calls `play` with each batch of an undisturbed request, and each number of items carried
    /// out. It returns the sizes of the batches so far.
    private static func everyLoss(
        _ play: (_ batch: Int, _ items: Int) async throws -> [Int]
    ) async throws {
        for batch in 1... {
            var items = 0
            while true {
                let sizes = try await play(batch, items)
                guard batch <= sizes.count else { return }
                items += 1
                if items > sizes[batch - 1] { break }
            }
        }
    }
}
