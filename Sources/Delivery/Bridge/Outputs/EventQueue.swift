package import OperatingSystem
package import TapcardDomain
import TextCodecs
package import Verbs

/// The events that an output still has to deliver, oldest first. Each is stored in its own file, so
/// the queue survives restarts and crashes.
///
/// Dropped events are replaced by a `gap` event that counts them.
package struct EventQueue {
    /// An event to deliver.
    package struct Entry: Sendable, Hashable {
        /// The number of its file, or 0 if it is a gap that could not be stored.
        fileprivate let number: Int
        package let id: String
        package let at: Timestamp
        /// The event's document.
        package let body: String
    }

    private struct Gap {
        let stamp: TapEvent.Stamp
        var missed: Int
        /// The number of the last event that the gap replaces.
        var last: Int
        /// Whether the gap may already have been delivered. Its count must not change after that,
        /// because a receiver ignores a second event with the same ID.
        var isClosed = false

        var event: TapEvent { .gap(missed, stamp) }
    }

    private let folder: String
    private let limit: Int
    private let stamp: @Sendable () -> TapEvent.Stamp
    /// Keeps other processes from using the queue.
    private let lock: FileLock
    private var numbers: [Int] = []
    private var gaps: [Int: Gap] = [:]
    private var next = 1
    /// The number of events that could not be stored, for example because the disk is full.
    private var unstored = 0
    /// The gap for unstored events while it is being delivered.
    private var unstoredGap: Gap?
    /// The event that is being delivered, which cannot be dropped.
    private var delivering: Int?

    /// Opens the queue in a folder, which is created if it is missing. Returns nil if another
    /// process is using the queue.
    package init?(
        _ folder: String, limit: Int, _ stamp: @escaping @Sendable () -> TapEvent.Stamp
    ) throws(FileError) {
        try DurableFile.makeFolder(folder)
        guard let lock = try FileLock.acquire(folder + "/lock", waiting: false) else { return nil }
        (self.folder, self.limit, self.stamp, self.lock) = (folder, limit, stamp, lock)
        for name in try DurableFile.names(in: folder) {
            if let number = EventQueue.number(of: name) {
                numbers.append(number)
            } else if name.hasSuffix(EventQueue.unfinishedSuffix) {
                // A crash can leave a file that was never renamed. It is not part of the queue.
                try? DurableFile("\(folder)/\(name)").remove()
            }
        }
        numbers.sort()
        next = (numbers.last ?? 0) + 1
        try loadGaps()
    }

    private mutating func loadGaps() throws(FileError) {
        for number in numbers {
            guard let stored = StoredEvent(try file(number).read()), stored.missed > 0 else {
                continue
            }
            gaps[number] = Gap(
                stamp: TapEvent.Stamp(id: stored.id, at: stored.at), missed: stored.missed,
                last: stored.last, isClosed: true)
        }
        // After a crash, the files of events that a gap replaces may still exist.
        for (number, gap) in gaps {
            for replaced in numbers where replaced > number && replaced <= gap.last {
                discard(replaced)
            }
        }
    }

    package var isEmpty: Bool { numbers.isEmpty && unstored == 0 && unstoredGap == nil }

    /// Adds an event. If the queue is full, drops the oldest event that is not being delivered.
    /// Returns the problem if the event could not be stored. It is then counted in a gap.
    @discardableResult package mutating func add(_ event: TapEvent) -> String? {
        if let problem = storeGap() ?? store(event, as: next) {
            unstored += 1
            return problem.detail
        }
        numbers.append(next)
        next += 1
        var waiting = numbers.filter { gaps[$0] == nil && $0 != delivering }
        while waiting.count > limit { drop(waiting.removeFirst()) }
        return nil
    }

    /// Returns the oldest event, or nil if there is none or it cannot be read right now. The event
    /// stays in the queue until it is removed.
    package mutating func first() -> Entry? {
        if let unstoredGap { return Entry(number: 0, unstoredGap.event) }
        storeGap()
        while let number = numbers.first {
            if let gap = gaps[number] {
                delivering = number
                gaps[number]?.isClosed = true
                return Entry(number: number, gap.event)
            }
            guard let bytes = try? file(number).read() else { return nil }
            if let stored = StoredEvent(bytes) {
                delivering = number
                return Entry(number: number, id: stored.id, at: stored.at, body: stored.body)
            }
            // Another program changed the file.
            drop(number)
        }
        guard unstored > 0 else { return nil }
        let gap = Gap(stamp: stamp(), missed: unstored, last: 0, isClosed: true)
        (unstoredGap, unstored) = (gap, 0)
        return Entry(number: 0, gap.event)
    }

    /// Removes a delivered event.
    package mutating func remove(_ entry: Entry) {
        delivering = nil
        if entry.number == 0 {
            unstoredGap = nil
        } else {
            discard(entry.number)
        }
    }

    /// Drops an event that cannot be delivered. If the event is a gap, no other gap replaces it.
    package mutating func giveUp(_ entry: Entry) {
        guard entry.number != 0, gaps[entry.number] == nil else { return remove(entry) }
        delivering = nil
        drop(entry.number)
    }

    /// Drops the oldest events until one is not expired. Those behind it are checked when they
    /// are next.
    package mutating func expire(after maximumAge: Duration, at now: Timestamp) {
        delivering = nil
        for number in numbers where gaps[number] == nil {
            let bytes = (try? file(number).read()).flatMap { $0 }
            guard let stored = StoredEvent(bytes), stored.at.isExpired(at: now, after: maximumAge)
            else { return }
            drop(number)
        }
    }

    /// Replaces an event with a gap, or adds it to the gap just before it.
    private mutating func drop(_ number: Int) {
        let index = numbers.firstIndex(of: number) ?? 0
        if index > 0, var gap = gaps[numbers[index - 1]], !gap.isClosed {
            gap.missed += 1
            gap.last = number
            setGap(gap, at: numbers[index - 1])
            discard(number)
        } else {
            setGap(Gap(stamp: stamp(), missed: 1, last: number), at: number)
        }
    }

    @discardableResult private mutating func setGap(_ gap: Gap, at number: Int) -> FileError? {
        gaps[number] = gap
        return store(gap.event, missed: gap.missed, last: gap.last, as: number)
    }

    private mutating func discard(_ number: Int) {
        numbers.removeAll { $0 == number }
        gaps[number] = nil
        // If the file cannot be removed, its event is delivered again after a restart.
        try? file(number).remove()
    }

    /// Stores a gap for the events that could not be stored, if the disk can be written to again.
    @discardableResult private mutating func storeGap() -> FileError? {
        guard unstored > 0 else { return nil }
        if let last = numbers.last, var gap = gaps[last], !gap.isClosed {
            gap.missed += unstored
            setGap(gap, at: last)
        } else {
            let gap = Gap(stamp: stamp(), missed: unstored, last: next)
            if let problem = setGap(gap, at: next) {
                gaps[next] = nil
                return problem
            }
            numbers.append(next)
            next += 1
        }
        unstored = 0
        return nil
    }

    /// Returns the problem if the event could not be stored.
    private func store(
        _ event: TapEvent, missed: Int = 0, last: Int = 0, as number: Int
    ) -> FileError? {
        let stored = StoredEvent(
            at: event.at, id: event.id, missed: missed, last: last, body: event.document.text)
        do throws(FileError) {
            try file(number).write(stored.bytes, mode: 0o600)
            return nil
        } catch {
            return error.isReplaced ? nil : error
        }
    }

    private func file(_ number: Int) -> DurableFile {
        // Padding keeps a folder listing in order.
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, EventQueue.digits - digits.count))
        return DurableFile("\(folder)/\(zeros)\(digits)\(EventQueue.suffix)")
    }

    private static let digits = 12
    private static let suffix = ".json"
    private static let unfinishedSuffix = ".new"

    private static func number(of name: String) -> Int? {
        guard name.hasSuffix(suffix) else { return nil }
        return Int(name.dropLast(suffix.count)).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension Timestamp {
    private static let maximumClockErrorInMilliseconds: Int64 = 5_000

    /// Whether an event with this time has expired. If the time is in the future, the clock was set
    /// back, so the event may be of any age.
    func isExpired(at now: Timestamp, after maximumAge: Duration) -> Bool {
        now.millisecondsSince(self) > Int64(maximumAge / .milliseconds(1))
            || millisecondsSince(now) > Timestamp.maximumClockErrorInMilliseconds
    }
}

extension EventQueue.Entry {
    fileprivate init(number: Int, _ event: TapEvent) {
        self.init(number: number, id: event.id, at: event.at, body: event.document.text)
    }
}

/// The contents of an event's file. The first line has the time, the ID, and, for a gap, the number
/// of dropped events and the last of them. The second line is the event's document.
private struct StoredEvent {
    let at: Timestamp
    let id: String
    /// 0 unless the event is a gap.
    let missed: Int
    let last: Int
    let body: String

    var bytes: [UInt8] { Array("\(at.milliseconds) \(id) \(missed) \(last)\n\(body)\n".utf8) }

    init(at: Timestamp, id: String, missed: Int, last: Int, body: String) {
        (self.at, self.id, self.missed, self.last, self.body) = (at, id, missed, last, body)
    }

    /// Parses the contents of a file. Returns nil if they are invalid.
    init?(_ bytes: [UInt8]?) {
        let lines = (bytes ?? []).split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
        guard lines.count == 2, case let words = lines[0].split(separator: " "), words.count == 4,
            let milliseconds = Int64(words[0]), let missed = Int(words[2]), let last = Int(words[3])
        else { return nil }
        at = Timestamp(milliseconds: milliseconds)
        (id, self.missed, self.last, body) = (String(words[1]), missed, last, lines[1])
    }
}
