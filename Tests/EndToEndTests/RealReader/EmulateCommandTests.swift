import Glibc
import TestSupport
import Testing

/// `tapcard emulate` and another tapcard that uses it, as a newcomer with no reader would.
@Suite("A till on an emulated reader", .ownThread)
struct EmulateCommandTests {
    @Test("A payment torn on an emulated reader is resolved, and unplugging is noticed")
    func story() throws {
        let till = try Till()
        let link = till.file("reader")
        let emulator = try till.start(["emulate", "--tag", "NTAG215", "--link", link])
        try emulator.wait("it is there") { try emulator.output.contains("pn532_uart:") }
        let reader = ["TAPCARD_READER": Optional("pn532_uart:\(link)")]
        func run(_ line: String) throws -> Ended {
            try till.run(till.words(of: line), with: reader)
        }
        func tell(_ line: String) throws {
            let ended = try till.run(["emulate", "--link", link, "--tell", line])
            #expect(ended.status == 0, "\(ended.errors)")
        }
        #expect(try run("init --currency USD").status == 0)
        #expect(try run("issue --balance 20").status == 0)
        try tell("fault write 3 torn mix 7")
        #expect(try run("pay 5 --timeout 0").status == 6)
        try tell("present")
        #expect(try run("read --json").output.contains(#""balance":"20.00""#))
        try tell("unplug")
        #expect(try run("read").status == 5)
        try tell("plug")
        #expect(try run("pay 5").status == 0)
        #expect(try run("doctor --json").output.contains(#""answers":true"#))
        emulator.signal(SIGINT)
        let ended = try emulator.end()
        #expect(ended.status == 128 + SIGINT)
        #expect(unsafe access(link, F_OK) != 0)
    }
}
