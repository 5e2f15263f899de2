import BlockingLane
import Dispatch
import Testing

/// An actor that works and blocks on its own lane.
private actor Worker {
    private let lane = BlockingLane(label: "test.worker")
    private(set) var done: [Int] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    func work(_ number: Int) {
        done.append(number)
    }

    /// Signals that it has started, and blocks until it is released.
    func block(_ started: DispatchSemaphore, until released: DispatchSemaphore) {
        started.signal()
        released.wait()
    }

    func wait(for started: DispatchSemaphore, count: Int) {
        for _ in 0..<count { started.wait() }
    }

    func workAssumingIsolation() {
        workIfIsolated()
    }

    /// Stops the program unless it is called on the lane.
    nonisolated func workIfIsolated() {
        assumeIsolated { $0.work(0) }
    }
}

@Suite("Blocking lanes")
struct BlockingLaneTests {
    @Test("Jobs run in the order in which they arrive")
    func order() async {
        let worker = Worker()
        for number in 0..<1000 {
            await worker.work(number)
        }
        #expect(await worker.done == Array(0..<1000))
    }

    @Test("Jobs of many tasks run one at a time")
    func oneAtATime() async {
        let worker = Worker()
        await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask { await worker.work(number) }
            }
        }
        #expect(await worker.done.sorted() == Array(0..<1000))
    }

    /// More lanes block here than the cooperative pool has threads on most machines. If they
    /// blocked its threads, the other tasks would never run.
    @Test("Blocked lanes do not block other tasks")
    func blocked() async {
        let started = DispatchSemaphore(value: 0)
        let released = DispatchSemaphore(value: 0)
        let workers = (0..<40).map { _ in Worker() }
        let tasks = workers.map { worker in
            Task { await worker.block(started, until: released) }
        }
        let free = Worker()
        await free.wait(for: started, count: workers.count)
        let sum = await withTaskGroup { group in
            for number in 0..<100 {
                group.addTask { () async -> Int in
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 4950)
        for _ in workers { released.signal() }
        for task in tasks { await task.value }
    }

    @Test("An actor on its lane is isolated there")
    func isolated() async {
        let worker = Worker()
        await worker.workAssumingIsolation()
        #expect(await worker.done == [0])
    }

    @Test("The isolation check stops the program off the lane")
    func notIsolated() async {
        await #expect(processExitsWith: .failure) {
            Worker().workIfIsolated()
        }
    }
}
