import Glibc

// If a standard stream were closed, its number would be reused for the next file opened, and output
// would go there. These replacements refuse: nothing can be read, and writes fail.
for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
    // open() takes the lowest free number, which is the missing one.
    _ = unsafe open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}

// The main thread only waits; all work runs on other threads. An asynchronous main would wait in
// one of Dispatch's signal handlers, where memory checkers and instruction counters cannot follow.
Task.detached {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == RealReaders.drivingWord {
        await RealReaders.drive(words.dropFirst())
        exit(0)
    }
    exit(await Wiring.run(words))
}
while true { pause() }
