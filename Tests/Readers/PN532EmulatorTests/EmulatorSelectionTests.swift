import PN532Emulator
import SimulatedReader
import Tags
import Testing

@Suite("Detection of cards by the emulated chip")
struct EmulatorSelectionTests {
    private static let found: [UInt8] = [0x01, 0x01, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.uid

    private static func patient() -> EmulatorBench {
        var bench = EmulatorBench()
        #expect(bench.send([0x32, 0x05, 0x00, 0x01, 0x02]) == [])
        return bench
    }

    private static func twoTags() throws -> EmulatorBench {
        let tags = [
            try #require(TagMemory.blank(.ntag213, uid: EmulatorBench.uid)),
            try #require(TagMemory.blank(.ntag215, uid: EmulatorBench.otherUID)),
        ]
        return EmulatorBench(Simulation(tags, onReader: tags.map(\.uid)))
    }

    @Test("A tag is listed with its number and powered once")
    func tag() {
        var bench = EmulatorBench()
        #expect(bench.send(EmulatorBench.list) == Self.found)
        #expect(bench.send([0x04]) == [0x00, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x80])
        #expect(bench.send(EmulatorBench.list) == Self.found)
        #expect(bench.emulation.line.counters.powerUps == 1)
    }

    @Test("An empty reader reports no tag when its retries are limited")
    func nothing() throws {
        var bench = Self.patient()
        _ = try bench.control("remove")
        #expect(bench.send(EmulatorBench.list) == [0x00])
        // Clients tell by this register that not even a request was answered.
        #expect(bench.send([0x06, 0x63, 0x39]) == [0x26])
    }

    @Test("A search by number finds that tag and no other", arguments: [true, false])
    func byNumber(isThere: Bool) throws {
        var bench = try Self.twoTags()
        #expect(bench.send([0x32, 0x05, 0x00, 0x01, 0x02]) == [])
        let number = isThere ? EmulatorBench.otherUID : [0x04, 1, 2, 3, 4, 5, 6]
        let parts = TypeACardSelection.cascade(number).flatMap(\.self)
        #expect(
            bench.send(EmulatorBench.list + parts)
                == (isThere ? [0x01, 0x01, 0x00, 0x44, 0x00, 0x07] + number : [0x00]))
    }

    @Test("Two tags are listed at once and addressed in turn")
    func twoAtOnce() throws {
        var bench = try Self.twoTags()
        let answer = bench.send([0x4A, 0x02, 0x00])
        #expect(
            answer == [0x02, 0x01, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.uid
                + [0x02, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.otherUID)
        for target in [1, 2, 1, 1, 2] as [UInt8] {
            let read = bench.send([0x40, target, 0x30, 0x00])
            let uid = target == 1 ? EmulatorBench.uid : EmulatorBench.otherUID
            #expect(read?.prefix(4) == [0x00] + uid.prefix(3))
        }
    }

    @Test("A single tag is selected even if two are asked for")
    func oneOfTwo() {
        var bench = EmulatorBench()
        #expect(bench.send([0x4A, 0x02, 0x00]) == Self.found)
        #expect(
            bench.send([0x42, 0x60]) == [0x00, 0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03])
    }

    @Test("A halted card answers no request until the field has been off")
    func released() throws {
        var bench = Self.patient()
        #expect(bench.send(EmulatorBench.list) == Self.found)
        #expect(bench.send([0x44, 0x01]) == [0x00])
        #expect(bench.send(EmulatorBench.list) == [0x00])
        #expect(bench.send([0x32, 0x01, 0x00]) == [])
        #expect(bench.send(EmulatorBench.list) == Self.found)
    }

    @Test("A halted card answers a search for its own number, and no other number wakes it")
    func woken() {
        var bench = Self.patient()
        #expect(bench.send(EmulatorBench.list) == Self.found)
        #expect(bench.send([0x44, 0x01]) == [0x00])
        let parts = [0x88] + EmulatorBench.uid
        #expect(bench.send([0x4A, 0x01, 0x00] + parts) == Self.found)
        #expect(bench.send([0x44, 0x01]) == [0x00])
        #expect(bench.send([0x4A, 0x02, 0x00] + parts) == Self.found)
        let other = [0x88] + EmulatorBench.otherUID
        #expect(bench.send([0x4A, 0x01, 0x00] + other) == [0x00])
    }

    @Test("A deselected card can be selected again, but not after its release")
    func selectedAgain() {
        var bench = EmulatorBench()
        #expect(bench.send(EmulatorBench.list) == Self.found)
        #expect(bench.send([0x44, 0x00]) == [0x00])
        #expect(bench.send([0x54, 0x01]) == [0x00])
        #expect(bench.send([0x40, 0x01, 0x30, 0x04])?.first == 0x00)
        #expect(bench.send([0x52, 0x01]) == [0x00])
        #expect(bench.send([0x40, 0x01, 0x30, 0x04]) == [0x27])
    }

    @Test("Switching the field off silences the tag and clears the list, until it is listed again")
    func power() {
        var bench = EmulatorBench()
        let directly: [UInt8] = [0x42, 0x30, 0x00]
        let byList: [UInt8] = [0x40, 0x01, 0x30, 0x00]
        for powerUps in 1...2 {
            #expect(bench.send(EmulatorBench.list) == Self.found)
            #expect(bench.emulation.line.counters.powerUps == powerUps)
            for read in [directly, byList] {
                #expect(bench.send(read)?.prefix(4) == [0x00] + EmulatorBench.uid.prefix(3))
            }
            #expect(bench.send([0x32, 0x01, 0x00]) == [])
            #expect(bench.send(directly) == [0x01])
            #expect(bench.send(byList) == [0x27])
        }
    }

    @Test(
        "Cards of other kinds are listed as what they are",
        arguments: [
            (
                "classic", [0x4A, 0x01, 0x00],
                [0x01, 0x01, 0x00, 0x04, 0x08, 0x04] + ForeignCard.classic.number
            ),
            (
                "type4", [0x4A, 0x01, 0x00],
                [0x01, 0x01, 0x03, 0x44, 0x20, 0x07] + ForeignCard.type4.number
                    + ForeignCard.answerToSelect
            ),
            ("classic", [0x4A, 0x01, 0x01, 0x00, 0xFF, 0xFF, 0x01, 0x00], [0x00]),
            ("classic", [0x4A, 0x01, 0x02, 0x00, 0xFF, 0xFF, 0x01, 0x00], [0x00]),
            ("classic", [0x4A, 0x01, 0x03, 0x00], [0x00]),
            ("classic", [0x4A, 0x01, 0x04], [0x00]),
        ] as [(String, [UInt8], [UInt8])])
    func foreign(card: String, command: [UInt8], answer: [UInt8]) throws {
        var bench = Self.patient()
        _ = try bench.control("present \(card)")
        #expect(bench.send(command) == answer)
    }

    @Test(
        "Cards of other kinds refuse commands that are not for them",
        arguments: [
            ("classic", [0x40, 0x01, 0x30, 0x04], [0x02]),
            ("classic", [0x40, 0x01, 0x60, 0x04, 1, 2, 3, 4, 5, 6], [0x14]),
            ("classic", [0x42, 0x60], [0x02]), ("classic", [0x42, 0x3A, 0x00, 0x27], [0x02]),
            ("type4", [0x40, 0x01, 0x00, 0xA4, 0x04, 0x00], [0x00, 0x6D, 0x00]),
            ("type4", [0x42, 0x30, 0x04], [0x01]), ("type4", [0x42, 0xC2], [0x00, 0xC2]),
            ("type4", [0x42, 0xB2], [0x00, 0xA2]), ("type4", [0x00, 0x06], [0x00]),
        ] as [(String, [UInt8], [UInt8])])
    func refusals(card: String, command: [UInt8], answer: [UInt8]) throws {
        var bench = Self.patient()
        _ = try bench.control("present \(card)")
        #expect(bench.send(EmulatorBench.list)?.first == 0x01)
        #expect(bench.send(command) == answer)
    }

    @Test("ISO/IEC 14443-4 is entered only if SetParameters asks for it")
    func withoutBlocks() throws {
        var bench = EmulatorBench()
        _ = try bench.control("present type4")
        #expect(bench.send([0x12, 0x00]) == [])
        #expect(
            bench.send(EmulatorBench.list) == [0x01, 0x01, 0x03, 0x44, 0x20, 0x07]
                + ForeignCard.type4.number)
        #expect(bench.send([0x42, 0xE0, 0x50]) == [0x00] + ForeignCard.answerToSelect)
        #expect(bench.send([0x42, 0x03, 0x00]) == [0x00, 0x03, 0x6D, 0x00])
    }

    @Test(
        "InAutoPoll finds only the kinds it was told to look for",
        arguments: [
            (nil, [0x00], [0x01, 0x10, 0x0C, 0x01, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.uid),
            (
                nil, [0x20, 0x10],
                [0x01, 0x10, 0x0C, 0x01, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.uid
            ),
            (nil, [0x11, 0x12, 0x20, 0x23], [0x00]),
            (
                "type4", [0x20],
                [0x01, 0x20, 0x12, 0x01, 0x03, 0x44, 0x20, 0x07]
                    + ForeignCard.type4.number + ForeignCard.answerToSelect
            ),
        ] as [(String?, [UInt8], [UInt8])])
    func autoPoll(card: String?, types: [UInt8], answer: [UInt8]) throws {
        var bench = EmulatorBench()
        if let card { _ = try bench.control("present \(card)") }
        #expect(bench.send([0x60, 0x01, 0x01] + types) == answer)
    }
}
