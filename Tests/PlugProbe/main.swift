import Glibc
import ReaderDiagnosis
import USBReaderDiscovery

// Prints what is plugged in and then what comes and goes, a line each, for as many events as its
// argument says: the watcher as another process sees it that libumockdev has lent a bus.

func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    let count = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    if count != bytes.count { exit(1) }
}

func say(_ word: String, _ reader: PluggedReader) {
    say("\(word) \(reader.model.make) \(reader.place) \(reader.node.access)")
}

var rest = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
for await event in PlugWatcher(interval: .seconds(3_600)).events() {
    switch event {
    case .watching(let readers):
        for reader in readers { say("there", reader) }
        say("watching")
    case .arrived(let reader): say("arrived", reader)
    case .left(let reader): say("left", reader)
    }
    rest -= 1
    if rest == 0 { break }
}
say("done")
