import FaultyWorld
import Ledger
import TapcardCore
import Testing
import Type2Tag

/// A deed with the world before it and the tap in which nothing goes wrong. With its steps known,
/// something can go wrong at any of them.
struct PlayedDeed {
    let errand: Errand
    let before: RestingWorld
    let whole: Tap

    init(_ name: String, on chip: Type2Chip = .ntag213) async throws {
        let deed = try #require(Deed.named(name))
        errand = deed.errand
        before = await deed.world(on: chip)
        whole = await Tap.play(errand, in: before)
    }

    /// The tap with these mishaps at its steps.
    func tap(_ mishaps: [Int: Mishap]) async -> Tap {
        await Tap.play(errand, in: before, mishaps: mishaps)
    }

    func operation(in world: RestingWorld) -> Ledger.Operation? {
        errand.operation(in: world.ledger)
    }
}

extension Tap {
    var isDone: Bool { if case .done = said { true } else { false } }

    var failure: TapcardError? { if case .failed(let error) = said { error } else { nil } }

    /// The places of the frames among its steps.
    var frames: [Int] { steps.indices.filter { steps[$0].isFrame } }

    /// The places of the WRITEs among its steps.
    var writes: [Int] {
        steps.indices.filter { if case .write = steps[$0].act { true } else { false } }
    }

    /// The places of the transactions that may change something among its steps.
    var commits: [Int] { steps.indices.filter { steps[$0].act == .ledgerWrite } }
}
