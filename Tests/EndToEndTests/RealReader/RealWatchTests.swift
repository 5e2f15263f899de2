import Glibc
import TestSupport
import Testing

/// `read --watch` drives its reader in a separate process.
@Suite("A watch over libnfc", .ownThread)
struct RealWatchTests {
    private func lines(_ process: ChildProcess) throws -> Int {
        try process.output.split(separator: "\n").count
    }

    @Test("A watch prints one line per tap, however long the card stays")
    func taps() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 20 --name Ann")
        let process = try station.till.start(["read", "--watch", "--verbose"])
        for tap in 1...3 {
            try process.wait("line \(tap)") { try lines(process) == tap }
            station.tell("remove")
            try process.wait("it waits again") {
                try process.errors.ranges(of: "waiting for a card").count == tap + 1
            }
            station.tell("present")
        }
        try process.wait("the last line") { try lines(process) == 4 }
        process.signal(SIGINT)
        let ended = try process.end()
        #expect(ended.status == 128 + SIGINT)
        let line = "<time> 04AC6B72BA6C80 Ann, $20.00, unscratched\n"
        #expect(station.till.masked(ended.output) == line + line + line + line)
    }

    @Test("A watch reports an unplugged reader and resumes once it is plugged in again")
    func unplugged() throws {
        let station = try EmulatedTill(link: true)
        try station.till.step("issue --balance 20 --name Ann")
        let process = try station.till.start(["read", "--watch"])
        try process.wait("a line") { try lines(process) == 1 }
        station.tell("unplug")
        try process.wait("it says so") {
            try process.errors.contains("tapcard doctor")
                || process.errors.contains("plug it in again")
        }
        station.tell("plug")
        try process.wait("it is back, and reads") {
            try process.errors.contains("is working again") && lines(process) == 2
        }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("A watch keeps reading after libnfc aborts")
    func aborted() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 20 --name Ann")
        station.tell("remove")
        let process = try station.till.start(["read", "--watch", "--verbose"])
        try process.wait("it waits") { try process.errors.contains("waiting for a card") }
        station.tell("fault command 1 status 255")
        station.tell("present")
        try process.wait("it reads all the same") { try lines(process) == 1 }
        process.signal(SIGINT)
        #expect(try process.end().status == 128 + SIGINT)
    }

    @Test("The reader process ends with its watch, even if the watch is killed")
    func leftBehind() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 20")
        let process = try station.till.start(["read", "--watch"])
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

    @Test("A watch without a reader fails at once")
    func noReader() throws {
        let station = try EmulatedTill(link: true)
        try station.till.step("keys list")
        station.tell("unplug")
        let ended = try station.till.run(["read", "--watch"])
        #expect(ended.status == 5)
        #expect(ended.errors.contains("tapcard doctor"))
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
