import BlockingLane
import FaultyWorld
import Ledger
import SimulatedReader
package import TapcardCore
import TapcardDomain

/// The time and randomness of one tap. Its rehearsals have the same, so that they take the same
/// steps.
struct Occasion {
    let clock: Guarded<Int64>
    let hints = Guarded<[String]>([])
    private let chance: Chance

    init(_ seed: UInt64, at time: Int64) {
        chance = Chance(seed)
        clock = Guarded(time)
    }

    var dependencies: Station.Dependencies {
        let (chance, clock, hints) = (chance, clock, hints)
        return Station.Dependencies(
            now: { Timestamp(milliseconds: clock.withLock { $0 }) },
            sleep: { duration in
                clock.withLock { $0 += duration.components.seconds * 1_000 }
            },
            random: { chance.bytes($0) },
            progress: { progress in
                if case .hint(let text) = progress { hints.withLock { $0.append(text) } }
            })
    }
}

/// The faults in a tap, as far as they explain its answer.
package struct Trouble: Sendable {
    private var isOnRadio = false
    /// A frame was refused once, as if the tag asked for a password.
    private var isRefusal = false
    private var isLedgerProblem = false

    package init() {}

    mutating func add(_ mishap: Mishap) {
        switch mishap {
        case .radio(let kind), .radioAndBack(let kind):
            isOnRadio = true
            if case .refused = kind { isRefusal = true }
        case .ledgerOffline, .ledgerGone, .commitLost, .commitUnknown, .commitUnknownLedgerGone:
            isLedgerProblem = true
        case .forgedAnswer: isOnRadio = true
        case .killedBefore, .killedAfter, .service: break
        }
    }

    /// Whether these faults explain this error. A blank tag that lost one answer looks like an
    /// older chip, and what is open on the card is not known to be done.
    package func explains(_ kind: TapcardError.Kind, open isOpen: Bool) -> Bool {
        switch kind {
        case .tagLost, .noCard, .unsupportedTag: isOnRadio
        case .protectedTag: isRefusal
        case .ledgerUnavailable: isLedgerProblem
        case .outcomeUnknown: isLedgerProblem || (isOnRadio && isOpen)
        default: false
        }
    }
}

// What goes wrong in a disturbed tap, at which of its steps.
extension Town {
    /// Draws a step of the tap and a fault for it, and a later fault from the steps after it, so
    /// that each of them strikes.
    func drawMishaps(_ rehearse: ([Int: Mishap]) async -> [Step]) async -> [Int: Mishap] {
        var mishaps: [Int: Mishap] = [:]
        var first = 0
        for _ in 0..<chance.pick(weighted: [(70, 1), (22, 2), (8, 3)]) {
            let steps = await rehearse(mishaps)
            let isCutOff = mishaps.values.contains { $0.cutsOff }
            let places = steps.indices.dropFirst(first).compactMap { place in
                let options = mishapsThatFit(steps[place], isCutOff: isCutOff)
                return options.isEmpty ? nil : (steps[place].weight, (place, options))
            }
            guard !places.isEmpty else { break }
            let (place, options) = chance.pick(weighted: places)
            mishaps[place] = chance.pick(weighted: options)
            first = place + 1
        }
        return mishaps
    }

    private func mishapsThatFit(_ step: Step, isCutOff: Bool) -> [(Int, Mishap)] {
        let deaths: [(Int, Mishap)] = [(1, .killedBefore), (1, .killedAfter)]
        let absences: [(Int, Mishap)] = [(2, .ledgerOffline), (2, .ledgerGone)]
        switch step.act {
        case .service: return deaths
        case .ledgerRead, .ledgerWrite:
            if isCutOff { return deaths }
            guard step.act == .ledgerWrite else { return deaths + absences }
            return deaths + absences + [
                (3, .commitLost), (3, .commitUnknown), (3, .commitUnknownLedgerGone),
            ]
        case .frame, .write, .command:
            // Without a listener nothing can be lost on the way.
            guard step.isHeard else { return deaths }
            var kinds: [(Int, Fault.Kind)] = [
                (2, .lost), (3, .acknowledgeLost), (1, .pulledAfter), (1, .garbled), (1, .late),
                (1, .refused(chance.pick([0, 1, 4, 5]))),
            ]
            if step.isWrite { kinds.append((6, .torn(drawTornPage()))) }
            var others = deaths
            if case .command(_, isWrite: true) = step.act { others.append((3, .forgedAnswer)) }
            return others
                + kinds.map { weight, kind in
                    (weight, chance.percent(30) ? .radioAndBack(kind) : .radio(kind))
                }
        }
    }

    private func drawTornPage() -> TornPage {
        let (seed, ones) = (chance.next(), chance.below(32))
        return chance.pick([
            .zero, .unchanged, .new, .mix(seed: seed), .mix(seed: seed &+ 1),
            .someOnes(seed: seed), .erasedToSomeOnes(seed: seed), .lowestOnes(ones),
            .highestOnes(ones), .erasedToLowestOnes(ones), .erasedToHighestOnes(ones),
        ])
    }
}

extension Town {
    /// Whether the faults in the last tap, or what was done to the card before, explain this error.
    func isExplained(_ kind: TapcardError.Kind, _ index: Int) -> Bool {
        trouble.explains(kind, open: world(of: index).open != nil || hasUnwrittenYes(index))
            || bodies[index].marks.contains { evidence.bears(kind, $0) }
    }

    /// Whether the service's yes is noted and no tap has written it yet.
    private func hasUnwrittenYes(_ index: Int) -> Bool {
        guard case .scratched(let code) = tables.cards[uid(index)]?.scratch else { return false }
        return tables.activations.contains { $0.code == code && $0.state == .active }
    }
}

extension Step {
    /// A tap has some twenty WRITEs per commit, and the money is in the commit.
    fileprivate var weight: Int {
        switch act {
        case .frame, .write, .command, .ledgerRead: 1
        case .ledgerWrite, .service: 5
        }
    }
}

extension Mishap {
    fileprivate var cutsOff: Bool { self == .ledgerGone || self == .commitUnknownLedgerGone }

    /// The kind of fault, whatever a torn page held.
    var name: String {
        switch self {
        case .radio(let kind), .radioAndBack(let kind):
            if case .torn = kind {
                "torn page"
            } else {
                "\(kind)".split(separator: " ")[0].description
            }
        default: description
        }
    }
}
