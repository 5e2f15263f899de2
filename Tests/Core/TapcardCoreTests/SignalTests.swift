import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Which operations a reader signals with its lights and buzzer.
@Suite("Reader signals")
struct SignalTests {
    private let world: World
    private let reader: InterposedReader
    private let station: Station

    init() async throws {
        world = try await World.withCard()
        reader = InterposedReader(world.reader)
        station = world.station(reader: reader)
    }

    /// Returns the signals since the last call.
    private func signals() -> [TagSignal?] {
        defer { reader.forget() }
        return reader.signals
    }

    @Test("Changes and refusals are signaled; reads are not")
    func changes() async throws {
        _ = try await station.pay(World.usd(100), id: World.id(2))
        #expect(signals() == [.done])
        // Repeating the same request needs no card.
        _ = try await station.pay(World.usd(100), id: World.id(2))
        #expect(signals() == [])
        await #expect(throws: TapcardError.self) {
            try await station.pay(World.usd(100_000), id: World.id(3))
        }
        #expect(signals() == [.refused])
        _ = try await station.read()
        _ = try await station.messages.read()
        #expect(signals() == [nil, nil])
        _ = try await station.scratch(id: World.id(4))
        #expect(signals() == [nil, .done])
        try await world.expectResolved()
    }

    @Test("An operation with an unknown outcome is never signaled as refused")
    func uncertain() async throws {
        for frame in 1...60 {
            try await world.arm(Fault(at: frame, counting: .frame, .lost))
            let id = World.id(UInt64(100 + frame))
            let paid = try? await station.pay(World.usd(1), id: id)
            let heard = signals().compactMap { $0 }
            #expect(heard == [] || (heard == [.done] && paid != nil), "\(frame)")
            try await world.reader.change { field in
                field.fault = nil
                field.put(field.tags.map(\.uid))
            }
            _ = try await station.read()
            _ = signals()
        }
        try await world.expectResolved()
    }

    @Test("Writing a message is signaled as done or refused; reading it is not")
    func messages() async throws {
        let world = World(try World.blank())
        let reader = InterposedReader(world.reader)
        let messages = world.station(reader: reader).messages
        let message = NDEFMessage([NDEFURI("https://example.com/1").record])
        _ = try await messages.write(WriteOptions()) { _ in message }
        #expect(reader.signals == [.done])
        let other = NDEFMessage([NDEFURI("https://example.com/2").record])
        await #expect(throws: TapcardError.self) {
            try await messages.write(WriteOptions()) { _ in other }
        }
        _ = try await messages.read()
        #expect(reader.signals == [.done, .refused, nil])
    }
}
