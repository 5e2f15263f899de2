package import FaultyWorld
package import TapcardDomain

/// Three taps with one request on one chip. Its place in the list is part of a schedule's number.
package struct Script: Sendable {
    package let request: EnumeratedRequest
    package let chip: Chip
    package let place: Int

    var name: String { "\(request.name) on \(chip.name)" }

    package static let all: [Script] = Chip.allCases.flatMap { chip in
        EnumeratedRequest.all.enumerated().compactMap { column, request in
            request.isPlayed(on: chip)
                ? Script(request: request, chip: chip, place: place(of: column, on: chip)) : nil
        }
    }

    /// Keeps the places that the chips with pages had before the NTAG 424 was added.
    private static func place(of column: Int, on chip: Chip) -> Int {
        switch chip {
        case .ntag213: 3 * column
        case .ntag215: 3 * column + 1
        case .ntag216: 3 * column + 2
        case .ntag424: 64 + column
        }
    }

    /// The request, its repetition and a payment by the next customer.
    var requests: [StationRequest] {
        [request.stationRequest, request.stationRequest, EnumeratedRequest.next]
    }
}

/// What happens between two taps: time passes, and weak pages decay.
package struct Gap: Hashable, Sendable {
    let isLong: Bool
    let decay: Decay
    /// The index of the weak page that decays, or nil for all of them together.
    let rank: Int?

    /// The most weak pages that are turned bad one by one.
    static let mostRanks = 6

    package static let all: [Gap] =
        Decay.allCases.flatMap { both($0, nil) }
        + (0..<mostRanks).flatMap { both(.toZero, $0) + both(.toOld, $0) }

    private static func both(_ decay: Decay, _ rank: Int?) -> [Gap] {
        [false, true].map { Gap(isLong: $0, decay: decay, rank: rank) }
    }

    /// Longer than the lifetime of an open payment.
    static let longSeconds: Int64 = 200

    /// The world after the gap, or nil if it has too few weak pages.
    func applied(to world: RestingWorld) -> RestingWorld? {
        let pages = world.weak.keys.sorted()
        if let rank, rank >= pages.count { return nil }
        var world = world.decayed(decay, only: rank.map { pages[$0] })
        if isLong { world.age(seconds: Gap.longSeconds) }
        return world
    }
}

/// A mishap at one step of one of the three taps.
package struct PlacedFault: Hashable, Sendable {
    let tap: Int
    let step: Int
    let mishap: Mishap

    package init(tap: Int, step: Int, mishap: Mishap) {
        self.tap = tap
        self.step = step
        self.mishap = mishap
    }
}

/// A schedule as one number: 6 bits for the script, 1 that is set only for two stations, 3 for each
/// gap after a tap, 16 for each fault, 2 more for each gap, 1 more for the script and 2 more for
/// each fault. A number never changes its meaning.
package struct ScheduleNumber: Hashable, Sendable, CustomStringConvertible {
    package static let mostFaults = 3
    package static let mostSteps = 512
    /// The bounds that let a fault's tap, step and mishap share 16 bits. There are fewer mishaps
    /// than this, and of a later step the field holds the remainder.
    private static let (mostMishaps, stepsInField) = (170, 128)
    private static let (scriptBits, gapBits, faultBits) = (7, 3, 16)
    private static let firstFault = scriptBits + 3 * gapBits
    private static let (firstMoreOfGap, moreGapBits) = (firstFault + mostFaults * faultBits, 2)
    private static let (lowScripts, highScripts) = (UInt128(0x3F), firstMoreOfGap + 3 * moreGapBits)
    private static let (firstMoreOfFault, moreFaultBits) = (highScripts + 1, 2)

    package private(set) var value: UInt128

    package init(_ script: Script) {
        let place = UInt128(script.place)
        value = place & ScheduleNumber.lowScripts | (place >> 6) << ScheduleNumber.highScripts
    }
    package init(_ value: UInt128) { self.value = value }

    package var description: String { String(value) }

    var faultCount: Int {
        (0..<ScheduleNumber.mostFaults).count { field(ofFault: $0) != 0 }
    }

    /// Adds the gap after a tap.
    package func adding(_ gap: Int, behind tap: Int) -> ScheduleNumber {
        let (low, high) = ScheduleNumber.places(ofGap: tap)
        return ScheduleNumber(value | UInt128(gap & 7) << low | UInt128(gap >> 3) << high)
    }

    private static func places(ofGap tap: Int) -> (low: Int, high: Int) {
        (scriptBits + tap * gapBits, firstMoreOfGap + tap * moreGapBits)
    }

    /// Adds a fault after the others.
    package func adding(_ fault: PlacedFault) -> ScheduleNumber {
        guard let mishap = Mishap.places[fault.mishap] else {
            preconditionFailure("every mishap is in the table")
        }
        let (more, step) = fault.step.quotientAndRemainder(
            dividingBy: ScheduleNumber.stepsInField)
        let moment = fault.tap * ScheduleNumber.stepsInField + step
        let field = UInt128(1 + moment * ScheduleNumber.mostMishaps + mishap)
        let shift = ScheduleNumber.firstFault + faultCount * ScheduleNumber.faultBits
        let high = ScheduleNumber.firstMoreOfFault + faultCount * ScheduleNumber.moreFaultBits
        return ScheduleNumber(value | field << shift | UInt128(more) << high)
    }

    /// The part of a fault's step that its field has no room for.
    private func moreSteps(ofFault place: Int) -> Int {
        let shift = ScheduleNumber.firstMoreOfFault + place * ScheduleNumber.moreFaultBits
        return Int(value >> shift & 3) * ScheduleNumber.stepsInField
    }

    private func field(ofFault place: Int) -> UInt128 {
        value >> (ScheduleNumber.firstFault + place * ScheduleNumber.faultBits) & 0xFFFF
    }

    /// The schedule with this number, or nil if there is none.
    package var decoded: (script: Script, gaps: [Gap], faults: [PlacedFault])? {
        let high = value >> ScheduleNumber.highScripts & 1
        let place = Int(value & ScheduleNumber.lowScripts | high << 6)
        let end = ScheduleNumber.firstMoreOfFault + faultCount * ScheduleNumber.moreFaultBits
        guard value >> end == 0, value & (ScheduleNumber.lowScripts + 1) == 0,
            let script = Script.all.first(where: { $0.place == place })
        else { return nil }
        var gaps: [Gap] = []
        for tap in 0..<3 {
            let (low, high) = ScheduleNumber.places(ofGap: tap)
            let gap = Int(value >> low & 7 | (value >> high & 3) << 3)
            guard gap < Gap.all.count else { return nil }
            gaps.append(Gap.all[gap])
        }
        var faults: [PlacedFault] = []
        for place in 0..<faultCount {
            let field = Int(field(ofFault: place)) - 1
            let (moment, mishap) = field.quotientAndRemainder(
                dividingBy: ScheduleNumber.mostMishaps)
            let (tap, step) = moment.quotientAndRemainder(dividingBy: ScheduleNumber.stepsInField)
            guard field >= 0, tap < 3, mishap < Mishap.table.count else { return nil }
            faults.append(
                PlacedFault(
                    tap: tap, step: step + moreSteps(ofFault: place), mishap: Mishap.table[mishap]))
        }
        return (script, gaps, faults)
    }

    /// Whether this schedule has fewer faults, or equally many that come earlier.
    func isShorter(than other: ScheduleNumber) -> Bool {
        (faultCount, depth, value) < (other.faultCount, other.depth, other.value)
    }

    /// A length that can be compared with that of schedules of two stations.
    var length: Int { 1_000 * faultCount + depth }

    private var depth: Int {
        (0..<faultCount).reduce(0) {
            $0 + Int(field(ofFault: $1)) / ScheduleNumber.mostMishaps + moreSteps(ofFault: $1)
        }
    }
}
