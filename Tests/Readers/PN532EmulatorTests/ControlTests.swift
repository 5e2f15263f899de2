import PN532Emulator
import SimulatedReader
import Tags
import Testing
import TextCodecs

@Suite("Control lines of an emulated reader")
struct ControlTests {
    @Test("Control lines put tags on the reader, next to each other, and take them off")
    func tags() throws {
        var bench = EmulatorBench()
        _ = try bench.control("add classic")
        _ = try bench.control("add ntag215")
        #expect(bench.emulation.simulation.onReader.count == 2)
        #expect(bench.emulation.line.chip.field.foreign == [.classic])
        _ = try bench.control("remove 04AC6B72BA6C80")
        #expect(bench.emulation.simulation.onReader.count == 1)
        _ = try bench.control("remove classic")
        #expect(bench.emulation.line.chip.field.foreign.isEmpty)
        _ = try bench.control("present type4 classic")
        #expect(bench.emulation.simulation.onReader.isEmpty)
        _ = try bench.control("remove")
        #expect(bench.emulation.line.chip.field.foreign.isEmpty)
        _ = try bench.control("present")
        #expect(bench.emulation.simulation.onReader.count == 1)
    }

    @Test("The status shows the tags, the field and the armed faults")
    func status() throws {
        var bench = EmulatorBench()
        _ = try bench.control("fault write 3 torn mix 7")
        _ = try bench.control("fault data 2 stall")
        let status = try bench.control("status").answer
        #expect(
            status.text == """
                {"plugged":true,"stalled":false,"field":false,"tags":[{"uid":"04AC6B72BA6C80",\
                "chip":"NTAG213","onReader":true}],"others":[],\
                "faults":["write 3 torn mix 7","data 2 stall"]}
                """)
        _ = try bench.control("fault none")
        #expect(try bench.control("status").answer["faults"] == [])
    }

    @Test("The dump shows the last tag or the one whose number is given")
    func dump() throws {
        var bench = EmulatorBench()
        let text = try #require(try bench.control("dump").answer["dump"]?.string)
        #expect(try TagDump(parsing: text).memory() == bench.emulation.simulation.tags.first)
        #expect(try bench.control("dump 04AC6B72BA6C80").answer["dump"]?.string == text)
    }

    @Test(
        "A control line that makes no sense is refused and changes nothing",
        arguments: [
            "", " ", "foo", "present NTAG999", "present 04AC", "add", "remove NTAG215",
            "remove 04112233445566", "fault", "fault write 1 killed-before",
            "fault write 1 killed-after",
            "fault write 0 lost", "fault data 1 explode", "stall now", "resume later", "status all",
            "dump 00", "dump 04AC6B72BA6C80 twice", "plug in", "present classic NTAG999",
            String(repeating: "x", count: 513),
        ])
    func refused(line: String) throws {
        var bench = EmulatorBench()
        let before = bench.emulation.simulation
        #expect(throws: EmulatorError(.control)) { try bench.control(line) }
        #expect(bench.emulation.simulation == before)
        #expect(bench.emulation.line.chip.field.foreign.isEmpty)
    }

    @Test("Lines are found in a stream however it is split")
    func splitting() {
        var splitter = LineSplitter()
        #expect(splitter.take("sta".utf8) == [])
        #expect(splitter.take("tus\nremove\nplu".utf8) == ["status", "remove"])
        #expect(splitter.finish() == "plu")
        #expect(splitter.finish() == nil)
    }

    @Test("An overlong line stays too long to be obeyed, and the next line is read")
    func tooLong() {
        var splitter = LineSplitter()
        let lines = splitter.take((String(repeating: "x", count: 2_000) + "\nstatus\n").utf8)
        #expect(lines.map(\.utf8.count) == [Emulation.maximumLineLength + 1, 6])
    }
}
