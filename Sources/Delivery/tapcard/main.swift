import Glibc

// If a standard stream is closed, the next file that is opened gets its number, and output would go
// to that file. The replacements opened here refuse all reads and writes.
for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
    // open() uses the lowest free number, which is the missing stream's.
    _ = unsafe open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}

// The main thread only waits; all work runs on other threads. An asynchronous main would wait in
// one of Dispatch's signal handlers, which memory checkers and instruction counters cannot follow.
Task.detached {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == RealReaders.drivingArgument {
        await RealReaders.drive(words.dropFirst())
        exit(0)
    }
    exit(await Wiring.run(words))
}
while true { pause() }
