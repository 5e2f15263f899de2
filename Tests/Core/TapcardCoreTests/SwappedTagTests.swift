import BlockingLane
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The card is swapped for another tag between any two frames, or before it is selected again.
@Suite("A tag that takes the card's place")
struct SwappedTagTests {
    /// The tag that takes the card's place.
    enum Other: CaseIterable, Sendable {
        case blank, card
    }

    private enum Moment { case frame, selection }

    @Test(
        "A tag that takes the card's place at any frame is never written to",
        arguments: TillRequest.allCases, Other.allCases)
    func neverWritten(_ request: TillRequest, _ other: Other) async throws {
        #expect(try await swaps(request, other, before: .frame) >= 10)
    }

    /// A chip without a signature falls silent and is selected again before anything is written.
    @Test(
        "A tag that takes the card's place at a reselection is not taken for the card",
        arguments: TillRequest.allCases)
    func selectedAgain(_ request: TillRequest) async throws {
        var count = 0
        for other in Other.allCases {
            for isSigned in [true, false] {
                count += try await swaps(request, other, before: .selection, isSigned: isSigned)
            }
        }
        if request.before == nil { #expect(count > 0) }
    }

    /// Plays the request once for each such moment and returns how many there are.
    private func swaps(
        _ request: TillRequest, _ other: Other, before moment: Moment, isSigned: Bool = true
    ) async throws -> Int {
        var number = 1
        while true {
            let world = try await request.world()
            let otherTag = try await putAside(other, in: world)
            let hasSwapped = Guarded(false)
            let swap = { @Sendable () async throws(ReaderError) in
                try await world.reader.change { $0.put([otherTag.uid]) }
                hasSwapped.withLock { $0 = true }
            }
            let swapper =
                switch moment {
                case .frame:
                    InterposedReader(
                        world.reader, answer: InterposedReader.before(frame: number, swap))
                // The first selection is the one that finds the card.
                case .selection:
                    InterposedReader(
                        world.reader, select: InterposedReader.before(selection: number + 1, swap))
                }
            let reader =
                isSigned ? swapper : InterposedReader(swapper, answer: InterposedReader.unsigned)
            let said = await outcome { () throws(TapcardError) in
                try await request.perform(at: world.station(reader: reader))
            }
            guard hasSwapped.withLock({ $0 }) else { return number - 1 }
            let label: Comment = "\(request), swapped before \(moment) \(number)"
            #expect(try await world.reader.change { $0.tag(otherTag.uid) } == otherTag, label)
            let operation = try await request.operation(in: world)
            if said.isSuccess { #expect(operation?.state == .committed, label) }

            try await world.putBack()
            if operation != nil {
                #expect(try await world.station.read().problem == nil, label)
                try await world.expectResolved(label)
            }
            let state = try await request.operation(in: world)?.state
            try await request.expectDone(state == .committed, in: world, label)
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
