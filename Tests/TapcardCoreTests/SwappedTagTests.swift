import Ledger
import SimulatedField
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// The card is exchanged for another tag between any two frames, or while the reader selects it anew.
@Suite("A tag that takes the card's place")
struct SwappedTagTests {
    /// What takes the place.
    enum Other: CaseIterable, Sendable {
        case blank, card
    }

    @Test("is never written to", arguments: Deed.allCases, Other.allCases)
    func neverWritten(_ deed: Deed, _ other: Other) async throws {
        #expect(try await swaps(deed, other, before: .frame) >= 10)
    }

    /// A chip that does not know its signature falls silent, and is selected anew before anything
    /// is written.
    @Test("is not taken for the card when it is selected anew", arguments: Deed.allCases)
    func selectedAnew(_ deed: Deed) async throws {
        var count = 0
        for other in Other.allCases {
            for isSigned in [true, false] {
                count += try await swaps(deed, other, before: .selection, isSigned: isSigned)
            }
        }
        if deed.before == nil { #expect(count > 0) }
    }

    /// Plays the deed once for each place of that kind, and says how many there are.
    private func swaps(
        _ deed: Deed, _ other: Other, before moment: Swapper.Moment, isSigned: Bool = true
    ) async throws -> Int {
        var number = 1
        while true {
            let world = try await deed.world()
            let otherTag = try await putAside(other, in: world)
            let swapper = Swapper(world, to: otherTag.uid, before: moment, number)
            let reader: any TagReader =
                isSigned ? swapper : ReaderBetween(reader: swapper, answer: ReaderBetween.unsigned)
            let said = await outcome { () throws(TapcardError) in
                try await deed.perform(at: world.station(reader: reader))
            }
            guard await swapper.hasSwapped else { return number - 1 }
            let label: Comment = "\(deed), swapped before \(moment) \(number)"
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
            number += 1
        }
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

/// Exchanges the tag on the reader right before a frame, or before it is selected anew.
private actor Swapper: TagReader {
    enum Moment { case frame, selection }

    nonisolated let name = "reader on which tags are exchanged"
    nonisolated let longestAnswer: Int
    private let world: World
    private let uid: [UInt8]
    private let moment: Moment
    private var left: Int

    init(_ world: World, to uid: [UInt8], before moment: Moment, _ number: Int) {
        self.world = world
        self.uid = uid
        self.moment = moment
        // The first selection is the one that finds the card.
        left = moment == .selection ? number + 1 : number
        longestAnswer = world.reader.longestAnswer
    }

    var hasSwapped: Bool { left <= 0 }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await swap(at: .selection)
        return try await world.reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await swap(at: .frame)
        return try await world.reader.exchange(frame)
    }

    private func swap(at moment: Moment) async throws(ReaderError) {
        guard moment == self.moment else { return }
        left -= 1
        guard left == 0 else { return }
        let uid = uid
        try await world.reader.change { $0.put([uid]) }
    }

    func release() async { await world.reader.release() }
}
