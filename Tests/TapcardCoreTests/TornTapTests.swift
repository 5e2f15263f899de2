import Ledger
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// Power lost during the n-th WRITE, for every n and every way a page can be left: the next tap
/// settles it, and the card and the ledger agree on the old balance or the new one.
@Suite("A card pulled while it is written")
struct TornTapTests {
    static let ways: [Fault.Kind] =
        [.lost, .acknowledgeLost, .pulledAfter, .garbled, .refused(0)]
        + [TornPage.unchanged, .new, .zero, .mix(seed: 1), .mix(seed: 2), .mix(seed: 3)]
        .map(Fault.Kind.torn)

    /// What can be interrupted, and what it may leave on the card.
    enum Change: CaseIterable, Sendable {
        case pay, add, scratch, issue, close
    }

    @Test("settles at the next tap", arguments: Type2Chip.known, Change.allCases)
    func settles(_ chip: Type2Chip, _ change: Change) async throws {
        for way in TornTapTests.ways {
            var write = 1
            while try await interrupt(change, on: chip, at: write, way) { write += 1 }
            #expect(write > 4, "no WRITE of a record was interrupted")
        }
    }

    /// False when the change had fewer WRITEs than that.
    private func interrupt(
        _ change: Change, on chip: Type2Chip, at write: Int, _ way: Fault.Kind
    ) async throws -> Bool {
        let world = World(try World.blank(chip))
        if change != .issue { try await world.issue() }
        try await world.arm(Fault(at: write, counting: .write, way))
        let wasSaid = await succeeds(change, in: world)
        let isArmed = try await world.reader.change { $0.fault != nil }
        if isArmed { return false }
        try await world.putBack()
        let label: Comment = "\(change) on \(chip.name), WRITE \(write), \(way)"

        let reading = try await world.station.read()
        #expect(reading.seal == .valid && reading.problem == nil, label)
        #expect(reading.ledger == .known || change == .close || change == .issue, label)
        let audit = try await world.ledger.audit()
        #expect(audit.violations.isEmpty && audit.open == 0, label)
        let uid = try await world.uid()
        let view = try #require(try await world.ledger.view(of: uid), label)
        #expect(reading.balance == view.balance, label)
        let old: Int64 = change == .issue ? 700 : 1_000
        let new: [Change: Int64] = [.pay: 750, .add: 1_200, .scratch: 1_000, .issue: 700, .close: 0]
        let final = try #require(reading.balance).minorUnits
        #expect(final == old || final == new[change], label)
        if wasSaid { #expect(final == new[change], label) }
        if change == .add || change == .scratch { #expect(final == new[change], label) }
        if change == .scratch { #expect(reading.scratch.code != nil, label) }

        let again = try await world.station.read()
        #expect(again.display == .current && again.balance == reading.balance, label)
        #expect(again.sequence == view.card.confirmed, label)
        return true
    }

    private func succeeds(_ change: Change, in world: World) async -> Bool {
        do {
            switch change {
            case .pay: _ = try await world.station.pay(World.usd(250), id: World.id(7))
            case .add: _ = try await world.station.add(World.usd(200), id: World.id(7))
            case .scratch: _ = try await world.station.scratch(id: World.id(7))
            case .issue: try await world.issue(700)
            case .close: _ = try await world.station.close(id: World.id(7))
            }
            return true
        } catch {
            return false
        }
    }
}
