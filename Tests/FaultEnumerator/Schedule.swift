import FaultyWorld
import Type2Tag

/// What is played: three taps of one deed on one chip. Its place in the list is part of a
/// schedule's number.
struct Script: Sendable {
    let deed: Deed
    let chip: Type2Chip
    let place: Int

    var name: String { "\(deed.name) on \(chip.name)" }

    static let all: [Script] = Type2Chip.known.enumerated().flatMap { row, chip in
        Deed.all.enumerated().map { column, deed in
            Script(deed: deed, chip: chip, place: column * Type2Chip.known.count + row)
        }
    }

    /// The request, the same again, another one.
    var errands: [Errand] { [deed.errand, deed.errand, Deed.next] }
}

/// What passes between two taps: time, and the strength of weak pages.
struct Gap: Hashable, Sendable {
    let isLong: Bool
    let decay: Decay

    static let all: [Gap] = Decay.allCases.flatMap { decay in
        [Gap(isLong: false, decay: decay), Gap(isLong: true, decay: decay)]
    }

    /// Longer than an open payment lives.
    private static let longSeconds: Int64 = 200

    func applied(to world: RestingWorld) -> RestingWorld {
        var world = world.decayed(decay)
        if isLong { world.age(seconds: Gap.longSeconds) }
        return world
    }
}

/// One thing that goes wrong: in which of the three taps, at which of its steps, what.
struct PlacedFault: Hashable, Sendable {
    let tap: Int
    let step: Int
    let mishap: Mishap
}

/// A schedule as one number: 7 bits for the script, 3 for each of the gaps behind the taps, 16 for
/// each fault. The same number always means the same schedule.
struct ScheduleNumber: Hashable, Sendable, CustomStringConvertible {
    static let mostFaults = 3
    static let mostSteps = 128
    /// More than there are mishaps: a fault's tap, step and mishap are one number of 16 bits.
    private static let mostMishaps = 170
    private static let (scriptBits, gapBits, faultBits) = (7, 3, 16)
    private static let firstFault = scriptBits + 3 * gapBits

    private(set) var value: UInt64

    init(_ script: Script) { value = UInt64(script.place) }
    init(_ value: UInt64) { self.value = value }

    var description: String { String(value) }

    var faultCount: Int {
        (0..<ScheduleNumber.mostFaults).count { field(ofFault: $0) != 0 }
    }

    /// With the gap behind a tap.
    func adding(_ gap: Int, behind tap: Int) -> ScheduleNumber {
        ScheduleNumber(
            value | UInt64(gap) << UInt64(ScheduleNumber.scriptBits + tap * ScheduleNumber.gapBits))
    }

    /// With one more fault, behind those that there are.
    func adding(_ fault: PlacedFault) -> ScheduleNumber {
        guard let mishap = Mishap.places[fault.mishap] else {
            preconditionFailure("every mishap is in the table")
        }
        let moment = fault.tap * ScheduleNumber.mostSteps + fault.step
        let field = UInt64(1 + moment * ScheduleNumber.mostMishaps + mishap)
        let shift = ScheduleNumber.firstFault + faultCount * ScheduleNumber.faultBits
        return ScheduleNumber(value | field << UInt64(shift))
    }

    private func field(ofFault place: Int) -> UInt64 {
        value >> UInt64(ScheduleNumber.firstFault + place * ScheduleNumber.faultBits) & 0xFFFF
    }

    /// What the number says; nil where it is none of a schedule.
    var decoded: (script: Script, gaps: [Gap], faults: [PlacedFault])? {
        let place = Int(value & 0x7F)
        guard let script = Script.all.first(where: { $0.place == place }) else { return nil }
        var gaps: [Gap] = []
        for tap in 0..<3 {
            let shift = ScheduleNumber.scriptBits + tap * ScheduleNumber.gapBits
            let gap = Int(value >> UInt64(shift) & 7)
            guard gap < Gap.all.count else { return nil }
            gaps.append(Gap.all[gap])
        }
        var faults: [PlacedFault] = []
        for place in 0..<faultCount {
            let field = Int(field(ofFault: place)) - 1
            let (moment, mishap) = field.quotientAndRemainder(
                dividingBy: ScheduleNumber.mostMishaps)
            let (tap, step) = moment.quotientAndRemainder(dividingBy: ScheduleNumber.mostSteps)
            guard tap < 3, mishap < Mishap.table.count else { return nil }
            faults.append(PlacedFault(tap: tap, step: step, mishap: Mishap.table[mishap]))
        }
        return (script, gaps, faults)
    }

    /// Which of two schedules is told first: fewer faults, then earlier ones.
    func isShorter(than other: ScheduleNumber) -> Bool {
        (faultCount, depth, value) < (other.faultCount, other.depth, other.value)
    }

    /// For sorting beside schedules of two stations.
    var length: Int { 1_000 * faultCount + depth }

    private var depth: Int {
        (0..<faultCount).reduce(0) {
            $0 + Int(field(ofFault: $1)) / ScheduleNumber.mostMishaps
        }
    }
}
