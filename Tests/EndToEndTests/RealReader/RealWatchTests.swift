import Glibc
import PN532Emulator
import TestSupport
import Testing

/// `tapcard watch` drives its reader in a separate process.
@Suite("A watch over libnfc", .ownThread)
struct RealWatchTests {
    private func lines(_ process: ChildProcess) throws -> Int {
        tagLines(try process.output).count
    }

    /// The lines about tags. On a busy machine, the played reader may answer too late for libnfc,
    /// and the watch then says that the reader is gone and works again.
    private func tagLines(_ output: String) -> [Substring] {
        output.split(separator: "\n").filter { !$0.contains("the reader ") }
    }

    @Test("A watch prints one line per tap, however long the card stays")
    func taps() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 20 --name Ann")
        let process = try station.till.start(["watch"])
        for tap in 1...3 {
            try process.wait("arrival \(tap)") { try lines(process) == 2 * tap - 1 }
            station.tell("remove")
            try process.wait("removal \(tap)") { try lines(process) == 2 * tap }
            station.tell("present")
        }
        try process.wait("the last line") { try lines(process) == 7 }
        process.signal(SIGINT)
        let ended = try process.end()
        #expect(ended.status == 128 + SIGINT)
        let arrival: Substring = "<time> 04AC6B72BA6C80 NTAG213 (sealed)"
        let tap = [arrival, "<time> 04AC6B72BA6C80 is gone"]
        #expect(tagLines(station.till.masked(ended.output)) == tap + tap + tap + [arrival])
    }

    @Test("A watch reports an unplugged reader and resumes once it is plugged in again")
    func unplugged() throws {
        let station = try EmulatedTill(link: true)
        try station.till.step("issue --balance 20 --name Ann")
        let process = try station.till.start(["watch"])
        try process.wait("a line") { try lines(process) == 1 }
        station.tell("unplug")
        try process.wait("it says so") {
            try process.output.contains("tapcard doctor")
                || process.output.contains("plug it in again")
        }
        station.tell("plug")
        try process.wait("it is back, and reads") {
            try process.output.contains("The reader works again.\n")
                && process.output.ranges(of: "NTAG213 (sealed)").count == 2
        }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("A watch of two readers names the reader of each event, and goes on if one is lost")
    func two() throws {
        let station = try EmulatedTill(isSetUp: false)
        let till = station.till
        let first = try #require(station.reader.connectionString)
        let link = till.file("second")
        let second = "pn532_uart:\(link):115200"
        func emulate(_ words: [String]) throws -> ChildProcess {
            let process = try till.start(["emulate", "--link", link] + words)
            try process.wait("it is plugged in") { try process.output.hasSuffix("\n") }
            return process
        }
        let emulator = try emulate(["--tag", "ntag215"])
        let process = try till.start(
            ["watch", "--json", "--reader", first, "--reader", second])
        func wait(_ event: String, _ reader: String, _ words: String) throws {
            try process.wait("\(event) \(reader) \(words)") {
                try process.output.split(separator: "\n").contains {
                    $0.contains(#""event":"\#(event)""#) && $0.contains(#""reader":"\#(reader)""#)
                        && $0.contains(words)
                }
            }
        }
        try wait("arrived", first, "NTAG213")
        try wait("arrived", second, "NTAG215")
        emulator.signal(SIGKILL)
        #expect(try emulator.end().status == 128 + SIGKILL)
        try wait("departed", second, "uid")
        try wait("reader", second, #""ready":false"#)
        station.tell("present NTAG424")
        try wait("departed", first, "uid")
        try wait("arrived", first, "Type 4 tag")
        let again = try emulate(["--tag", "ntag216"])
        try wait("reader", second, #""ready":true"#)
        try wait("arrived", second, "NTAG216")
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
        again.signal(SIGTERM)
        #expect(try again.end().status == 0)
    }

    @Test("A watch keeps reading after libnfc aborts")
    func aborted() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 20 --name Ann")
        station.tell("remove")
        let process = try station.till.start(["watch", "--verbose"])
        try process.wait("it waits") { try process.errors.contains("waiting for a card") }
        station.tell("fault command 1 status 255")
        station.tell("present")
        try process.wait("it reads all the same") {
            try process.output.contains("NTAG213 (sealed)")
        }
        process.signal(SIGINT)
        #expect(try process.end().status == 128 + SIGINT)
    }

    @Test("The reader process ends with its watch, even if the watch is killed")
    func leftBehind() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 20")
        let process = try station.till.start(["watch"])
        try process.wait("a line") { try lines(process) == 1 }
        let drivers = try children(of: process.process)
        #expect(drivers.count == 1)
        process.signal(SIGKILL)
        #expect(try process.end().status == 128 + SIGKILL)
        // The next command gets the reader.
        var status: Int32 = 5
        for _ in 0..<100 where status == 5 {
            status = try station.till.run(["read"]).status
        }
        #expect(status == 0)
        for driver in drivers { #expect(hasEnded(driver)) }
    }

    @Test("A watch without a reader says so at once and reads when one is plugged in")
    func noReader() throws {
        let station = try EmulatedTill(link: true)
        try station.till.step("issue --balance 20")
        station.tell("unplug")
        let process = try station.till.start(["watch"])
        try process.wait("it says so") { try process.output.hasSuffix("\n") }
        #expect(
            try process.output.hasSuffix(
                " No usable reader was found. Waiting for one... To find out why, run: tapcard "
                    + "doctor\n"))
        station.tell("plug")
        try process.wait("it reads") { try process.output.contains("NTAG213 (sealed)") }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    /// Whether the process is gone or a zombie.
    private func hasEnded(_ process: pid_t) -> Bool {
        ChildProcess.poll {
            guard let status = try? KernelFile.text("/proc/\(process)/stat") else { return true }
            return status.contains(") Z ")
        }
    }

    private func children(of process: pid_t) throws -> [pid_t] {
        // Each thread lists those that it started itself.
        try KernelFile.names(in: "/proc/\(process)/task").flatMap { thread in
            let children = try KernelFile.text("/proc/\(process)/task/\(thread)/children") ?? ""
            return children.split(separator: " ").compactMap { pid_t($0) }
        }
    }
}
