import PN532Emulator
import Tags
import Testing
import TextCodecs

@Suite("Counters of an emulated reader")
struct EmulatorCountersTests {
    @Test(
        "The air time of a command and of its answer is the data sheet's",
        arguments: [
            ([0x60], 283, 8, 868), ([0x30, 0x04], 368, 16, 1_548), ([0x3C, 0x00], 368, 32, 2_907),
            ([0xA2, 4, 0, 0, 0, 0], 708, 0, 57), ([0x39, 0x02], 368, 3, 444),
            ([0x1B, 0, 0, 0, 0], 623, 2, 359), ([0x3A, 0x00, 0x2C], 453, 180, 15_482),
        ] as [([UInt8], Int, Int, Int)])
    func airTime(command: [UInt8], sent: Int, length: Int, received: Int) {
        let frame = RadioFrame(bytes: RadioCRC.appended(to: command))
        // The data sheet cuts where another would round.
        #expect(abs(AirTime.command(frame) / 1_000 - sent) <= 1)
        let answer =
            length == 0
            ? RadioFrame(bytes: [0x0A], lastBits: 4)
            : RadioFrame(bytes: [UInt8](repeating: 0, count: length + 2))
        #expect(abs(AirTime.answer(answer) / 1_000 - received) <= 1)
    }

    @Test("Commands, frames, bytes and link time of both directions are counted")
    func counts() {
        var bench = EmulatorBench()
        bench.emulation.line.resetCounters()
        let bytes = EmulatorBench.frame([0x02])
        let answer = bench.raw(bytes)
        _ = bench.raw(EmulatorBench.acknowledge)
        let counters = bench.emulation.line.counters
        #expect(counters.hostCommands == 1)
        #expect(counters.dataCommands == 0)
        #expect(counters.framesFromHost == 2)
        #expect(counters.framesToHost == 2)
        #expect(counters.bytesFromHost == bytes.count + EmulatorBench.acknowledge.count)
        #expect(counters.bytesToHost == answer.count)
        let all = bytes.count + EmulatorBench.acknowledge.count + answer.count
        #expect(counters.linkMicroseconds == all * 10 * 1_000_000 / 115_200)
        #expect(counters.airMicroseconds == 0)
        #expect(counters.radioFrames == 0)
    }

    @Test("A selection, a read and a write are counted with their air time")
    func tag() {
        var bench = EmulatorBench()
        _ = bench.send(EmulatorBench.list)
        let selected = bench.emulation.line.counters
        // Request, two anticollisions, two selects.
        #expect(selected.radioFrames == 5)
        #expect(selected.powerUps == 1)
        // 94 + 189 for the request, twice 198 + 444 and 793 + 274 for the two parts of the number.
        #expect(selected.airMicroseconds == 3_700)
        bench.emulation.line.resetCounters()
        _ = bench.send([0x40, 0x01, 0x30, 0x04])
        #expect(bench.emulation.line.counters.airMicroseconds == 368 + 1_548)
        _ = bench.send([0x42, 0xA2, 0x04, 1, 2, 3, 4])
        let counters = bench.emulation.line.counters
        #expect(counters.airMicroseconds == 368 + 1_548 + 708 + 56)
        #expect(counters.dataCommands == 2)
        #expect(counters.writes == 1)
        #expect(counters.silenceMicroseconds == 0)
    }

    @Test("Silence is counted by the time-out that was set")
    func silence() {
        var bench = EmulatorBench()
        #expect(bench.send([0x42, 0x30, 0x00]) == [0x01])
        #expect(bench.emulation.line.counters.silenceMicroseconds == 51_200)
        #expect(bench.send([0x32, 0x02, 0x00, 0x0B, 0x01]) == [])
        #expect(bench.send([0x42, 0x30, 0x00]) == [0x01])
        #expect(bench.emulation.line.counters.silenceMicroseconds == 51_300)
    }

    @Test("Counters are one object of numbers, all of them zero after a reset")
    func document() throws {
        var bench = EmulatorBench()
        _ = bench.send(EmulatorBench.list)
        _ = bench.raw([0x00, 0xFF, 0x01, 0x01])
        let before = try bench.control("counters").answer
        #expect(before["hostCommands"] == 1)
        #expect(before["damagedFrames"] == 1)
        _ = try bench.control("reset")
        let after = try #require(try bench.control("counters").answer.members)
        #expect(after.count == 13)
        #expect(after.allSatisfy { $0.value == 0 })
    }
}
