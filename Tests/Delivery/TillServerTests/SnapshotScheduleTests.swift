import Testing
import TillServer

/// The till takes snapshots of the cards in quiet moments, and at little cost.
@Suite("The schedule of snapshots") struct SnapshotScheduleTests {
    private let start = SnapshotSchedule.Instant.now

    @Test("The first snapshot begins at once, and only one runs at a time")
    func once() {
        var schedule = SnapshotSchedule(start)
        func begins(_ seconds: Int, isQuiet: Bool = true) -> Bool {
            schedule.begins(at: start + .seconds(seconds), isQuiet: isQuiet)
        }
        #expect(begins(0))
        #expect(!begins(10_000))
        schedule.end(at: start, duration: .seconds(1), isDone: true)
        #expect(!begins(299))
        #expect(begins(300))
    }

    @Test("A snapshot waits for a quiet moment, but for no more than five minutes")
    func quiet() {
        var schedule = SnapshotSchedule(start)
        func begins(_ seconds: Int, isQuiet: Bool = true) -> Bool {
            schedule.begins(at: start + .seconds(seconds), isQuiet: isQuiet)
        }
        #expect(!begins(0, isQuiet: false))
        #expect(!begins(299, isQuiet: false))
        #expect(begins(300, isQuiet: false))
    }

    @Test("Snapshots take at most a hundredth of the time and are retried soon after a failure")
    func cost() {
        var schedule = SnapshotSchedule(start)
        func begins(_ seconds: Int, isQuiet: Bool = true) -> Bool {
            schedule.begins(at: start + .seconds(seconds), isQuiet: isQuiet)
        }
        #expect(begins(0))
        schedule.end(at: start, duration: .seconds(9), isDone: true)
        #expect(!begins(899))
        #expect(begins(900))
        schedule.end(at: start, duration: .seconds(9), isDone: false)
        #expect(begins(15))
        schedule.end(at: start, duration: .seconds(1), isDone: true)
        schedule.bringForward(at: start + .seconds(20))
        #expect(!begins(34))
        #expect(begins(35))
    }
}
