import KioskServer
import Testing

/// The counter takes snapshots of the cards in quiet moments, and at little cost.
@Suite("The schedule of snapshots") struct SnapshotScheduleTests {
    private let start = SnapshotSchedule.Instant.now

    @Test("begins at once, and runs one at a time")
    func once() {
        var schedule = SnapshotSchedule(start)
        #expect(schedule.begins(at: start, isQuiet: true))
        #expect(!schedule.begins(at: start + .seconds(10_000), isQuiet: true))
        schedule.end(at: start, lasted: .seconds(1), isDone: true)
        #expect(!schedule.begins(at: start + .seconds(299), isQuiet: true))
        #expect(schedule.begins(at: start + .seconds(300), isQuiet: true))
    }

    @Test("waits for a quiet moment, and not for ever")
    func quiet() {
        var schedule = SnapshotSchedule(start)
        #expect(!schedule.begins(at: start, isQuiet: false))
        #expect(!schedule.begins(at: start + .seconds(299), isQuiet: false))
        #expect(schedule.begins(at: start + .seconds(300), isQuiet: false))
    }

    @Test("costs a hundredth of the time at most, and comes back soon after a failure")
    func cost() {
        var schedule = SnapshotSchedule(start)
        #expect(schedule.begins(at: start, isQuiet: true))
        schedule.end(at: start, lasted: .seconds(9), isDone: true)
        #expect(!schedule.begins(at: start + .seconds(899), isQuiet: true))
        #expect(schedule.begins(at: start + .seconds(900), isQuiet: true))
        schedule.end(at: start, lasted: .seconds(9), isDone: false)
        #expect(schedule.begins(at: start + .seconds(15), isQuiet: true))
    }
}
