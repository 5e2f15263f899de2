import FaultyWorld
import Ledger

/// How far an earlier tap with the same request got before two stations use the card.
package enum Opening: Int, Sendable, Hashable, CaseIterable {
    /// There was no such tap, and nothing is open.
    case none
    /// The operation is open, and nothing is on the tag.
    case begun
    /// Two pages are written.
    case half
    /// The whole record is on the tag, but the ledger does not know it.
    case shown
    /// The three before, but older than the lifetime of an open payment.
    case oldBegun, oldHalf, oldShown

    /// All cases that leave an operation open.
    static let broken = allCases.filter { $0 != .none }

    var words: String {
        switch self {
        case .none: "nothing open"
        case .begun: "open, and nothing written"
        case .half: "open, and two pages written"
        case .shown: "open, and written"
        case .oldBegun: "open for long, and nothing written"
        case .oldHalf: "open for long, and two pages written"
        case .oldShown: "open for long, and written"
        }
    }

    private var isOld: Bool { self == .oldBegun || self == .oldHalf || self == .oldShown }

    /// The world that is left if the process is killed at that point.
    func world(of script: Script) async -> RestingWorld {
        let resolved = await script.request.world(on: script.chip)
        guard self != .none else { return resolved }
        let steps = await Tap.play(script.request.stationRequest, in: resolved, keepsWorlds: true)
            .steps
        func state(_ step: Step) -> Operation.State? {
            step.after.flatMap { script.request.stationRequest.operation(in: $0.ledger)?.state }
        }
        guard let begin = steps.firstIndex(where: { state($0) == .pending }),
            let end = steps.firstIndex(where: { state($0) == .committed })
        else { preconditionFailure("\(script.name) is begun and done where nothing goes wrong") }
        let writes = steps[begin..<end].indices.filter { steps[$0].isWrite }
        let place =
            switch self {
            case .none, .begun, .oldBegun: begin
            case .half, .oldHalf: writes.dropFirst().first ?? begin
            case .shown, .oldShown: end - 1
            }
        guard var world = steps[place].after else {
            preconditionFailure("the world behind every step was to be kept")
        }
        if isOld { world.age(seconds: Gap.longSeconds) }
        return world
    }
}
