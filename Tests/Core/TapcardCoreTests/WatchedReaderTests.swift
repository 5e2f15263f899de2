import BlockingLane
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("Watching a reader", .timeLimit(.minutes(1)))
struct WatchedReaderTests {
    /// Watches as a till does that reads only cards.
    private func watch(
        _ station: Station, _ show: (Station.WatchEvent) async -> Bool
    ) async {
        await station.watchTags(resolving: true, reading: { false }, { _, _, _ in true }, show)
    }

    /// The first events of a watch, as words.
    private func events(
        _ count: Int, of world: World, _ reader: InterposedReader,
        after event: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async -> [String] {
        let words = Guarded<[String]>([])
        await watch(world.station(reader: reader)) { happened in
            let word =
                switch happened {
                case .card(let summary): "card \(summary.balance?.shown ?? "")"
                case .problem(let error): error.kind.word
                case .gone: "gone"
                case .empty: "empty"
                case .readerReturned(let name): "back: \(name)"
                }
            let number = words.withLock { words in
                words.append(word)
                return words.count
            }
            await event(number)
            return number < count
        }
        return words.withLock { $0 }
    }

    @Test("A card that is lost for a moment still counts as one tap")
    func debounced() async throws {
        let world = try await World.withCard()
        let reader = InterposedReader(world.reader)
        reader.meet([nil, nil, .noTag, nil, .tagLost, nil, .noTag, .noTag])
        #expect(await events(3, of: world, reader) == ["card $10.00", "gone", "card $10.00"])
        // A second tap only after two misses in a row.
        #expect(try await reader.select(within: .zero).uid.count == 7)
    }

    @Test("A watch that does not wait for a card still pauses between its looks")
    func impatient() async throws {
        #expect(try await waits(.zero) == [.seconds(1), .seconds(1), .seconds(1)])
    }

    @Test("The first look of a watch is a short one, so that a lost reader is missed soon")
    func lostBefore() async throws {
        #expect(try await waits(.seconds(30)) == [.seconds(1), .seconds(30), .seconds(30)])
    }

    /// How long each look of a watch with this wait takes, for a card that comes at the third one.
    private func waits(_ wait: Duration) async throws -> [Duration] {
        let world = try await World.withCard()
        let reader = InterposedReader(world.reader)
        reader.meet([.noTag, .noTag])
        let usual = world.station(reader: reader)
        let station = Station(
            reader: usual.reader, ledger: usual.ledger, keys: usual.keys,
            settings: Station.Settings(wait: wait), dependencies: usual.dependencies)
        await watch(station) { event in
            if case .empty = event { true } else { false }
        }
        return reader.limits
    }

    @Test("Another card in a card's place counts as a tap of its own")
    func swapped() async throws {
        let world = try await World.withCard()
        let other = try #require(TagMemory.blank(.ntag213, uid: World.otherUID))
        let reader = InterposedReader(world.reader)
        let words = await events(3, of: world, reader) { count in
            guard count == 1 else { return }
            try? await world.reader.change { simulation in
                simulation.save(other)
                simulation.put([World.otherUID])
            }
        }
        #expect(words == ["card $10.00", "gone", "blank-tag"])
    }

    @Test("A card that takes another one's place during a reading is read itself")
    func swappedWithin() async throws {
        let world = try await World.withCard()
        let other = try #require(TagMemory.blank(.ntag213, uid: World.otherUID))
        let reader = InterposedReader(world.reader)
        reader.change(
            answer: InterposedReader.before(frame: 1) { () throws(ReaderError) in
                try await world.reader.change { simulation in
                    simulation.save(other)
                    simulation.put([World.otherUID])
                }
            })
        #expect(await events(1, of: world, reader) == ["blank-tag"])
    }

    @Test("The card that is left of two is read")
    func oneOfTwo() async throws {
        let world = try await World.withCard()
        let other = try #require(TagMemory.blank(.ntag213, uid: World.otherUID))
        let first = try await world.uid()
        try await world.reader.change { simulation in
            simulation.save(other)
            simulation.put([first.bytes, World.otherUID])
        }
        let words = await events(3, of: world, InterposedReader(world.reader)) { count in
            guard count == 1 else { return }
            try? await world.reader.change { simulation in simulation.put([first.bytes]) }
        }
        #expect(words == ["several-tags", "gone", "card $10.00"])
    }

    @Test("A reader that is unplugged under a card is reported once, and again when it is back")
    func unplugged() async throws {
        let world = try await World.withCard()
        let reader = InterposedReader(world.reader)
        reader.meet([nil, nil, .readerLost, .noReader, .noReader, .busy, nil])
        #expect(
            await events(5, of: world, reader)
                == ["card $10.00", "gone", "reader-lost", "back: interposed reader", "card $10.00"])
    }

    @Test("A reader that is unplugged without a card is reported once, and when it is back")
    func unpluggedIdle() async throws {
        let world = try await World.withCard()
        let reader = InterposedReader(world.reader)
        reader.meet([.readerLost, .noReader, .noReader, .noTag])
        #expect(
            await events(3, of: world, reader)
                == ["reader-lost", "back: interposed reader", "card $10.00"])
    }

    @Test(
        "A payment that lost its reader has an unknown outcome, and a watch resolves it",
        arguments: 1...4,
        [false, true])
    func resolved(write: Int, isCarriedOut: Bool) async throws {
        let world = try await World.withCard()
        let reader = InterposedReader(world.reader)
        reader.loseReader(atWrite: write, carryingOut: isCarriedOut)
        await #expect(throws: TapcardError(.outcomeUnknown, "")) {
            try await world.station(reader: reader).pay(World.usd(450), id: World.id(9))
        }
        reader.plugIn()
        let words = await events(1, of: world, reader)
        #expect(words == [isCarriedOut && write == 4 ? "card $5.50" : "card $10.00"])
        let operation = try await world.ledger.operation(World.id(9))
        #expect(operation?.state == (isCarriedOut && write == 4 ? .committed : .voided))
    }

    @Test("A card whose reader is lost while it is resolved has an unknown outcome")
    func lostWhileResolving() async throws {
        let world = try await World.withCard()
        let reader = InterposedReader(world.reader)
        let station = world.station(reader: reader)
        reader.loseReader(atWrite: 1)
        await #expect(throws: TapcardError(.outcomeUnknown, "")) {
            try await station.add(World.usd(500), id: World.id(9))
        }
        reader.plugIn()
        reader.loseReader(atWrite: 2)
        await #expect(throws: TapcardError(.outcomeUnknown, "")) { try await station.read() }
        reader.plugIn()
        #expect(try await station.read().balance == World.usd(1_500))
    }
}
