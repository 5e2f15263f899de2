import Glibc

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
