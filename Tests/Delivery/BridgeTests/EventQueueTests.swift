import BlockingLane
import Bridge
import OperatingSystem
import TapcardDomain
import TestSupport
import Testing
import TextCodecs
import Verbs

@Suite("The queue of events")
struct EventQueueTests {
    private let events: SampleEvents
    private let folder: String

    init() {
        events = SampleEvents()
        folder = events.folder()
    }

    private func open(limit: Int = 100) throws -> EventQueue {
        try #require(try EventQueue(folder, limit: limit, events.stamp))
    }

    private static func first(_ queue: inout EventQueue) throws -> EventQueue.Entry {
        let entry = queue.first()
        return try #require(entry)
    }

    private static func document(_ entry: EventQueue.Entry) throws -> JSONValue {
        try JSONValue.parsing(Array(entry.body.utf8))
    }

    /// Delivers all events. Returns the tag numbers, and a negative count for each gap.
    private static func deliver(_ queue: inout EventQueue) throws -> [Int] {
        var numbers: [Int] = []
        while let entry = queue.first() {
            let document = try document(entry)
            numbers.append(
                try #require(document.numberOfArrival ?? document.missedCount.map { -$0 }))
            queue.remove(entry)
        }
        return numbers
    }

    @Test("Events stay in order until they are removed, even across a restart")
    func order() throws {
        var queue = try open()
        for number in 1...3 { queue.add(events.arrival(number)) }
        let first = try Self.first(&queue)
        #expect(try Self.first(&queue) == first)
        queue.remove(first)
        let second = try Self.first(&queue)
        #expect(try Self.document(second).numberOfArrival == 2)
        // The event was delivered but not removed, so it comes again with the same ID.
        queue = try reopened(&queue)
        #expect(try Self.first(&queue).id == second.id)
        #expect(try Self.deliver(&queue) == [2, 3])
        #expect(queue.isEmpty)
        queue.add(events.arrival(4))
        queue = try reopened(&queue)
        #expect(try Self.deliver(&queue) == [4])
    }

    /// Opens the queue as a new process would. Releases the old one first, because it holds the
    /// lock.
    private func reopened(_ queue: inout EventQueue, limit: Int = 100) throws -> EventQueue {
        queue = try #require(try EventQueue(events.folder(), limit: 1, events.stamp))
        return try open(limit: limit)
    }

    @Test("A second process cannot use the queue")
    func locked() throws {
        let queue = try open()
        #expect(try EventQueue(folder, limit: 1, events.stamp) == nil)
        withExtendedLifetime(queue) {}
    }

    @Test("A queue for one event keeps the newest and the one being delivered")
    func one() throws {
        var queue = try open(limit: 1)
        queue.add(events.arrival(1))
        let first = try Self.first(&queue)
        for number in 2...4 { queue.add(events.arrival(number)) }
        queue.remove(first)
        #expect(try Self.deliver(&queue) == [-2, 4])
    }

    @Test("A gap that may have been delivered keeps its ID and count across a restart")
    func closed() throws {
        var queue = try open(limit: 1)
        for number in 1...3 { queue.add(events.arrival(number)) }
        let gap = try Self.first(&queue)
        queue.add(events.arrival(4))
        #expect(try Self.first(&queue) == gap)
        queue = try reopened(&queue, limit: 1)
        #expect(try Self.first(&queue) == gap)
        #expect(try Self.deliver(&queue) == [-2, -1, 4])
    }

    @Test("After a crash, an event counted in a gap is not delivered as well")
    func crashed() throws {
        var queue = try open(limit: 1)
        for number in 1...2 { queue.add(events.arrival(number)) }
        let names = try DurableFile.names(in: folder).filter { $0.hasSuffix(".json") }.sorted()
        let second = try #require(try DurableFile("\(folder)/\(names[1])").read())
        queue.add(events.arrival(3))
        // Simulates a crash before the last step.
        try DurableFile("\(folder)/\(names[1])").write(second)
        try DurableFile("\(folder)/000000000009.json.abc.new").write([])
        queue = try reopened(&queue, limit: 1)
        #expect(try Self.deliver(&queue) == [-2, 3])
        #expect(try DurableFile.names(in: folder) == ["lock"])
    }

    @Test("Dropped events are replaced by one gap, even across a restart")
    func limit() throws {
        var queue = try open(limit: 3)
        for number in 1...5 { queue.add(events.arrival(number)) }
        let gap = try Self.first(&queue).id
        queue = try reopened(&queue, limit: 3)
        #expect(try Self.first(&queue).id == gap)
        #expect(try Self.deliver(&queue) == [-2, 3, 4, 5])
    }

    @Test("The event that is being delivered is not dropped")
    func delivering() throws {
        var queue = try open(limit: 2)
        queue.add(events.arrival(1))
        let first = try Self.first(&queue)
        for number in 2...5 { queue.add(events.arrival(number)) }
        queue.remove(first)
        #expect(try Self.deliver(&queue) == [-2, 4, 5])
    }

    @Test("Expired events are replaced by one gap")
    func expired() throws {
        var queue = try open()
        for number in 1...4 { queue.add(events.arrival(number)) }
        queue.expire(after: .seconds(1), at: events.stamp().at)
        #expect(try Self.deliver(&queue) == [-2, 3, 4])
    }

    @Test("Events from before the clock was set back expire, even if later events are recent")
    func future() throws {
        var queue = try open()
        for number in 1...2 { queue.add(events.arrival(number)) }
        // A correction of a few seconds drops nothing.
        events.seconds.withLock { $0 -= 5 }
        queue.expire(after: .seconds(60), at: events.stamp().at)
        #expect(try Self.deliver(&queue) == [1, 2])
        for number in 3...4 { queue.add(events.arrival(number)) }
        events.seconds.withLock { $0 -= 3_600 }
        queue.add(events.arrival(5))
        queue = try reopened(&queue)
        queue.expire(after: .seconds(60), at: events.stamp().at)
        #expect(try Self.deliver(&queue) == [-2, 5])
    }

    @Test("Events that cannot be stored are delivered as a gap from memory")
    func unstored() throws {
        var queue = try open()
        queue.add(events.arrival(1))
        try withBrokenFolder {
            queue.add(events.arrival(2))
            queue.add(events.arrival(3))
        }
        queue.add(events.arrival(4))
        #expect(try Self.deliver(&queue) == [1, -2, 4])
        var gap: EventQueue.Entry?
        try withBrokenFolder {
            queue.add(events.arrival(5))
            let first = try Self.first(&queue)
            #expect(try Self.document(first).missedCount == 1)
            gap = first
            // Another event arrives while the gap is being delivered, and the gap is sent again.
            queue.add(events.arrival(6))
            #expect(try Self.first(&queue) == gap)
        }
        // The disk becomes writable before the gap is delivered.
        queue.add(events.arrival(7))
        #expect(try Self.first(&queue) == gap)
        queue.remove(try #require(gap))
        #expect(try Self.deliver(&queue) == [-1, 7])
    }

    /// Renames the folder for a while. Writes then fail, as on a full disk.
    private func withBrokenFolder(_ body: () throws -> Void) throws {
        try DurableFile(folder).move(to: folder + ".away")
        try body()
        try DurableFile(folder + ".away").move(to: folder)
    }

    @Test(
        "Whatever happens, each event is delivered in order or counted in a gap", arguments: 0..<40)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...5, using: &random)
        var queue = try open(limit: limit)
        var (added, delivered, missed) = (0, [Int](), [String: Int]())
        for _ in 0..<160 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                added += 1
                queue.add(events.arrival(added))
            // An event may be sent again, or removed much later.
            case 6..<8: _ = queue.first()
            case 8..<11:
                guard let entry = queue.first() else { continue }
                // A receiver ignores a repeated ID.
                let document = try Self.document(entry)
                if let number = document.numberOfArrival, !delivered.contains(number) {
                    delivered.append(number)
                }
                missed[entry.id] = document.missedCount
                queue.remove(entry)
            default: queue = try reopened(&queue, limit: limit)
            }
        }
        while let entry = queue.first() {
            let document = try Self.document(entry)
            if let number = document.numberOfArrival { delivered.append(number) }
            missed[entry.id] = document.missedCount
            queue.remove(entry)
        }
        #expect(delivered == delivered.sorted() && Set(delivered).count == delivered.count)
        #expect(delivered.count + missed.values.reduce(0, +) == added)
    }
}
