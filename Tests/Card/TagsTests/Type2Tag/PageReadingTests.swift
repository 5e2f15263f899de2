import Tags
import Testing

@Suite("Reading a simulated Type 2 tag") struct PageReadingTests {
    /// A tag with a PACK whose user pages differ from one another.
    private func numbered(_ chip: Type2Chip) throws -> TagBench {
        var memory = try #require(TagMemory.blank(chip, uid: TagBench.uid))
        for page in chip.userPages { memory[page] = Page(page, ~page, page, 0x5A) }
        memory[try #require(chip.configurationPage) + 3] = Page(0xD1, 0xA1, 0, 0)
        return TagBench(memory)
    }

    private func bytes(_ pages: [Int], _ bench: TagBench) -> [UInt8] {
        pages.flatMap { bench.memory.visible(UInt8($0)).bytes }
    }

    @Test("READ returns four pages and rolls over at the last page", arguments: Type2Chip.known)
    func readsFourPagesAndRollsOver(_ chip: Type2Chip) throws {
        var bench = try numbered(chip)
        for page in 0..<chip.pageCount {
            let pages = (page..<page + 4).map { $0 % chip.pageCount }
            #expect(bench.send(.read(UInt8(page))) == .data(bytes(pages, bench)))
        }
        for page in UInt8(chip.pageCount)...255 {
            #expect(bench.sendAfterSelecting(.read(page)) == TagBench.refused)
        }
    }

    @Test(
        "FAST_READ returns a run of pages and refuses runs that are backward or too long",
        arguments: Type2Chip.known)
    func readsRuns(_ chip: Type2Chip) throws {
        var bench = try numbered(chip)
        let last = UInt8(chip.pageCount - 1)
        #expect(bench.send(.fastRead(0, last)) == .data(bytes(Array(0...Int(last)), bench)))
        #expect(bench.send(.fastRead(last, last)) == .data(bytes([Int(last)], bench)))
        #expect(bench.send(.fastRead(last, last - 1)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(.fastRead(last, last + 1)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(.fastRead(last + 1, last + 1)) == TagBench.refused)
    }

    @Test(
        "READ rolls over at the first protected page until authenticated",
        arguments: Type2Chip.known)
    func rollsOverWhereProtectionBegins(_ chip: Type2Chip) throws {
        var bench = try numbered(chip)
        try bench.configure(from: 0x10, access: 0x80)
        #expect(bench.send(.read(0x0C)) == .data(bytes([12, 13, 14, 15], bench)))
        #expect(bench.send(.read(0x0F)) == .data(bytes([15, 0, 1, 2], bench)))
        #expect(bench.send(.fastRead(0, 0x0F)) == .data(bytes(Array(0...15), bench)))
        #expect(bench.send(.read(0x10)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(.fastRead(0x0F, 0x10)) == TagBench.refused)
        bench.select()
        #expect(bench.authenticate() == .data([0xD1, 0xA1]))
        #expect(bench.send(.read(0x0F)) == .data(bytes([15, 16, 17, 18], bench)))
        #expect(bench.send(.fastRead(0x0F, 0x10)) == .data(bytes([15, 16], bench)))
    }

    @Test(
        "READ rolls over more than once if few pages are readable",
        arguments: [(1, [0, 0, 0, 0]), (2, [0, 1, 0, 1]), (3, [0, 1, 2, 0])] as [(UInt8, [Int])])
    func rollsOverMoreThanOnce(_ firstProtected: UInt8, _ pages: [Int]) throws {
        var bench = try numbered(.ntag213)
        try bench.configure(from: firstProtected, access: 0x80)
        #expect(bench.send(.read(0)) == .data(bytes(pages, bench)))
    }

    @Test("A tag protected from page 0 is readable only after authentication")
    func canBeClosedAltogether() throws {
        var bench = try numbered(.ntag213)
        try bench.configure(from: 0, access: 0x80)
        #expect(bench.send(.read(0)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(.fastRead(0, 0)) == TagBench.refused)
        bench.select()
        #expect(bench.authenticate() == .data([0xD1, 0xA1]))
        #expect(bench.send(.read(0)) == .data(bytes([0, 1, 2, 3], bench)))
    }

    @Test(
        "GET_VERSION and READ_SIG return the chip's version and signature",
        arguments: Type2Chip.known)
    func tellsItsVersionAndSignature(_ chip: Type2Chip) throws {
        let signature = (1...32).map { UInt8($0) }
        var bench = TagBench(
            try #require(TagMemory.blank(chip, uid: TagBench.uid, signature: signature)))
        #expect(bench.send(.getVersion) == .data(try #require(chip.version)))
        #expect(bench.send(.readSignature) == .data(signature))
    }

    @Test("The reader's side accepts the tag's answer to every command", arguments: Type2Chip.known)
    func givesAnswersThatTheAskingSideTakes(_ chip: Type2Chip) throws {
        var bench = try TagBench(chip)
        try bench.configure(access: 0x10)
        let commands: [Type2Command] = [
            .getVersion, .read(3), .fastRead(0, 7), .readCounter(2), .readSignature,
            .authenticate(TagBench.factoryPassword),
        ]
        for command in commands {
            guard case .data(let answer) = bench.send(command) else {
                Issue.record("no data for \(command)")
                continue
            }
            #expect(try command.checked(answer) == answer)
        }
    }

    @Test("An unknown Type 2 chip only supports READ and the two WRITE commands")
    func otherChipsOnlyReadAndWrite() throws {
        let chip = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        var bench = try TagBench(chip)
        #expect(bench.send(.write(0x0F, Page(1, 2, 3, 4))) == .ack)
        #expect(bench.send(.read(0x0E)) == .data(bytes([14, 15, 0, 1], bench)))
        #expect(bench.send(.compatibilityWrite(0x0E)) == .ack)
        let data = Type2Command.compatibilityData(Page(5, 6, 7, 8))
        #expect(bench.side.answer(data, &bench.memory) == .ack)
        #expect(bench.memory[0x0E] == Page(5, 6, 7, 8))
        #expect(bench.send(.read(0x10)) == TagBench.refused)
        let unknown: [Type2Command] = [
            .getVersion, .fastRead(0, 1), .readCounter(2), .readSignature,
            .authenticate(TagBench.factoryPassword),
        ]
        for command in unknown {
            #expect(bench.sendAfterSelecting(command) == TagBench.refused)
        }
    }
}
