import SimulatedReader
import Tags
import Testing

@Suite("The collection of simulated tags")
struct DrawerTests {
    /// Adds a new tag with a chosen number instead of a random one.
    private func add(
        _ chip: Type2Chip, _ number: UInt8, to simulation: inout Simulation
    ) -> TagMemory? {
        simulation.addTag(chip) { [UInt8](repeating: 0x77, count: $0 - 1) + [number] }
    }

    @Test("A fresh simulation has one blank, signed NTAG213 on the reader")
    func fresh() throws {
        let simulation = Simulation.fresh
        let tag = try #require(simulation.tags.first)
        #expect(simulation.tags.count == 1 && simulation.onReader == [tag.uid])
        #expect(simulation.fault == nil)
        #expect(tag.chip == .ntag213 && tag.uid == FieldWorld.uid)
        #expect(tag.signature.prefix(4) == [0x2D, 0xAE, 0xBC, 0xAF])
        #expect(tag == TagMemory.blank(.ntag213, uid: tag.uid, signature: tag.signature))
    }

    @Test("The first NTAG213 and NTAG216 are signed, and other tags are not")
    func signatures() throws {
        var simulation = Simulation()
        for chip in Type2Chip.known {
            for number: UInt8 in 0...1 {
                let tag = try #require(add(chip, number, to: &simulation))
                let isSigned = tag.signature.contains { $0 != 0 }
                #expect(isSigned == (number == 0 && chip != .ntag215))
                #expect(tag.uid.first == 0x04 && simulation.tag(tag.uid) == tag)
            }
            simulation = Simulation(simulation.tags.filter { $0.uid.last != 1 })
        }
        #expect(simulation.onReader.isEmpty)
    }

    @Test("No two tags share a number, and there are 250 tags at most")
    func limits() {
        var simulation = Simulation()
        #expect(add(.ntag215, 1, to: &simulation) != nil)
        #expect(add(.ntag215, 1, to: &simulation) == nil)
        #expect(simulation.tags.count == 1)
        for number: UInt8 in 2...250 {
            #expect(add(.ntag215, number, to: &simulation) != nil)
        }
        #expect(add(.ntag215, 251, to: &simulation) == nil)
        #expect(add(.ntag213, 251, to: &simulation) == nil)
        #expect(simulation.tags.count == Simulation.maximumTags)
    }

    @Test("A new tag never has a number that another simulation has")
    func elsewhere() throws {
        var simulation = Simulation()
        let known = try #require(Simulation.fresh.tags.first).uid
        func add(_ number: UInt8, next others: Set<[UInt8]>) -> [UInt8]? {
            simulation.addTag(.ntag213, elsewhere: others) {
                [UInt8](repeating: number, count: $0)
            }?.uid
        }
        let own: [UInt8] = [4, 7, 7, 7, 7, 7, 7]
        #expect(add(7, next: [known]) == own)
        #expect(add(8, next: [known, [4, 8, 8, 8, 8, 8, 8]]) == nil)
        #expect(add(8, next: []) == known)
    }

    @Test("Removing a tag returns it with its content and takes it off the reader")
    func remove() throws {
        var simulation = try FieldWorld.twoTags()
        simulation.put([FieldWorld.uid])
        let tag = try #require(simulation.tag(FieldWorld.uid))
        #expect(simulation.remove(FieldWorld.uid) == tag)
        #expect(simulation.tags.map(\.uid) == [FieldWorld.otherUID])
        #expect(simulation.onReader.isEmpty && simulation.lastOnReader == nil)
        #expect(simulation.remove(FieldWorld.uid) == nil)
    }

    @Test("Only tags of the simulation can be put on the reader")
    func put() throws {
        var simulation = try FieldWorld.twoTags()
        simulation.put([FieldWorld.uid, [1, 2, 3], FieldWorld.otherUID])
        #expect(simulation.onReader == [FieldWorld.uid, FieldWorld.otherUID])
        simulation.put([FieldWorld.uid])
        #expect(simulation.onReader == [FieldWorld.uid])
        simulation.put([[1, 2, 3]])
        #expect(simulation.onReader.isEmpty)
        simulation.put([FieldWorld.uid])
        simulation.take()
        #expect(simulation.onReader.isEmpty && simulation.tags.count == 2)
    }

    @Test("The tag that was last on the reader is remembered")
    func last() throws {
        #expect(Simulation().lastOnReader == nil)
        #expect(Simulation.fresh.lastOnReader == FieldWorld.uid)
        var simulation = try FieldWorld.twoTags()
        #expect(simulation.lastOnReader == FieldWorld.otherUID)
        simulation.put([FieldWorld.uid])
        simulation.take()
        simulation.put([[1, 2, 3]])
        #expect(simulation.lastOnReader == FieldWorld.uid)
        simulation.put([FieldWorld.uid, FieldWorld.otherUID])
        #expect(simulation.lastOnReader == FieldWorld.otherUID)
    }

    @Test("A saved tag takes its old place or comes after the others")
    func save() throws {
        var simulation = try FieldWorld.twoTags()
        let changed = try FieldWorld.tag(.ntag216)
        simulation.save(changed)
        #expect(simulation.tags.map(\.chip) == [.ntag216, .ntag215])
        simulation.save(try FieldWorld.tag(uid: [4, 9, 9, 9, 9, 9, 9]))
        #expect(simulation.tags.map(\.chip) == [.ntag216, .ntag215, .ntag213])
        #expect(simulation.tag(FieldWorld.uid) == changed)
        #expect(simulation.tag([]) == nil)
    }
}
