import Glibc

// The main thread only waits, as in tapcard: instruction counters cannot follow an asynchronous
// main, which waits in a signal handler of Dispatch.
Task.detached {
    do throws(PageWork.Failure) {
        let work = try PageWork(CommandLine.arguments.dropFirst())
        print(try await work.run(), terminator: "")
        exit(EXIT_SUCCESS)
    } catch {
        let line = "\(error.what)\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
        exit(EXIT_FAILURE)
    }
}
while true { pause() }
