import SimulatedReader
import Tags
import Testing

@Suite("The text of a simulation")
struct SimulationTextTests {
    @Test("The text gives the tags on the reader, the fault and then the dumps")
    func text() throws {
        var simulation = try FieldWorld.twoTags()
        simulation.fault = Fault(at: 3, counting: .write, .torn(.mix(seed: 42)))
        let dumps = simulation.tags.map { TagDump(memory: $0, withSecrets: true).text }
        let head = """
            tapcard simulation 1
            on-reader: 04112233445566
            fault: write 3 torn mix 42
            last-tag: 04112233445566

            """
        #expect(simulation.text == head + "\n" + dumps.joined(separator: "\n"))
        simulation.take()
        simulation.fault = nil
        let idle =
            "tapcard simulation 1\non-reader: none\nfault: none\nlast-tag: 04112233445566\n\n"
        #expect(simulation.text == idle + dumps.joined(separator: "\n"))
    }

    @Test("A simulation is read back with any tags, on the reader or not", arguments: 0...3)
    func tags(count: Int) throws {
        let uids = [FieldWorld.uid, FieldWorld.otherUID, [4, 0, 0, 0, 0, 0, 1]].prefix(count)
        let tags = try zip(Type2Chip.known, uids).map { try FieldWorld.tag($0, uid: $1) }
        for onReader in [[], Array(uids.prefix(1)), uids.reversed()] {
            let simulation = Simulation(tags, onReader: onReader)
            #expect(try Simulation(parsing: simulation.text) == simulation)
        }
    }

    @Test("The text keeps what no reader can read")
    func secrets() throws {
        var simulation = try FieldWorld.oneTag()
        var side = TagSide()
        let tag = try #require(simulation.tag(FieldWorld.uid))
        side.powerUp(tag)
        _ = side.select(tag)
        for command in [Type2Command.write(0x2B, Page(1, 2, 3, 4)), .write(0x2C, Page(5, 6, 0, 0))]
        {
            let outcome = simulation.exchange(command.frame, with: FieldWorld.uid, &side)
            #expect(outcome == .reply(.ack))
        }
        let again = try Simulation(parsing: simulation.text)
        #expect(again == simulation)
        #expect(again.tags.first?[0x2B] == Page(1, 2, 3, 4))
        #expect(again.tags.first?[0x2C] == Page(5, 6, 0, 0))
    }

    @Test("The text may contain comments and blank lines")
    func comments() throws {
        let simulation = try FieldWorld.twoTags()
        let lines = simulation.text.split(separator: "\n")
        let commented = lines.map { "\($0)\n# \($0)\n" }.joined()
        #expect(try Simulation(parsing: commented) == simulation)
        #expect(try Simulation(parsing: simulation.text + "\n") == simulation)
    }

    @Test("A simulation holds 250 tags and no more")
    func maximumTags() throws {
        func simulation(_ count: Int) throws -> Simulation {
            Simulation(
                try (0..<count).map { try FieldWorld.tag(uid: [4, 0, 0, 0, 0, 0, UInt8($0)]) })
        }
        let full = try simulation(Simulation.maximumTags)
        #expect(full.tags.count == 250)
        #expect(try Simulation(parsing: full.text) == full)
        #expect(throws: ReaderError(.noReader)) {
            try Simulation(parsing: simulation(Simulation.maximumTags + 1).text)
        }
    }
}
