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

    /// Delivers everything: the numbers of the tags, and the counts of gaps as negative numbers.
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

    @Test("Events come in order, and stay until they are removed, also through a restart")
    func order() throws {
        var queue = try open()
        for number in 1...3 { queue.add(events.arrival(number)) }
        let first = try Self.first(&queue)
        #expect(try Self.first(&queue) == first)
        queue.remove(first)
        let second = try Self.first(&queue)
        #expect(try Self.document(second).numberOfArrival == 2)
        // It was delivered, but not removed: it has to come again, with the same ID.
        queue = try reopened(&queue)
        #expect(try Self.first(&queue).id == second.id)
        #expect(try Self.deliver(&queue) == [2, 3])
        #expect(queue.isEmpty)
        queue.add(events.arrival(4))
        queue = try reopened(&queue)
        #expect(try Self.deliver(&queue) == [4])
    }

    /// The queue as a new process finds it. The old one is emptied first, because it has the lock.
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

    @Test("What does not fit is one gap in its place, also through a restart")
    func limit() throws {
        var queue = try open(limit: 3)
        for number in 1...5 { queue.add(events.arrival(number)) }
        queue = try reopened(&queue, limit: 3)
        #expect(try Self.deliver(&queue) == [-2, 3, 4, 5])
    }

    @Test("The event that is being delivered is not dropped")
    func delivering() throws {
        var queue = try open(limit: 2)
        queue.add(events.arrival(1))
        let first = try Self.first(&queue)
        for number in 2...5 { queue.add(events.arrival(number)) }
        queue.remove(first)
        #expect(try Self.deliver(&queue) == [-3, 5])
    }

    @Test("Events that are too old are one gap")
    func expired() throws {
        var queue = try open()
        for number in 1...4 { queue.add(events.arrival(number)) }
        let now = events.seconds.withLock { $0 }
        queue.expire(before: Timestamp(milliseconds: (now - 1) * 1_000))
        #expect(try Self.deliver(&queue) == [-2, 3, 4])
    }

    @Test("While nothing can be stored, events are counted, and a gap is delivered from memory")
    func unstored() throws {
        var queue = try open()
        queue.add(events.arrival(1))
        try withBrokenFolder {
            queue.add(events.arrival(2))
            queue.add(events.arrival(3))
        }
        queue.add(events.arrival(4))
        #expect(try Self.deliver(&queue) == [1, -2, 4])
        try withBrokenFolder {
            queue.add(events.arrival(5))
            let gap = try Self.first(&queue)
            #expect(try Self.document(gap).missedCount == 1)
            // Another one comes while the gap is delivered.
            queue.add(events.arrival(6))
            queue.remove(gap)
        }
        #expect(try Self.deliver(&queue) == [-1])
    }

    /// Renames the folder for a while, so that no file can be written, as on a full disk.
    private func withBrokenFolder(_ body: () throws -> Void) throws {
        try DurableFile(folder).move(to: folder + ".away")
        try body()
        try DurableFile(folder + ".away").move(to: folder)
    }

    @Test(
        "Whatever happens, each event is delivered in order or counted in a gap", arguments: 0..<40)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 2...6, using: &random)
        var queue = try open(limit: limit)
        var (added, delivered, missed) = (0, [Int](), 0)
        func deliverOne() throws {
            guard let entry = queue.first() else { return }
            let document = try Self.document(entry)
            // An ended process delivers an event again.
            if Int.random(in: 0..<5, using: &random) == 0 {
                let before = queue.first()?.id
                #expect(before == entry.id)
            }
            if let number = document.numberOfArrival { delivered.append(number) }
            missed += document.missedCount ?? 0
            queue.remove(entry)
        }
        for _ in 0..<120 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                added += 1
                queue.add(events.arrival(added))
            case 6..<9: try deliverOne()
            default: queue = try reopened(&queue, limit: limit)
            }
        }
        while !queue.isEmpty { try deliverOne() }
        #expect(delivered == delivered.sorted() && Set(delivered).count == delivered.count)
        #expect(delivered.count + missed == added)
    }
}
