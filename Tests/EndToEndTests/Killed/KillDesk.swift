import PN532Emulator
import Testing

/// Several counters that do the same at the same time, each at another call: most of a run is
/// waiting for the reader.
final class KillDesk {
    /// One run that is cut short.
    struct Place: CustomStringConvertible {
        let number: Int
        let action: KillSwitch.Action

        var description: String { "\(action) call \(number)" }
    }

    /// What comes first afterwards: a tap, or the same request.
    enum Next: CaseIterable {
        case read, again
    }

    private static let killed: Int32 = 137
    private static let mostTries = 5

    let change: Change
    let calls: [KillSwitch.Call]
    private let stations: [EmulatedCounter]
    private let start: EmulatedCounter.Snapshot

    /// With the calls counted that an undisturbed run makes.
    init(_ change: Change, chip: String? = nil, stations count: Int = 6) throws {
        self.change = change
        stations = try (0..<count).map { _ in try EmulatedCounter() }
        if let chip { stations[0].tell("present \(chip)") }
        for line in change.prepared { try stations[0].counter.step(line) }
        start = try stations[0].snapshot()
        let counting = try KillDesk.killSwitch(of: stations[0])
        let station = stations[0].counter
        var ended = try station.run(station.words(of: change.line), with: counting.variables())
        for _ in 0..<Self.mostTries where ended.isWithoutReader {
            _ = try counting.takeLog()
            ended = try station.run(station.words(of: change.line), with: counting.variables())
        }
        #expect(ended.status == 0, "\(change.line): \(ended.errors)")
        calls = try counting.takeLog()
    }

    /// Kills a run at each of these places; how many there were.
    func kill(
        at places: [Place], next: Next, _ location: SourceLocation = #_sourceLocation
    ) throws -> Int {
        var rest = places[...]
        while !rest.isEmpty {
            try kill(at: Array(rest.prefix(stations.count)), next, location)
            rest = rest.dropFirst(stations.count)
        }
        return places.count
    }

    private func kill(
        at places: [Place], _ next: Next, _ location: SourceLocation
    ) throws {
        for (station, _) in zip(stations, places) { try station.restore(start) }
        let runs = try inParallel(places) { station, place in
            try station.counter.start(
                station.counter.words(of: change.line),
                with: KillDesk.killSwitch(of: station).variables(place.action, at: place.number))
        }
        for (ended, place) in zip(runs, places) {
            #expect(ended.status == Self.killed, "\(place)", sourceLocation: location)
            #expect(
                ended.output.isEmpty || ended.output.hasPrefix(change.says), "\(place)",
                sourceLocation: location)
        }
        let told = runs.map { !$0.output.isEmpty }
        let first = next == .read ? try tap(places) : nil
        let repeated = try inParallel(places) { station, _ in
            try station.counter.start(station.counter.words(of: change.line + " --json"))
        }
        let second = try tap(places)
        let audits = try inParallel(places) { station, _ in
            try station.counter.start(["audit", "--json"])
        }
        for (index, place) in places.enumerated() {
            judge(
                Aftermath(
                    wasTold: told[index], first: first?[index], repeated: repeated[index],
                    second: second[index], audit: audits[index]),
                place, at: location)
        }
    }

    /// All that is seen after a run was killed.
    private struct Aftermath {
        let wasTold: Bool
        let first: Ended?
        let repeated: Ended
        let second: Ended
        let audit: Ended
    }

    private func judge(_ seen: Aftermath, _ place: Place, at location: SourceLocation) {
        var isDone: Bool?
        if let first = seen.first {
            let found = Change.Found(in: first.output)
            let what: Comment = "\(place): \(first.output)"
            #expect(found == change.before || found == change.after, what, sourceLocation: location)
            // Where there is no card yet, there is nothing to read.
            let blank = found == nil && first.output.contains("blank-tag")
            #expect(first.status == (blank ? 4 : 0), what, sourceLocation: location)
            isDone = found == change.after
        }
        if seen.wasTold { #expect(isDone != false, "\(place)", sourceLocation: location) }
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
        let last = seen.second.output
        #expect(
            Change.Found(in: last) == (isVoided ? change.before : change.after),
            "\(place): \(last)", sourceLocation: location)
        // Nothing was left for this tap to settle. A replay looks at the ledger only: what phones
        // read is then mended by this tap.
        let isMended = seen.first == nil && isReplayed && last.contains(#""display":"repaired"}"#)
        #expect(
            isMended || last.contains(#""display":"current"}"#), "\(place): \(last)",
            sourceLocation: location)
        #expect(
            seen.audit.output.hasSuffix(#""open":0,"violations":[]}"# + "\n"),
            "\(place): \(seen.audit.output)", sourceLocation: location)
    }

    /// Runs one command on as many stations as there are places.
    private func inParallel(
        _ places: [Place], _ start: (EmulatedCounter, Place) throws -> ChildProcess
    ) throws -> [Ended] {
        let pairs = Array(zip(stations, places))
        var ends = try pairs.map { try start($0, $1) }.map { try $0.end() }
        for (index, pair) in pairs.enumerated() {
            for _ in 0..<Self.mostTries where ends[index].isWithoutReader {
                ends[index] = try start(pair.0, pair.1).end()
            }
        }
        return ends
    }

    private func tap(_ places: [Place]) throws -> [Ended] {
        try inParallel(places) { station, _ in try station.counter.start(["read", "--json"]) }
    }

    private static func killSwitch(of station: EmulatedCounter) throws -> KillSwitch {
        try KillSwitch(station.counter, reader: station.reader.devicePath)
    }
}

extension KillDesk {
    /// Every call from `offset` on, `step` apart, before it and after it.
    func places(every step: Int = 1, from offset: Int = 1) -> [Place] {
        stride(from: offset, through: calls.counted, by: step).flatMap { number in
            [KillSwitch.Action.killBefore, .killAfter].map { action in
                Place(number: number, action: action)
            }
        }
    }
}

extension Ended {
    /// A machine that is busy with other things may let the played reader answer too late for
    /// libnfc. Nothing is done then, or nothing more.
    fileprivate var isWithoutReader: Bool {
        (status == 5 || status == 6)
            && (output + errors).contains("no reader answers there")
    }
}
