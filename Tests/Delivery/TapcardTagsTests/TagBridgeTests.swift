import TapcardTags
import Testing

/// Uses the tag library as a program does, with a single import.
@Suite("Tag library")
struct TagBridgeTests {
    private static let records: [TagRecord] = [
        .url("https://example.com/spools/17"), .text("Negro", language: "es"),
        .media(type: "application/json", Array("{}".utf8)),
        .external(type: "example.com:spool", [1, 2]), .unknown([3]),
    ]

    @Test(
        "Reading returns the records that were written",
        arguments: [Type2Chip.ntag213, .ntag215, .ntag216])
    func roundTrip(_ chip: Type2Chip) async throws {
        let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
        let tag = try #require(TagMemory.blank(chip, uid: uid))
        let bridge = TagBridge(reader: SimulatedReader(Simulation([tag], onReader: [uid])))
        let blank = try await bridge.read()
        #expect(blank.records.isEmpty && blank.isWritable && blank.problem == nil)
        #expect(try await bridge.write(Self.records) == "04010203040506")
        let read = try await bridge.read()
        #expect(read.uid == "04010203040506" && read.kind == chip.name)
        #expect(read.records == Self.records)
        #expect(read.freeByteCount < blank.freeByteCount)
    }

    @Test("A tag with other content is refused, and so is a locked tag")
    func refused() async throws {
        let bridge = TagBridge(reader: SimulatedReader(.fresh))
        let old: [TagRecord] = [.text("old")]
        let new: [TagRecord] = [.text("new")]
        try await bridge.write(old)
        await #expect(throws: TapcardError.self) { try await bridge.write(new) }
        #expect(try await bridge.read().records == old)
        try await bridge.write(new, overwriting: true, locking: true)
        let refused = await #expect(throws: TapcardError.self) {
            try await bridge.write(old, overwriting: true)
        }
        #expect(refused?.kind == .lockedTag)
        let read = try await bridge.read()
        #expect(read.records == new && !read.isWritable)
    }

    @Test("A text record with an invalid language code is refused")
    func language() async throws {
        let bridge = TagBridge(reader: SimulatedReader(.fresh))
        for language in [String(repeating: "x", count: 64), "é"] {
            let refused = await #expect(throws: TapcardError.self) {
                try await bridge.write([.text("Hello", language: language)])
            }
            #expect(refused?.kind == .usage)
        }
        #expect(try await bridge.read().records.isEmpty)
    }

    @Test("If the tag is pulled, the outcome is unknown, and writing again finishes")
    func pulled() async throws {
        let reader = SimulatedReader(.fresh)
        let bridge = TagBridge(reader: reader)
        try await reader.change { $0.fault = Fault(at: 2, counting: .write, .torn(.zero)) }
        let open = await #expect(throws: TapcardError.self) {
            try await bridge.write(Self.records)
        }
        #expect(open?.result == .unknown)
        try await reader.change { $0.put($0.tags.map(\.uid)) }
        try await bridge.write(Self.records)
        #expect(try await bridge.read().records == Self.records)
    }

    @Test("A watch reports each tag once, and its closure may write to the tag")
    func watch() async throws {
        let uids: [[UInt8]] = [[0x04, 1, 1, 1, 1, 1, 1], [0x04, 2, 2, 2, 2, 2, 2]]
        let tags = try uids.map { try #require(TagMemory.blank(.ntag213, uid: $0)) }
        let reader = SimulatedReader(Simulation(tags, onReader: [uids[0]]))
        let bridge = TagBridge(reader: reader)
        var seen: [String] = []
        await bridge.watch { event in
            switch event {
            case .arrived(let tag):
                seen.append("\(tag.uid) \(tag.records.count)")
                do {
                    if tag.records.isEmpty { try await bridge.write([.text("seen")]) }
                    // Swap in the second tag, put the first one back, then clear the reader.
                    let next = [1: [uids[1]], 3: [uids[0]]][seen.count] ?? []
                    try await reader.change { $0.put(next) }
                } catch { seen.append("\(error)") }
            case .departed: seen.append("gone")
            case .problem(let error): seen.append("\(error)")
            case .empty: seen.append("empty")
            case .readerReturned: seen.append("reader")
            }
            return seen.count < 6
        }
        #expect(
            seen == [
                "04010101010101 0", "gone", "04020202020202 0", "gone", "04010101010101 1", "gone",
            ])
    }
}
