import Tags
import Testing

@Suite("The read counter of a Type 2 tag") struct TagCounterTests {
    @Test("Reading the counter is refused unless it is enabled")
    func isRefusedUnlessEnabled() throws {
        var bench = try TagBench(.ntag213)
        _ = bench.send(.read(0))
        #expect(bench.memory.counter == 0)
        #expect(bench.send(.readCounter(2)) == TagBench.refused)
    }

    @Test(
        "The counter counts the first read of a power cycle",
        arguments: [Type2Command.read(0), .fastRead(0, 3)])
    func countsTheFirstReadOfAPowerCycle(_ read: Type2Command) throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(access: 0x10)
        #expect(bench.send(.readCounter(2)) == .data([0, 0, 0]))
        for _ in 0..<3 { _ = bench.sendAfterSelecting(read) }
        #expect(bench.send(.readCounter(2)) == .data([1, 0, 0]))
        bench.powerCycle()
        #expect(bench.send(.readCounter(2)) == .data([1, 0, 0]))
        _ = bench.send(read)
        #expect(bench.send(.readCounter(2)) == .data([2, 0, 0]))
    }

    @Test("The counter does not count refused reads")
    func countsOnlyReadsThatAreAnswered() throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(access: 0x10)
        #expect(bench.send(.read(0x2D)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(.fastRead(1, 0)) == TagBench.refused)
        #expect(bench.memory.counter == 0)
    }

    @Test("The counter is sent low byte first and stops at its maximum")
    func isSentLeastSignificantByteFirstAndStopsAtItsEnd() throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(access: 0x10)
        bench.memory.counter = 0x12_3455
        _ = bench.send(.read(0))
        #expect(bench.send(.readCounter(2)) == .data([0x56, 0x34, 0x12]))
        bench.memory.counter = 0xFF_FFFE
        for _ in 0..<3 {
            bench.powerCycle()
            _ = bench.send(.read(0))
            #expect(bench.send(.readCounter(2)) == .data([0xFF, 0xFF, 0xFF]))
        }
    }

    @Test("The counter can be protected by the password")
    func canNeedThePassword() throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(access: 0x18)
        #expect(bench.send(.readCounter(2)) == TagBench.refused)
        bench.select()
        #expect(bench.authenticate() == .data([0, 0]))
        #expect(bench.send(.readCounter(2)) == .data([0, 0, 0]))
    }
}
