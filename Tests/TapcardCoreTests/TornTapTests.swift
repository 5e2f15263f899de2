import CardImage
import Ledger
import SimulatedField
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

    @Test("settles at the next tap", arguments: Type2Chip.known, Deed.allCases)
    func settles(_ chip: Type2Chip, _ deed: Deed) async throws {
        for way in TornTapTests.ways {
            var write = 1
            while try await interrupt(deed, on: chip, at: write, way) { write += 1 }
            #expect(write > 4, "no WRITE of a record was interrupted")
        }
    }

    /// False when the deed had fewer WRITEs than that.
    private func interrupt(
        _ deed: Deed, on chip: Type2Chip, at write: Int, _ way: Fault.Kind
    ) async throws -> Bool {
        let world = try await deed.world(on: chip)
        try await world.arm(Fault(at: write, counting: .write, way))
        let said = await outcome { () throws(TapcardError) in
            try await deed.perform(at: world.station)
        }
        if try await world.isArmed() { return false }
        let label: Comment = "\(deed) on \(chip.name), WRITE \(write), \(way)"
        try await expectNoMixedBalance(deed, in: world, label)
        try await world.putBack()

        let reading = try await world.station.read()
        #expect(reading.seal == .valid && reading.problem == nil, label)
        try await world.expectSettled(label)
        let operation = try #require(try await deed.operation(in: world), label)
        try await deed.expectDone(operation.state == .committed, in: world, label)
        if said.isSuccess { #expect(operation.state == .committed, label) }

        let again = try await world.station.read()
        #expect(again.display == .current && again.balance == reading.balance, label)
        return true
    }

    /// Whatever a phone reads meanwhile is the old balance, the new one or none at all.
    private func expectNoMixedBalance(
        _ deed: Deed, in world: World, _ label: Comment
    ) async throws {
        guard let balance = try await world.tag().content.face?.balance else { return }
        #expect(
            [deed.before, deed == .adopt ? 1_250 : deed.after].contains(balance.minorUnits), label)
    }
}
