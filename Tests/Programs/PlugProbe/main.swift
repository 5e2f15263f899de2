import Glibc
import ReaderDiagnosis

// Prints the readers and plug events of a process whose USB bus is simulated by libumockdev. The
// argument is "list", "repeat N", or the number of events after which to end.

func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    let count = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    if count != bytes.count { exit(1) }
}

func say(_ word: String, _ reader: ConnectedReader) {
    say("\(word) \(reader.model.make) \(reader.place) \(reader.node.access)")
}

/// Watches until this many events have come.
func watch(_ most: Int, _ see: (PlugEvent) -> Void) async {
    var rest = most
    // The watcher polls so seldom that every event must come from libusb.
    for await event in PlugWatcher(interval: .seconds(3_600)).events() {
        see(event)
        rest -= 1
        if rest == 0 { break }
    }
}

func openFiles() -> Int {
    var count = 0
    for descriptor in 0..<Int32(1_024) where fcntl(descriptor, F_GETFD) >= 0 { count += 1 }
    return count
}

/// How many more files are open after this many watches than after one, once their threads have had
/// time to end.
func leftOpen(after times: Int) async -> Int {
    await watch(1) { _ in }
    try? await Task.sleep(for: .seconds(1))
    let before = openFiles()
    for _ in 0..<times { await watch(1) { _ in } }
    for _ in 0..<100 where openFiles() > before { try? await Task.sleep(for: .milliseconds(100)) }
    return openFiles() - before
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "list":
    for reader in ReaderDiscovery().connected() { say("there", reader) }
    say("listed")
case "repeat":
    say("left open: \(await leftOpen(after: Int(arguments[1]) ?? 1))")
default:
    await watch(arguments.first.flatMap { Int($0) } ?? 1) { event in
        switch event {
        case .watching(let readers):
            for reader in readers { say("there", reader) }
            say("watching")
        case .arrived(let reader): say("arrived", reader)
        case .left(let reader): say("left", reader)
        }
    }
    say("done")
}
