import Dispatch
import Glibc

// The main thread waits instead of becoming a queue's: under valgrind 3.19 the latter ends in a
// crash of valgrind itself.
let done = DispatchSemaphore(value: 0)
Task.detached {
    do {
        try await MemcheckScenario.run()
    } catch {
        print("failed: \(error)")
        exit(EXIT_FAILURE)
    }
    done.signal()
}
done.wait()
