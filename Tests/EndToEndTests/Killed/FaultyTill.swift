import PN532Emulator
import TestSupport
import Testing

/// Several tills that run the same command at the same time, each with a fault at another call,
/// because most of a run is waiting for the reader.
final class FaultyTill {
    /// One run that is cut short.
    struct Place: Hashable, CustomStringConvertible {
        let number: Int
        let action: KillSwitch.Action

        var description: String { "\(action) call \(number)" }
    }

    /// The first step after the fault: a tap, or a repetition of the request.
    enum Next: CaseIterable {
        case read, again
    }

    private static let killed: Int32 = 137
    /// A reader that answers too late more often than this points to a bug.
    private static let mostRepeatedInHundred = 5

    let change: Change
    let chip: String
    let calls: [KillSwitch.Call]
    /// The messages of the runs that continued after their fault, by exit status.
    private(set) var answers: [Int32: Set<String>] = [:]
    /// The kind of calls that count; all of them where it is nil.
    private let counted: String?
    private let stations: [EmulatedTill]
    private let start: EmulatedTill.Snapshot
    /// The number of runs, and how many of them found no reader.
    private var runCount = 0
    private var readerlessCount = 0

    /// Counts the calls of an undisturbed run.
    init(
        _ change: Change, chip: String = "NTAG213", counting counted: String? = nil,
        stations count: Int = 6
    ) throws {
        self.change = change
        self.chip = chip
        self.counted = counted
        stations = try (0..<count).map { _ in try EmulatedTill() }
        if chip != "NTAG213" { stations[0].tell("present \(chip)") }
        for line in change.prepared {
            let ended = try stations[0].till.runPatiently(line)
            #expect(ended.status == 0, "\(line): \(ended.errors)")
        }
        if change.isForBlank { stations[0].tell("present \(chip)") }
        start = try stations[0].snapshot()
        calls = try FaultyTill.calls(of: change, at: stations[0], counting: counted, from: start)
    }

    /// A reader that answers late causes extra calls, so the smallest log seen twice is used.
    private static func calls(
        of change: Change, at station: EmulatedTill, counting counted: String?,
        from start: EmulatedTill.Snapshot
    ) throws -> [KillSwitch.Call] {
        let counting = try killSwitch(of: station)
        var fewest: [KillSwitch.Call] = []
        var counts = 0
        while counts < 2 {
            let ended = try station.till.runPatiently(
                change.line, with: counting.variables(calls: counted)
            ) { _ = try counting.takeLog() }
            try #require(ended.status == 0, "\(change.line): \(ended.errors)")
            #expect(ended.output.hasPrefix(change.says))
            let calls = try counting.takeLog()
            if counts == 0 || calls.counted < fewest.counted { (fewest, counts) = (calls, 0) }
            if calls.counted == fewest.counted { counts += 1 }
            try station.restore(start)
        }
        return fewest
    }

    /// Runs the command with a fault at each of these places; returns their number.
    func play(
        _ places: [Place], next: Next, _ location: SourceLocation = #_sourceLocation
    ) throws -> Int {
        var rest = places[...]
        while !rest.isEmpty {
            try play(Array(rest.prefix(stations.count)), next, location)
            rest = rest.dropFirst(stations.count)
        }
        let bound = 1 + runCount * Self.mostRepeatedInHundred / 100
        // A sanitizer slows down the played reader, too.
        #expect(
            readerlessCount <= bound || Thoroughness.isSanitized, "of \(runCount) runs",
            sourceLocation: location)
        print(
            "\(change.testDescription) on an \(chip), at \(places.count) places of its "
                + "\(calls.counted) calls, then \(next); no reader: \(readerlessCount)")
        return places.count
    }

    private func play(
        _ places: [Place], _ next: Next, _ location: SourceLocation
    ) throws {
        for (station, _) in zip(stations, places) { try station.restore(start) }
        let runs = try inParallel(
            places, again: { station, _, _ in try station.restore(start) },
            { station, place in
                try station.till.start(
                    station.till.words(of: change.line),
                    with: FaultyTill.killSwitch(of: station).variables(
                        place.action, at: place.number, calls: counted))
            })
        let first = next == .read ? try tap(places) : nil
        var open: Set<Place> = []
        let repeated = try inParallel(
            places, again: { _, place, ended in if ended.status == 6 { open.insert(place) } },
            { station, _ in
                try station.till.start(station.till.words(of: change.line + " --json"))
            })
        let second = try tap(places)
        // A tap that came after a mere answer from the ledger may have had something to mend.
        let last = next == .again ? try tap(places) : second
        let audits = try inParallel(places) { station, _ in
            try station.till.start(["audit", "--json"])
        }
        for (index, place) in places.enumerated() {
            judge(
                Aftermath(
                    run: runs[index], first: first?[index], repeated: repeated[index],
                    saidOpen: open.contains(place), second: second[index], last: last[index],
                    audit: audits[index]),
                place, at: location)
        }
    }

    /// Everything observed of a run and after it.
    private struct Aftermath {
        let run: Ended
        let first: Ended?
        let repeated: Ended
        /// Whether the same request found no reader and said that it was begun before.
        let saidOpen: Bool
        let second: Ended
        let last: Ended
        let audit: Ended
    }

    private func judge(_ seen: Aftermath, _ place: Place, at location: SourceLocation) {
        var isDone = judge(seen.run, place, at: location)
        let wasTold = isDone
        if let first = seen.first {
            let found = Change.Found(in: first.output)
            let what: Comment = "\(place): \(first.output)"
            #expect(found == change.before || found == change.after, what, sourceLocation: location)
            // Where there is no card yet, there is nothing to read.
            let blank = found == nil && first.output.contains("blank-tag")
            #expect(first.status == (blank ? 4 : 0), what, sourceLocation: location)
            #expect(wasTold == nil || wasTold == (found == change.after), what)
            isDone = found == change.after
        }
        let what: Comment = "\(place): \(seen.repeated.output)"
        let isReplayed = seen.repeated.output.contains(#""replayed":true"#)
        let isVoided = seen.repeated.output.contains(#""error":"operation-voided""#)
        if isVoided {
            #expect(change.mayBeVoided && isDone == false, what, sourceLocation: location)
            #expect(seen.repeated.status == 4, what, sourceLocation: location)
        } else if seen.repeated.status == 0 {
            if isDone == true { #expect(isReplayed, what, sourceLocation: location) }
            if isDone == false { #expect(!isReplayed, what, sourceLocation: location) }
        } else {
            // It has no id of its own: what was done is told as a state in which it cannot be.
            #expect(seen.repeated.status == 4 && isDone != false, what, sourceLocation: location)
            let refusal = change.refusalAgain.map { "\"error\":\"\($0)\"" } ?? "a replay"
            #expect(seen.repeated.output.contains(refusal), what, sourceLocation: location)
        }
        let wasOpen = seen.first == nil && isDone == nil
        #expect(!seen.saidOpen || wasOpen, what, sourceLocation: location)
        for tap in [seen.second.output, seen.last.output] {
            #expect(
                Change.Found(in: tap) == (isVoided ? change.before : change.after),
                "\(place): \(tap)", sourceLocation: location)
        }
        // A request that touched the card, and any tap, leave nothing to resolve. A replay and a
        // refusal come from the ledger alone: then the tap after it may mend what phones read.
        let touched = seen.first != nil || (seen.repeated.status == 0 && !isReplayed)
        let second = display(in: seen.second)
        #expect(
            second == "current" || (!touched && second == "repaired"),
            "\(place): \(seen.repeated.output)\(seen.second.output)", sourceLocation: location)
        #expect(
            display(in: seen.last) == "current", "\(place): \(seen.last.output)",
            sourceLocation: location)
        #expect(
            seen.audit.output.contains(#""open":0,"violations":[]"#),
            "\(place): \(seen.audit.output)", sourceLocation: location)
    }

    /// Whether a run that met its fault reports the change as made; nil where it does not say or
    /// was killed.
    private func judge(_ run: Ended, _ place: Place, at location: SourceLocation) -> Bool? {
        let what: Comment = "\(place): \(run.status), \(run.output) \(run.errors)"
        let isTold = !run.output.isEmpty
        if isTold {
            #expect(run.output.hasPrefix(change.says), what, sourceLocation: location)
        }
        if place.action.kills {
            #expect(run.status == Self.killed, what, sourceLocation: location)
            return isTold ? true : nil
        }
        answers[run.status, default: []].insert(
            Mask.apply(to: run.errors).replacing(/\/tmp\/tapcard-[0-9-]+/, with: "~"))
        #expect(isTold == (run.status == 0), what, sourceLocation: location)
        // Not even in part: what is open may have changed both.
        let saysNothing = run.errors.lowercased().contains("nothing was changed")
        #expect(!(run.status == 6 && saysNothing), what, sourceLocation: location)
        switch run.status {
        case 0: return true
        case 6: return nil
        default:
            #expect(run.status == 9 || run.status == 1, what, sourceLocation: location)
            return false
        }
    }

    /// The state of the text for phones after a tap.
    private func display(in tap: Ended) -> String? {
        tap.output.firstMatch(of: /"display":"([a-z-]+)"/).map { String($0.output.1) }
    }

    /// Runs one command on as many stations as there are places. A run that found no reader is
    /// repeated after `again`, which gets its result.
    private func inParallel(
        _ places: [Place], again: (EmulatedTill, Place, Ended) throws -> Void = { _, _, _ in },
        _ start: (EmulatedTill, Place) throws -> ChildProcess
    ) throws -> [Ended] {
        let pairs = Array(zip(stations, places))
        var ends = try pairs.map { try start($0, $1) }.map { try $0.end() }
        runCount += ends.count
        for (index, (station, place)) in pairs.enumerated() where ends[index].isWithoutReader {
            readerlessCount += 1
            for _ in 0..<Till.mostTries where ends[index].isWithoutReader {
                try again(station, place, ends[index])
                ends[index] = try start(station, place).end()
            }
        }
        return ends
    }

    private func tap(_ places: [Place]) throws -> [Ended] {
        try inParallel(places) { station, _ in try station.till.start(["read", "--json"]) }
    }

    private static func killSwitch(of station: EmulatedTill) throws -> KillSwitch {
        try KillSwitch(station.till, reader: station.reader.devicePath)
    }
}

extension FaultyTill {
    /// Every call of some kinds from `offset` on, `step` apart, with each of these faults.
    func places(
        _ actions: [KillSwitch.Action] = [.killBefore, .killAfter], every step: Int = 1,
        from offset: Int = 1, where isMeant: (KillSwitch.Call) -> Bool = { _ in true }
    ) -> [Place] {
        stride(from: offset, through: calls.counted, by: step).flatMap { number in
            let call = calls.first { $0.number == number }
            return call.map(isMeant) == true
                ? actions.map { Place(number: number, action: $0) } : []
        }
    }
}
