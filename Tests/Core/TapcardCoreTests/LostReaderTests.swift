import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The reader is unplugged before or after each WRITE, and a later tap finishes the request.
@Suite("A reader unplugged during a request")
struct LostReaderTests {
    private static let mostWrites = 60
    /// The claim that is made only if tag and ledger are unchanged.
    private static let unchanged = "Nothing was changed, and no money moved."

    @Test(
        "A request whose reader is unplugged never misreports its outcome",
        arguments: TillRequest.allCases, [false, true])
    func change(request: TillRequest, isCarriedOut: Bool) async throws {
        var met = 0
        for write in 1...Self.mostWrites {
            let world = try await request.world()
            let reader = InterposedReader(world.reader)
            reader.loseReader(atWrite: write, carryingOut: isCarriedOut)
            let label: Comment = "\(request), WRITE \(write)"
            let before = try await State(of: world)
            var failure: TapcardError?
            do throws(TapcardError) {
                try await request.perform(at: world.station(reader: reader))
            } catch {
                failure = error
            }
            guard reader.isLost else { break }
            met += 1
            let isCommitted = try await request.operation(in: world)?.state == .committed
            // A success is never claimed that did not happen, nor denied where it did.
            #expect((failure == nil) == isCommitted, label)
            if let failure {
                #expect(failure.result == .unknown || failure.result == .noReader, label)
                #expect(!failure.meaning.isEmpty && !failure.next.isEmpty, label)
                if failure.meaning == Self.unchanged {
                    #expect(try await State(of: world) == before, label)
                }
            }
            reader.plugIn()
            _ = try? await world.station.read()
            if failure != nil { try await request.perform(again: world) }
            try await request.expectDone(true, in: world, label)
        }
        #expect(met > 6)
    }

    @Test(
        "Formatting cut short by an unplugged reader is reported and can be continued",
        arguments: 1...9)
    func format(write: Int) async throws {
        let world = try await World.withCard()
        _ = try await world.station.close(id: World.id(5))
        let reader = InterposedReader(world.reader)
        reader.loseReader(atWrite: write)
        do throws(TapcardError) {
            _ = try await world.station(reader: reader).format(overwriting: true)
            Issue.record("it was said to be done")
        } catch {
            #expect(error.kind == .readerLost)
            #expect(error.meaning == "The tag may be only partly written.")
            #expect(error.next == [.reader(.plugIn), .tag(.resume)])
        }
        reader.plugIn()
        _ = try await world.station(reader: reader).format(overwriting: true)
        let tag = try await world.tag()
        #expect(tag.chip.userPages.dropFirst().allSatisfy { tag[$0] == .zero })
    }

    @Test(
        "An error after the reader is unplugged does not deny what the tap resolved",
        arguments: 5...8)
    func resolvedBefore(write: Int) async throws {
        let world = try await World.withCard()
        let reader = InterposedReader(world.reader)
        reader.loseReader(atWrite: 1)
        _ = try? await world.station(reader: reader).add(World.usd(500), id: World.id(8))
        reader.plugIn()
        reader.loseReader(atWrite: write)
        do throws(TapcardError) {
            _ = try await world.station(reader: reader).read()
        } catch {
            #expect(error.meaning != Self.unchanged, "WRITE \(write)")
        }
        #expect(try await world.ledger.operation(World.id(8))?.state == .committed)
    }

    /// Everything that a tap could change.
    private struct State: Equatable {
        let tags: [TagMemory]
        let operations: [Ledger.Operation]

        init(of world: World) async throws {
            tags = try await world.reader.change { $0.tags }
            operations = try await world.operations()
        }
    }
}

extension TillRequest {
    /// Repeats the request on a working reader.
    func perform(again world: World) async throws {
        if try await operation(in: world)?.state == .voided { return try await retry(in: world) }
        if try await operation(in: world)?.state == .committed { return }
        try await perform(at: world.station)
    }

    /// Repeats a voided request under another id, because it did not happen.
    private func retry(in world: World) async throws {
        switch self {
        case .pay, .payProtected: _ = try await world.station.pay(World.usd(250), id: World.id(77))
        case .close: _ = try await world.station.close(id: World.id(77))
        default: Issue.record("\(self) was voided")
        }
    }
}
