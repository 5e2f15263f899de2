import BlockingLane
import TapcardCore

/// A tap between two steps of its use case, with the world at that time. It can continue from here
/// in more than one way.
///
/// Two are equal where everything continues alike.
package struct SavedTap: Sendable, Hashable {
    private let request: StationRequest
    private let start: RestingWorld
    private let scene: Scene
    private let station: Station
    private var live: Live
    private var useCase: any UseCase<Answer>
    private var trouble = LedgerTrouble()

    /// Starts before the first step.
    package init(_ request: StationRequest, in world: RestingWorld) {
        (self.request, start) = (request, world)
        scene = Scene(world, keepsWorlds: true)
        station = scene.station()
        live = scene.live.withLock { $0 }
        useCase = request.begin(scene, 0)
    }

    package var world: RestingWorld { live.world }

    /// The result of one step of the use case.
    package struct Advance: Sendable {
        package let steps: [Step]
        package let violations: [Violation]
        /// The continued tap; nil where it has given its answer.
        package let next: SavedTap?
        package let world: RestingWorld
    }

    /// Takes one step of the use case, with these mishaps at the station's steps. `keepsWorlds`
    /// notes the world after every step.
    package func advance(_ mishaps: [Int: Mishap], keepsWorlds: Bool) async -> Advance {
        var next = self
        scene.live.withLock { [live] now in
            now = live
            now.resume(mishaps, keepsWorlds: keepsWorlds)
        }
        let said = await next.useCase.said(at: station)
        next.live = scene.live.withLock { $0 }
        for mishap in mishaps.values { next.trouble.note(mishap) }
        let after = next.live.world
        var violations = next.live.violations
        if let said {
            violations += Tap.broken(request, said, from: start, to: after, next.trouble)
        }
        return Advance(
            steps: next.live.steps, violations: violations, next: said == nil ? next : nil,
            world: after)
    }

    package static func == (left: SavedTap, right: SavedTap) -> Bool {
        left.trouble == right.trouble && left.live == right.live
            && AnyHashable(left.useCase) == AnyHashable(right.useCase)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(live)
        hasher.combine(AnyHashable(useCase))
    }
}
