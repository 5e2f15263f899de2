package import OperatingSystem
package import TapcardDomain
import TextCodecs
package import Verbs

/// The events that an output has not delivered yet, each in a file of its own. They are kept in
/// order through restarts and crashes.
///
/// If events have to be dropped, one `gap` event stands where they were. It is kept in memory as
/// well as in its file, so that a full disk loses no count while the program runs.
package struct EventQueue {
    /// An event that waits.
    package struct Entry: Sendable, Hashable {
        /// Its place in the order; also the name of its file.
        fileprivate let number: Int
        package let id: String
        package let at: Timestamp
        /// How many events it stands for, if it is a gap.
        fileprivate let missed: Int
        /// The event's document.
        package let body: String
    }

    /// A gap: how many events were dropped, and its own event's stamp.
    private struct Gap {
        var missed: Int
        let stamp: TapEvent.Stamp
    }

    private let folder: String
    private let limit: Int
    private let stamp: @Sendable () -> TapEvent.Stamp
    /// Keeps a second process from delivering the same events.
    private let lock: FileLock
    /// The numbers of the files, oldest first.
    private var numbers: [Int] = []
    private var gaps: [Int: Gap] = [:]
    private var next = 1
    /// How many events could not be stored since the last one that was.
    private var unstored = 0
    /// The event that is being delivered, which must not be dropped.
    private var delivering: Int?

    /// Opens the queue in a folder, which is created if it is missing. Returns nil if another
    /// process uses it.
    package init?(
        _ folder: String, limit: Int, _ stamp: @escaping @Sendable () -> TapEvent.Stamp
    ) throws(FileError) {
        try DurableFile.makeFolder(folder)
        guard let lock = try FileLock.acquire(folder + "/lock", waiting: false) else { return nil }
        (self.folder, self.limit, self.stamp, self.lock) = (folder, limit, stamp, lock)
        for name in try DurableFile.names(in: folder) {
            if let number = EventQueue.number(of: name) { numbers.append(number) }
        }
        numbers.sort()
        next = (numbers.last ?? 0) + 1
        for number in numbers {
            guard let stored = Stored(try file(number).read()), stored.missed > 0 else { continue }
            gaps[number] = Gap(
                missed: stored.missed, stamp: TapEvent.Stamp(id: stored.id, at: stored.at))
        }
    }

    package var isEmpty: Bool { numbers.isEmpty && unstored == 0 }

    /// Adds an event. If the queue is full, the oldest event is dropped.
    package mutating func add(_ event: TapEvent) {
        storeGap()
        guard unstored == 0, store(event, as: next) else {
            unstored += 1
            return
        }
        numbers.append(next)
        next += 1
        while numbers.count - gaps.count > limit { drop(oldestWaiting) }
    }

    /// The oldest event; nil if there is none. It stays until it is removed.
    package mutating func first() -> Entry? {
        storeGap()
        while let number = numbers.first {
            if let gap = gaps[number] {
                delivering = number
                return Entry(number: number, missed: gap.missed, .gap(gap.missed, gap.stamp))
            }
            if let stored = stored(number) {
                delivering = number
                return Entry(
                    number: number, id: stored.id, at: stored.at, missed: 0, body: stored.body)
            }
            // Somebody changed the file, so the event is lost.
            drop(number)
        }
        guard unstored > 0 else { return nil }
        // The disk is full, so the gap is delivered from memory.
        return Entry(number: 0, missed: unstored, .gap(unstored, stamp()))
    }

    /// Removes an event that has been delivered.
    package mutating func remove(_ entry: Entry) {
        delivering = nil
        if entry.number == 0 {
            // More events may have come while this was delivered.
            unstored = max(0, unstored - entry.missed)
        } else {
            discard(entry.number)
        }
    }

    /// Drops an event that is too old to be delivered, and all others that are older than `time`.
    package mutating func expire(before time: Timestamp) {
        delivering = nil
        for number in numbers where gaps[number] == nil {
            guard let stored = stored(number), stored.at < time else { return }
            drop(number)
        }
    }

    private var oldestWaiting: Int {
        numbers.first { $0 != delivering && gaps[$0] == nil } ?? numbers[0]
    }

    /// Replaces an event by a gap, which it shares with a gap just before it.
    private mutating func drop(_ number: Int) {
        let index = numbers.firstIndex(of: number) ?? 0
        if index > 0, let gap = gaps[numbers[index - 1]], numbers[index - 1] != delivering {
            setGap(gap.missed + 1, at: numbers[index - 1])
            discard(number)
        } else {
            setGap(1, at: number)
        }
    }

    private mutating func setGap(_ missed: Int, at number: Int) {
        let gap = Gap(missed: missed, stamp: gaps[number]?.stamp ?? stamp())
        gaps[number] = gap
        // If this fails, the count is still in memory.
        _ = store(.gap(missed, gap.stamp), missed, as: number)
    }

    private mutating func discard(_ number: Int) {
        numbers.removeAll { $0 == number }
        gaps[number] = nil
        // A file that stays is delivered again after the next start, which is promised.
        try? file(number).remove()
    }

    /// Stores a gap for the events that could not be stored, if the disk has room again.
    private mutating func storeGap() {
        guard unstored > 0 else { return }
        if let last = numbers.last, last != delivering, let gap = gaps[last] {
            setGap(gap.missed + unstored, at: last)
            unstored = 0
        } else {
            let gap = Gap(missed: unstored, stamp: stamp())
            guard store(.gap(unstored, gap.stamp), unstored, as: next) else { return }
            gaps[next] = gap
            numbers.append(next)
            next += 1
            unstored = 0
        }
    }

    private func store(_ event: TapEvent, _ missed: Int = 0, as number: Int) -> Bool {
        let stored = Stored(
            at: event.at, id: event.id, missed: missed, body: event.document.text)
        // What could not be stored is counted, and told as a gap.
        return (try? file(number).write(stored.bytes, mode: 0o600)) != nil
    }

    private func stored(_ number: Int) -> Stored? {
        (try? file(number).read()).flatMap { Stored($0) }
    }

    private func file(_ number: Int) -> DurableFile {
        // Padded, so that a listing shows the files in order.
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, EventQueue.digits - digits.count))
        return DurableFile("\(folder)/\(zeros)\(digits)\(EventQueue.suffix)")
    }

    private static let digits = 12
    private static let suffix = ".json"

    private static func number(of name: String) -> Int? {
        guard name.hasSuffix(suffix) else { return nil }
        return Int(name.dropLast(suffix.count)).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension EventQueue.Entry {
    fileprivate init(number: Int, missed: Int, _ event: TapEvent) {
        self.init(
            number: number, id: event.id, at: event.at, missed: missed, body: event.document.text)
    }
}

/// The content of an event's file: a line with its time, its ID, and how many events a gap stands
/// for, then its document.
private struct Stored {
    let at: Timestamp
    let id: String
    /// 0 for an event that is no gap.
    let missed: Int
    let body: String

    var bytes: [UInt8] { Array("\(at.milliseconds) \(id) \(missed)\n\(body)\n".utf8) }

    init(at: Timestamp, id: String, missed: Int, body: String) {
        (self.at, self.id, self.missed, self.body) = (at, id, missed, body)
    }

    /// Reads a file; nil if somebody else changed it.
    init?(_ bytes: [UInt8]?) {
        let lines = (bytes ?? []).split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
        guard lines.count == 2, case let words = lines[0].split(separator: " "), words.count == 3,
            let milliseconds = Int64(words[0]), let missed = Int(words[2])
        else { return nil }
        at = Timestamp(milliseconds: milliseconds)
        (id, self.missed, body) = (String(words[1]), missed, lines[1])
    }
}
