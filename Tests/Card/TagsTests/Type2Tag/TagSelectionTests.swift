import Tags
import Testing

@Suite("Selecting a Type 2 tag") struct TagSelectionTests {
    @Test("A tag without power cannot be selected and is silent")
    func needsPower() throws {
        var bench = try TagBench(.ntag213)
        bench.side = TagSide()
        #expect(bench.select() == nil)
        #expect(bench.send(.read(0)) == .silence)
        bench.side.powerUp(bench.memory)
        #expect(bench.select() == TagIdentity(uid: TagBench.uid))
        bench.side.powerDown()
        #expect(bench.select() == nil)
        #expect(bench.send(.read(0)) == .silence)
    }

    @Test("A tag answers and obeys only after it is selected")
    func answersOnlyWhenSelected() throws {
        var bench = try TagBench(.ntag213)
        bench.side.powerUp(bench.memory)
        #expect(bench.send(.getVersion) == .silence)
        let before = bench.memory
        #expect(bench.send(.write(4, Page(1, 2, 3, 4))) == .silence)
        #expect(bench.memory == before)
        bench.select()
        #expect(bench.send(.write(4, Page(1, 2, 3, 4))) == .ack)
    }

    @Test("A halted tag is silent until it is selected again")
    func isSilentAfterHalt() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.halt) == .silence)
        #expect(bench.send(.getVersion) == .silence)
        #expect(bench.select() != nil)
        #expect(bench.send(.getVersion) != .silence)
    }

    @Test(
        "A tag that refuses a frame is silent until it is selected again",
        arguments: [
            [], [0x00], [0xFF, 0x00], [0x30], [0x30, 0x04, 0x00], [0x39, 0x00], [0x3C, 0x01],
            [0x30, 0x2D], [0xA2, 0x00, 1, 2, 3, 4],
        ] as [[UInt8]])
    func refusesAndGoesSilent(_ frame: [UInt8]) throws {
        var bench = try TagBench(.ntag213)
        let before = bench.memory
        #expect(bench.side.answer(frame, &bench.memory) == TagBench.refused)
        #expect(bench.send(.read(0)) == .silence)
        #expect(bench.side.answer(frame, &bench.memory) == .silence)
        #expect(bench.memory == before)
        #expect(bench.select() != nil)
        #expect(bench.send(.read(0)) != .silence)
    }

    @Test("Selection, refusal, halt and power loss all end an authentication")
    func losesItsAuthentication() throws {
        let protected: Type2Command = .write(0x10, Page(1, 1, 1, 1))
        var bench = try TagBench(.ntag213)
        try bench.configure(from: 0x10, access: 0)

        #expect(bench.authenticate() == .data([0, 0]))
        #expect(bench.send(protected) == .ack)
        #expect(bench.sendAfterSelecting(protected) == TagBench.refused)

        bench.select()
        #expect(bench.authenticate() == .data([0, 0]))
        #expect(bench.send(.read(0x2D)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(protected) == TagBench.refused)

        bench.select()
        #expect(bench.authenticate() == .data([0, 0]))
        #expect(bench.send(.halt) == .silence)
        #expect(bench.sendAfterSelecting(protected) == TagBench.refused)

        bench.select()
        #expect(bench.authenticate() == .data([0, 0]))
        bench.powerCycle()
        #expect(bench.send(protected) == TagBench.refused)
    }
}
