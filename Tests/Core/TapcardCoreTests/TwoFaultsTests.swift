import FaultyWorld
import Ledger
import SimulatedReader
import Tags
import TestSupport
import Testing

/// A payment is torn at any WRITE, and so is the reading that was to resolve it. Pages that were
/// not acknowledged may lose their bits at any later moment. `FaultEnumerator` tries two torn taps
/// of the same request, followed by another one.
@Suite("Two interrupted taps in a row")
struct TwoFaultsTests {
    static let ways: [Fault.Kind] = [
        .lost, .acknowledgeLost, .torn(.zero), .torn(.mix(seed: 7)), .torn(.lowestOnes(3)),
        .torn(.erasedToHighestOnes(3)),
    ]

    @Test(
        "A payment and a reading that are both interrupted are resolved by the third tap",
        .checkOnly, arguments: ways)
    func resolve(_ first: Fault.Kind) async throws {
        let request = try await PlayedRequest("pay")
        let pay = request.stationRequest
        let writes = request.whole.writes
        #expect(writes.count == 8, "not every WRITE of a payment was torn")
        var schedules = 0
        for write in writes {
            let torn = await request.tap([write: .radio(first)])
            #expect(await torn.violations + torn.world.broken() == [])
            for second in await Tap.play(.read, in: torn.world).writes {
                for way in Self.ways {
                    let tap = await Tap.play(
                        .read, in: torn.world, mishaps: [second: .radio(way)])
                    let label: Comment = "\(first) at \(write), then \(way) at \(second)"
                    #expect(await tap.violations + tap.world.broken() == [], label)
                    // I11 and I8 with the weak pages as they are, and once they have turned bad.
                    for world in [tap.world] + tap.world.decays {
                        try await expectThirdTap(pay, in: world, isPaid: torn.isDone, label)
                    }
                    schedules += 1
                }
            }
        }
        #expect(schedules > 300, "too few schedules were played")
    }

    private func expectThirdTap(
        _ pay: StationRequest, in world: RestingWorld, isPaid: Bool, _ label: Comment
    ) async throws {
        let (resolved, violations) = await world.resolving()
        #expect(violations == [], label)
        for world in [resolved] + resolved.decays {
            #expect(await world.resolving().violations == [], label)
            #expect(await world.askingAgain(pay) == [], label)
        }
        let isCommitted = pay.operation(in: resolved.ledger)?.state == .committed
        #expect(isCommitted || !isPaid, label)
    }
}
