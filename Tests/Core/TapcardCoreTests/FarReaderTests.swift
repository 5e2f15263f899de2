import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("A distant reader")
struct FarReaderTests: ProvenCards {
    @Test("A payment takes four round trips", arguments: Type2Chip.known)
    func trips(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let reader = FarReader(world.reader)
        _ = try await world.station(reader: reader).pay(World.usd(250), id: World.id(7))
        // Selecting, reading, writing the record, and writing the face.
        #expect(reader.trips == 4, "\(reader.batches)")
    }

    @Test("A payment from an NTAG 424 takes six round trips")
    func tripsOfNTAG424() async throws {
        let world = try await made()
        let reader = FarReader(world.reader)
        _ = try await world.station(reader: reader).pay(World.usd(250), id: World.id(7))
        #expect(reader.trips == 6, "\(reader.batches)")
    }

    @Test(
        "If a batch's report is lost, the outcome is still right, and the next tap resolves it",
        arguments: TillRequest.allCases.map(FarRequest.pages) + FarRequest.onNTAG424)
    func lost(_ request: FarRequest) async throws {
        var met = 0
        try await Self.everyLoss { batch, items in
            let world = try await request.world()
            let reader = FarReader(world.reader)
            reader.lose(batch: batch, after: items)
            let label: Comment = "\(request), batch \(batch) after \(items)"
            let hasFailed =
                await outcome { () throws(TapcardError) in
                    try await request.perform(reader, in: world)
                }.isSuccess == false
            guard reader.isDown else { return reader.batches }
            met += 1
            #expect(try await request.isCommitted(in: world) == !hasFailed, label)
            reader.mend()
            try await request.expectOne(afterFailure: hasFailed, reader, in: world, label)
            return reader.batches
        }
        #expect(met > 3)
    }

    /// Calls `play` for each batch of an undisturbed request, and for each number of its items that
    /// may be carried out. `play` returns the sizes of the batches so far.
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
