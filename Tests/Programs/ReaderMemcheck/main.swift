import Dispatch
import Glibc

// The main thread waits instead of serving the main queue, which crashes valgrind 3.19.
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
