import BlockingLane
import FaultyWorld
import PortDoubles
import TapcardCore
import TapcardDomain
import Testing

@Suite("A shared reader")
struct SharedReaderTests {
    @Test("A second payment is refused at every step of the first, and the next one succeeds")
    func oneAtATime() async throws {
        var step = 0
        var hasPlayed = true
        while hasPlayed {
            step += 1
            let world = try await World.withCard()
            let (heard, busy) = (Guarded<TapcardError.Kind?>(nil), Guarded<SharedReader?>(nil))
            let interlude = Disturbance(before: step) {
                await busy.withLock { $0 }?.use { reader in
                    do throws(TapcardError) {
                        _ = try await world.station(reader: reader)
                            .pay(World.usd(700), id: World.id(3))
                    } catch {
                        heard.withLock { $0 = error.kind }
                    }
                }
            }
            let shared = SharedReader(interlude.reader(world.reader))
            busy.withLock { $0 = shared }
            await shared.use { reader in
                _ = try? await world.station(reader: reader).pay(World.usd(100), id: World.id(2))
            }
            hasPlayed = interlude.hasCome
            #expect(heard.withLock { $0 } == (hasPlayed ? .readerBusy : nil), "step \(step)")
            #expect(try await world.balance() == 900)
            await shared.use { reader in
                _ = try? await world.station(reader: reader).pay(World.usd(100), id: World.id(4))
            }
            #expect(try await world.balance() == 800)
            try await world.expectResolved()
        }
        #expect(step > 10)
    }
}
