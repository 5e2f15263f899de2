import BlockingLane
package import CardCryptography
package import Ledger
import Tags
package import TapcardCore
package import TapcardDomain

/// A world in which stations work: a tag, a ledger, a clock that stands still, and faults at chosen
/// steps. Everything runs in one process without waiting.
package final class Scene: Sendable {
    let live: Guarded<Live>
    /// Called before every step of a station; where it suspends, another one continues.
    let turn: (@Sendable (Int) async -> Void)?
    /// A second ledger that also carries out every transaction.
    let twin: LedgerTwin?
    private let keys: KeyRing?
    private let dependencies: Station.Dependencies?

    /// Without `dependencies` the clock stands still and equal worlds stay equal. With
    /// `areReadersCareless`, a reader whose station only reads selects a card that came back
    /// without reporting it. Without `keys` they are the issuer's. `keepsWorlds` notes the world
    /// after every step, and the steps in words.
    package init(
        _ world: RestingWorld, mishaps: [Int: Mishap] = [:], stations: Int = 1,
        keepsWorlds: Bool = false, areReadersCareless: Bool = false, keys: KeyRing? = nil,
        dependencies: Station.Dependencies? = nil, twin: LedgerTwin? = nil,
        turn: (@Sendable (Int) async -> Void)? = nil
    ) {
        live = Guarded(
            Live(
                world, mishaps: mishaps, readers: stations, keepsWorlds: keepsWorlds,
                areReadersCareless: areReadersCareless))
        self.turn = turn
        self.twin = twin
        self.keys = keys
        self.dependencies = dependencies
    }

    package var world: RestingWorld { live.withLock { $0.world } }
    package var steps: [Step] { live.withLock { $0.steps } }
    package var stepCount: Int { live.withLock { $0.steps.count } }
    /// Whether any step from this one on was a transaction that may have changed something.
    package func hasCommitted(since step: Int) -> Bool {
        live.withLock { live in live.steps.dropFirst(step).contains { $0.act == .ledgerWrite } }
    }
    package var violations: [Violation] { live.withLock { $0.violations } }
    /// The ledger's answers to a station since it last did anything but ask; nil for no answer.
    package func answers(to station: Int) -> [LedgerTables?] {
        live.withLock { $0.answers[station] }
    }
    /// Whether a station itself has begun an operation, or ended it.
    package func hasChanged(_ operation: OperationID, _ station: Int) -> Bool {
        live.withLock { $0.changed[station].contains(operation) }
    }
    /// Whether a station's process was killed before it could say anything.
    package func isDead(_ station: Int) -> Bool { live.withLock { $0.dead.contains(station) } }

    /// Puts the card on another station's reader, or takes it away.
    package func moveCard(to station: Int?) { live.withLock { $0.move(to: station) } }

    /// The same keys in every scene, so that seals can be compared.
    package static let keys = KeyRing.fresh(created: "2026-01-01") { count in
        [UInt8](repeating: 0x5A, count: count)
    }
    /// The ring after a rotation, for worlds that seal with its second key or have retired the
    /// first.
    private static let rotated: KeyRing = {
        let made = try? keys.rotated(created: "2026-02-01") { count in
            [UInt8](repeating: 0x33, count: count)
        }
        guard let made else { preconditionFailure("a ring of one key can be rotated") }
        return made
    }()

    /// The keys of the issuer, as far as its ledger has changed them.
    static func keys(of tables: LedgerTables) -> KeyRing {
        guard tables.sealingKey != nil || !tables.retiredKeyIDs.isEmpty else { return keys }
        return rotated.retiring(tables.retiredKeyIDs) ?? rotated
    }

    /// The key that seals after a rotation.
    static var secondKey: UInt8 { rotated.sealing.id }

    static let now = Timestamp(milliseconds: 1_700_000_000_000)

    /// A station of this scene. Randomness is a function of the ledger, so that equal worlds stay
    /// equal: an id drawn is new for every operation.
    package func station(_ number: Int = 0) -> Station {
        let keys = keys
        let source = KeyRingSource(keys ?? world.keys) { [live] in
            keys ?? Scene.keys(of: live.withLock { $0.tables })
        }
        return Station(
            reader: SceneReader(scene: self, number: number),
            ledger: SceneLedger(scene: self, number: number), keySource: source,
            // Thieves make cards of any amount, and operators re-issue cards that hold money.
            settings: Station.Settings(ceilings: .unlimited(in: .usd), isConfirmed: true),
            dependencies: dependencies
                ?? Station.Dependencies(
                    now: { Scene.now }, sleep: { _ in },
                    random: { [live] count in
                        let drawn = live.withLock { $0.tables.operations.count }
                        return (0..<count).map { place in
                            switch place {
                            case 0: UInt8(truncatingIfNeeded: number)
                            case 1: UInt8(truncatingIfNeeded: drawn)
                            default: 0xC5
                            }
                        }
                    }))
    }
}

private struct SceneReader: TagReader {
    let scene: Scene
    let number: Int

    var name: String { "reader \(number) of a scene" }
    /// The capacity of an ACR122.
    var maximumAnswerLength: Int { 250 }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try scene.live.withLock { live throws(ReaderError) in try live.select(on: number) }
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        await scene.turn?(number)
        return try scene.live.withLock { live throws(ReaderError) in
            try live.exchange(frame, on: number)
        }
    }

    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        await scene.turn?(number)
        return try scene.live.withLock { live throws(ReaderError) in
            try live.exchange(command: command, on: number)
        }
    }

    func release() async { scene.live.withLock { $0.powerDown(number) } }
}

private struct SceneLedger: LedgerStore {
    let scene: Scene
    let number: Int

    var currency: Currency { .usd }

    func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await transact(.ledgerRead, footprint, body)
    }

    func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await transact(.ledgerWrite, footprint, body)
    }

    private func transact<Success: Sendable>(
        _ act: Step.Act, _ footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        await scene.turn?(number)
        guard let twin = scene.twin else {
            return try scene.live.withLock { live throws(LedgerError) in
                try live.transact(act, of: number, body)
            }
        }
        // The outcome of the body, and the outcome that the station learns.
        let (done, told) = scene.live.withLock { live in
            var done: Result<Success, LedgerError>?
            let told = Result { () throws(LedgerError) in
                try live.transact(act, of: number) { rows throws(LedgerError) in
                    let result = Result { () throws(LedgerError) in try body(rows) }
                    done = result
                    return try result.get()
                }
            }
            return (done, told)
        }
        if let done {
            await twin.carryOut(
                act, at: number, touching: footprint, expecting: done,
                isHeard: told.isSuccess == done.isSuccess, body)
        }
        return try told.get()
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// The service as a station of a scene sees it: each request is a step.
package struct SceneService: ActivationService {
    let scene: Scene
    let number: Int

    package init(scene: Scene, number: Int = 0) {
        self.scene = scene
        self.number = number
    }

    package func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        await scene.turn?(number)
        return try scene.live.withLock { live throws(ServiceError) in
            try live.serve(code, for: number)
        }
    }
}
