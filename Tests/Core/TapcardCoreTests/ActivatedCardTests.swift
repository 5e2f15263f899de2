import BlockingLane
import Ledger
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing

@Suite("Activation through a service")
struct ActivatedCardTests {
    private func scratched() async throws -> World {
        let world = World(try World.blank())
        try await world.issue()
        _ = try await world.station.scratch(id: World.id(2))
        return world
    }

    @Test("an accepted code is activated on ledger and card")
    func accepted() async throws {
        let world = try await scratched()
        let service = PlayedActivation.willing
        _ = try await world.station.activate(id: World.id(3), through: service)
        let summary = try await world.station.read()
        #expect(summary.scratch.word == "activated")
        #expect(service.codes == [try #require(summary.scratch.code)])
        await #expect(throws: TapcardError(.refusal(.wrongState), "")) {
            try await world.station.activate(id: World.id(4), through: service)
        }
        #expect(service.codes.count == 1)
    }

    @Test(
        "a refusal or a failure changes nothing",
        arguments: [
            (
                Result<ActivationAnswer, ServiceError>.success(.refused(version: "6.1")),
                TapcardError.Kind.activationRefused
            ),
            (.failure(ServiceError(.timedOut, "no answer in 15 s")), .service(.timedOut)),
        ])
    func refused(
        answer: Result<ActivationAnswer, ServiceError>, kind: TapcardError.Kind
    ) async throws {
        let world = try await scratched()
        await #expect(throws: TapcardError(kind, "")) {
            try await world.station.activate(id: World.id(3), through: PlayedActivation(answer))
        }
        #expect(try await world.station.read().scratch.word == "scratched")
        #expect(try await world.ledger.audit().open == 0)
    }

    @Test("a card that has gone in the meantime is written at its next tap")
    func gone() async throws {
        let world = try await scratched()
        let service = PlayedActivation(.success(.active)) {
            _ = try? await world.reader.change { $0.take() }
        }
        await #expect(throws: TapcardError(.outcomeUnknown, "")) {
            try await world.station.activate(id: World.id(3), through: service)
        }
        try await world.putBack()
        #expect(try await world.station.read().scratch.word == "activated")
        #expect(try await world.ledger.audit().violations.isEmpty)
    }

    @Test("leaving does not stop the request")
    func left() async throws {
        let world = try await scratched()
        let service = PlayedActivation.willing
        let task = Task { try await world.station.activate(id: World.id(3), through: service) }
        task.cancel()
        _ = await task.result
        let isRecorded = try await world.ledger.operation(World.id(3)) != nil
        #expect(isRecorded == (service.codes.count == 1))
    }
}
