import Glibc
import PN532Emulator
import SimulatedReader
import Tags
import TestSupport
import Testing

/// The ways in which a command can end, on the real libnfc.
@Suite("Exit statuses over libnfc", .ownThread)
struct ExitStatusTests {
    @Test("A card pulled before the payment begins gives exit status 3 and leaves nothing open")
    func pulled() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 10")
        station.tell("fault frame 1 lost")
        let ended = try station.till.runPatiently("pay 1 --timeout 0")
        #expect(ended.status == 3)
        station.tell("present")
        #expect(try station.till.step("read --json").contains(#""balance":"10.00""#))
        #expect(try station.till.step("audit --json").contains(#""open":0,"#))
    }

    @Test("A payment during which libnfc aborts ends with exit status 6 and is resolved")
    func aborted() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 10")
        var unknown = 0
        for command in 15...35 {
            station.tell("fault command \(command) status 255")
            let ended = try station.till.run(["pay", "0.01", "--timeout", "0"])
            station.tell("fault none")
            try station.till.step("read")
            #expect(try station.till.step("audit --json").contains(#""open":0,"#))
            guard ended.errors.contains("libnfc stopped the program") else { continue }
            unknown += 1
            #expect(ended.status == 6)
            #expect(ended.errors.contains("run tapcard read and tap the card"))
        }
        #expect(unknown > 0)
    }

    @Test("A crash inside libnfc ends with exit status 6", arguments: [SIGSEGV, SIGBUS])
    func damaged(signal: Int32) throws {
        let station = try EmulatedTill()
        station.tell("take")
        let process = try station.till.start(["pay", "1", "--verbose"])
        try process.wait("it waits") { try process.errors.contains("waiting for a card") }
        process.signal(signal)
        let ended = try process.end()
        #expect(ended.status == 6)
        #expect(ended.errors.contains("libnfc stopped the program"))
    }

    @Test("A busy reader gives exit status 5 and names the process that has it")
    func busy() throws {
        let station = try EmulatedTill()
        station.tell("remove")
        let process = try station.till.start(["read", "--verbose"])
        try process.wait("it waits") { try process.errors.contains("waiting for a card") }
        let ended = try station.till.run(["read", "--json"])
        #expect(ended.status == 5)
        #expect(ended.output.contains(#""error":"reader-busy""#))
        #expect(ended.output.contains("\(process.process)"))
        station.tell("present")
        let read = try process.end()
        // On a busy machine libnfc may give up on the played reader.
        let status = read.isWithoutReader ? try station.till.run(["read"]).status : read.status
        #expect(status == 4, "\(read)")
    }

    @Test(
        "Unsupported, blank or multiple tags are refused, and the card is left unchanged",
        arguments: [
            ("present classic", 4, "unsupported-tag"),
            ("present type4", 4, "unsupported-tag"), ("present NTAG424", 4, "blank-tag"),
            ("add NTAG215", 4, "several-tags"),
            ("add classic", 4, "several-tags"),
        ])
    func foreign(change: String, status: Int32, error: String) throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 10")
        let before = station.reader.simulation.tags
        station.tell(change)
        for line in ["read", "pay 1", "add 1"] {
            let ended = try station.till.runPatiently(line + " --timeout 0 --json")
            #expect(ended.status == status, "\(line): \(ended.output)")
            #expect(ended.output.contains(#""error":"\#(error)""#), "\(ended.output)")
        }
        for tag in before { #expect(station.reader.simulation.tag(tag.uid) == tag) }
    }

    @Test("An NTAG 424 is identified, and a dump of it is refused without touching it")
    func chip() throws {
        let station = try EmulatedTill()
        station.tell("present NTAG424")
        let before = station.reader.simulation.chips
        let told = try station.till.runPatiently("tag info --timeout 5")
        #expect(told.status == 0)
        #expect(told.output.hasPrefix("NTAG424, number 04518DFAA96180\n"), "\(told.output)")
        let refused = try station.till.runPatiently("tag dump --timeout 5")
        #expect(refused.status == 4)
        #expect(refused.errors.contains("it cannot be dumped"), "\(refused.errors)")
        #expect(station.reader.simulation.chips == before)
    }
}
