import CFuzzer
import FuzzTargets
import Glibc

/// What is fuzzed, chosen once before the fuzzer starts.
// Unsafe: written before there is a second thread, and read only from then on.
nonisolated(unsafe) private var target: FuzzTarget?

/// One input. A broken property ends the process, as a crash does: that is how the fuzzer learns
/// of it.
private let run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 = { bytes, count in
    let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    do {
        try unsafe target?.runAndWait(input)
    } catch {
        tell("broken: \(error)")
        abort()
    }
    return 0
}

func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}

/// Hands over to the fuzzer, which ends the process by itself when it has found something.
func fuzz(_ name: String) -> Int32 {
    guard let chosen = FuzzTarget.all.first(where: { $0.name == name }) else {
        tell("there is no target \(name.debugDescription)")
        return 2
    }
    unsafe target = chosen
    // The first word is the program, the second the target; the fuzzer takes the others.
    var words = unsafe [CommandLine.unsafeArgv[0]]
    for place in 2..<Int(CommandLine.argc) { unsafe words.append(CommandLine.unsafeArgv[place]) }
    var count = unsafe Int32(words.count)
    unsafe words.append(nil)
    return unsafe words.withUnsafeMutableBufferPointer { words in
        var start = words.baseAddress
        return unsafe LLVMFuzzerRunDriver(&count, &start, run)
    }
}
