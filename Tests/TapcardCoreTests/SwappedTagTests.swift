import Ledger
import SimulatedField
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// The card is exchanged for another tag between any two frames.
@Suite("A tag that takes the card's place")
struct SwappedTagTests {
    /// What takes the place.
    enum Other: CaseIterable, Sendable {
        case blank, card
    }

    @Test("is never written to", arguments: Deed.allCases, Other.allCases)
    func neverWritten(_ deed: Deed, _ other: Other) async throws {
        var frame = 1
        while true {
            let world = try await deed.world()
            let otherTag = try await putAside(other, in: world)
            let swapper = Swapper(world, to: otherTag.uid, atFrame: frame)
            let said = await outcome { () throws(TapcardError) in
                try await deed.perform(at: world.station(reader: swapper))
            }
            guard await swapper.hasSwapped else { break }
            let label: Comment = "\(deed), swapped at frame \(frame)"
            #expect(try await world.reader.change { $0.tag(otherTag.uid) } == otherTag, label)
            let operation = try await deed.operation(in: world)
            if said.isSuccess { #expect(operation?.state == .committed, label) }

            try await world.putBack()
            if operation != nil {
                #expect(try await world.station.read().problem == nil, label)
                try await world.expectSettled(label)
            }
            let state = try await deed.operation(in: world)?.state
            try await deed.expectDone(state == .committed, in: world, label)
            frame += 1
        }
        #expect(frame > 10)
    }

    private func putAside(_ other: Other, in world: World) async throws -> TagMemory {
        let uid: [UInt8] = [0x04, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22]
        let tag = try #require(TagMemory.blank(.ntag213, uid: uid))
        try await world.put(tag)
        if other == .card { try await world.issue(5_000, name: "Eve", id: 99) }
        let result = try #require(try await world.reader.change { $0.tag(uid) })
        try await world.putBack()
        return result
    }
}

/// Exchanges the tag on the reader right before a frame.
private actor Swapper: TagReader {
    nonisolated let name = "reader on which tags are exchanged"
    nonisolated let longestAnswer: Int
    private let world: World
    private let uid: [UInt8]
    private var left: Int

    init(_ world: World, to uid: [UInt8], atFrame frame: Int) {
        self.world = world
        self.uid = uid
        left = frame
        longestAnswer = world.reader.longestAnswer
    }

    var hasSwapped: Bool { left <= 0 }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await world.reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        left -= 1
        if left == 0 {
            let uid = uid
            try await world.reader.change { $0.put([uid]) }
        }
        return try await world.reader.exchange(frame)
    }

    func release() async { await world.reader.release() }
}
