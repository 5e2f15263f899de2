import Testing
import TillServer

/// The till takes snapshots of the cards in quiet moments, and at little cost.
@Suite("The schedule of snapshots") struct SnapshotScheduleTests {
    private let start = SnapshotSchedule.Instant.now

    @Test("begins at once, and runs one at a time")
    func once() {
        var schedule = SnapshotSchedule(start)
        func begins(_ seconds: Int, isQuiet: Bool = true) -> Bool {
            schedule.begins(at: start + .seconds(seconds), isQuiet: isQuiet)
        }
        #expect(begins(0))
        #expect(!begins(10_000))
        schedule.end(at: start, lasted: .seconds(1), isDone: true)
        #expect(!begins(299))
        #expect(begins(300))
    }

    @Test("waits for a quiet moment, and not for ever")
    func quiet() {
        var schedule = SnapshotSchedule(start)
        func begins(_ seconds: Int, isQuiet: Bool = true) -> Bool {
            schedule.begins(at: start + .seconds(seconds), isQuiet: isQuiet)
        }
        #expect(!begins(0, isQuiet: false))
        #expect(!begins(299, isQuiet: false))
        #expect(begins(300, isQuiet: false))
    }

    @Test("costs a hundredth of the time at most, and comes back soon after a failure")
    func cost() {
        var schedule = SnapshotSchedule(start)
        func begins(_ seconds: Int, isQuiet: Bool = true) -> Bool {
            schedule.begins(at: start + .seconds(seconds), isQuiet: isQuiet)
        }
        #expect(begins(0))
        schedule.end(at: start, lasted: .seconds(9), isDone: true)
        #expect(!begins(899))
        #expect(begins(900))
        schedule.end(at: start, lasted: .seconds(9), isDone: false)
        #expect(begins(15))
        schedule.end(at: start, lasted: .seconds(1), isDone: true)
        schedule.hasten(at: start + .seconds(20))
        #expect(!begins(34))
        #expect(begins(35))
    }
}
