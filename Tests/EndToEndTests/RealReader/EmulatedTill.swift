import Glibc
import OperatingSystem
import PN532Emulator
import SimulatedReader
import Tags
import Testing

/// A till whose reader is a PN532 on a pseudo-terminal, used through the real libnfc.
final class EmulatedTill {
    let till: Till
    let reader: EmulatedReader

    /// Starts with the tag of a fresh simulated reader, so that the two can be compared.
    init(
        _ simulation: Simulation = .fresh, link: Bool = false, isSetUp: Bool = true
    ) throws {
        let home = try Till()
        var options = EmulatedReader.Options()
        // A name that stays when the reader is plugged in again.
        options.link = link ? home.file("reader") : nil
        reader = try EmulatedReader.start(simulation, options)
        let name = try #require(reader.connectionString)
        till = try Till(["TAPCARD_READER": name])
        linkHome = home
        if isSetUp { try till.step("init --currency USD") }
    }

    /// Holds the folder of the link.
    private let linkHome: Till

    deinit { reader.stop() }

    /// Everything that a tap could change, to start over from.
    struct Snapshot {
        let files: Till
        let simulation: Simulation
    }

    func snapshot() throws -> Snapshot {
        Snapshot(files: try Till(like: till), simulation: reader.simulation)
    }

    /// Puts tags, ledger and keys back.
    func restore(_ snapshot: Snapshot) throws {
        try till.takeFiles(of: snapshot.files)
        tell("fault none")
        // Off and on again: no tag keeps what it had in its field.
        reader.change { $0.take() }
        let tags = snapshot.simulation
        reader.change { $0 = tags }
    }

    /// Sends a control line, which must succeed.
    @discardableResult
    func tell(_ line: String, at location: SourceLocation = #_sourceLocation) -> String {
        let answer = reader.control(line)
        #expect(!answer.contains(#""error""#), "\(line): \(answer)", sourceLocation: location)
        return answer
    }

    /// Runs a line that writes a tag. On a busy machine, the played reader may be too slow for libnfc
    /// even in the middle of the write; the line is then run again. The reader's counters are those
    /// of the last run.
    func write(_ line: String, at location: SourceLocation = #_sourceLocation) throws {
        let isDone = try (0...Till.mostTries).contains { _ in
            tell("reset")
            return try till.run(till.words(of: line)).status == 0
        }
        try #require(isDone, "\(line)", sourceLocation: location)
    }

    /// Waits until no process holds the reader. A killed process takes its reader process down, but
    /// that one needs a moment to notice.
    func waitUntilFree() throws {
        let node = try FileDescriptor.open(
            try #require(reader.devicePath), O_RDWR | O_NOCTTY | O_NONBLOCK)
        try #require(try ChildProcess.poll { try node.lock(waiting: false) })
        node.unlock()
    }
}
