import Glibc

// A stream that was closed would be a file that is opened later, and words would be written there.
// These refuse: nothing is read, and what is written fails.
for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
    // The lowest free number is the one that is missing.
    _ = unsafe open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}

// The main thread has nothing to do but wait: whatever works, works on threads of its own. Left to
// an asynchronous main it would wait in a signal handler of Dispatch's, where no memory checker and
// no instruction counter can follow.
Task.detached {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == RealReaders.drivingWord {
        await RealReaders.drive(words.dropFirst().first)
        exit(0)
    }
    exit(await Wiring.run(words))
}
while true { pause() }
