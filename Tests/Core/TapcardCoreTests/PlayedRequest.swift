import FaultyWorld
import Ledger
import SimulatedReader
import TapcardCore
import TapcardDomain
import TestSupport
import Testing

/// A request, the world before it, and its undisturbed tap, whose steps can then be disturbed.
struct PlayedRequest {
    let stationRequest: StationRequest
    let before: RestingWorld
    let whole: Tap

    /// Every request, on some of the chips on which it is played.
    static let all: [(chip: Chip, name: String)] = chips.flatMap { chip in
        EnumeratedRequest.all.filter { $0.isPlayed(on: chip) }.map { (chip: chip, name: $0.name) }
    }

    /// `make test` plays one chip of each kind: one with pages and one with files.
    private static let chips: [Chip] =
        Thoroughness.asked > .usual ? Chip.allCases : [.ntag213, .ntag424]

    init(_ name: String, on chip: Chip = .ntag213) async throws {
        let request = try #require(EnumeratedRequest.named(name))
        stationRequest = request.stationRequest
        before = await request.world(on: chip)
        whole = await Tap.play(stationRequest, in: before)
    }

    /// The tap with these mishaps at its steps.
    func tap(_ mishaps: [Int: Mishap]) async -> Tap {
        await Tap.play(stationRequest, in: before, mishaps: mishaps)
    }

    /// The first step after which its operation is in this state.
    func step(leavingIt state: Ledger.Operation.State) async throws -> Int {
        let steps = await Tap.play(stationRequest, in: before, keepsWorlds: true).steps
        return try #require(
            steps.firstIndex { $0.after.map { operation(in: $0)?.state } == state })
    }

    func operation(in world: RestingWorld) -> Ledger.Operation? {
        stationRequest.operation(in: world.ledger)
    }
}

extension Fault.Kind {
    /// Every way in which a write can end for a station.
    static let endsOfWrite: [Fault.Kind] =
        [.lost, .acknowledgeLost, .pulledAfter, .garbled, .refused(0)]
        + [TornPage.unchanged, .new, .zero, .mix(seed: 1), .mix(seed: 2), .mix(seed: 3)]
        .map(Fault.Kind.torn)
}

extension Tap {
    var isDone: Bool { if case .done = said { true } else { false } }

    var failure: TapcardError? { if case .failed(let error) = said { error } else { nil } }

    /// The indices of the steps that are frames.
    var frames: [Int] { steps.indices.filter { steps[$0].isFrame } }

    /// The indices of the steps that are writes.
    var writes: [Int] {
        steps.indices.filter { steps[$0].isWrite }
    }

    /// The indices of the steps that are commits.
    var commits: [Int] { steps.indices.filter { steps[$0].act == .ledgerWrite } }
}
