import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A backup of the ledger was put back: the card remembers more than the ledger does.
@Suite("A card that is ahead of its ledger")
struct LedgerBehindTests {
    /// How much happened after the backup: the last of it is on the tag.
    static let paymentsSince = [1, 2, 5]

    @Test(
        "is refused until an operator decides, and is fine afterwards", arguments: paymentsSince,
        [true, false])
    func repaired(_ payments: Int, _ skips: Bool) async throws {
        let world = try await restored(after: payments, skipping: skips)
        let ahead = try await world.tag()
        await expectRefused(.ledgerBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(50))
        }
        let summary = try await world.station.read()
        #expect(summary.ledger == .behind && summary.problem?.kind == .ledgerBehind)
        await expectRefused(.ledgerBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.repair()
        }
        #expect(try await world.tag() == ahead)

        let repaired = try await world.station.repair(naming: try await world.uid())
        #expect(repaired.problem == nil && repaired.balance == World.usd(1_000))
        try await world.expectResolved()
        _ = try await world.station.pay(World.usd(100), id: World.id(51))
        #expect(try await world.balance() == 900)
        try await world.expectResolved()
    }

    @Test("is never called forged, wherever its repair is broken off", arguments: [true, false])
    func interruptedRepair(_ skips: Bool) async throws {
        var write = 1
        while true {
            let world = try await restored(after: 3, skipping: skips)
            let uid = try await world.uid()
            try await world.arm(Fault(at: write, counting: .write, .torn(.mix(seed: 5))))
            _ = try? await world.station.repair(naming: uid)
            guard try await !world.isArmed() else { break }
            try await world.putBack()
            let label: Comment = "WRITE \(write)"
            let summary = try await world.station.read()
            #expect([nil, .ledgerBehind].contains(summary.problem?.kind), label)
            let repaired = try await world.station.repair(naming: uid)
            #expect(repaired.problem == nil && repaired.balance == World.usd(1_000), label)
            try await world.expectResolved(label)
            write += 1
        }
        #expect(write > 4)
    }

    @Test("can be issued again")
    func reissued() async throws {
        let world = try await restored(after: 3, skipping: false)
        try await world.issue(500, mayReissue: true, id: 60)
        #expect(try await world.station.read().balance == World.usd(500))
        try await world.expectResolved()
    }

    @Test("with an open payment in the backup loses neither the payment nor the card")
    func openPaymentInTheBackup() async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 3, counting: .write, .lost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        #expect(try await world.ledger.skipNumbersAfterRestore() == [])
        try await world.putBack()
        let receipt = try await world.station.pay(World.usd(250), id: World.id(2))
        #expect(receipt.balance == World.usd(750))
        try await world.expectResolved()
    }

    @Test("with an open payment in the backup is refused as such when the payment is asked again")
    func openPaymentAskedAgain() async throws {
        let world = try await restored(after: 3, skipping: true) { world in
            try await world.arm(Fault(at: 1, counting: .write, .lost))
            _ = try? await world.station.pay(World.usd(250), id: World.id(2))
            try await world.putBack()
        }
        await expectRefused(.ledgerBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        _ = try await world.station.repair(naming: try await world.uid())
        await expectRefused(.operationVoided, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        try await world.expectResolved()
    }

    @Test(
        "is known to be so even where its name was forgotten since and what phones read is "
            + "torn")
    func forgottenSince() async throws {
        let lost = try await World.withCard()
        _ = try await lost.change(try await lost.uid(), .forget)
        _ = try await lost.station.pay(World.usd(10), id: World.id(11))
        var tag = try await lost.tag()
        for page in try tag.layout.ndefPages { tag[page] = .zero }
        tag[4] = Page(0x03, 0x00, 0xFE, 0x00)
        let world = try await World.withCard()
        #expect(try await world.ledger.skipNumbersAfterRestore() == [])
        try await world.put(tag)
        await expectRefused(.ledgerBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(50))
        }
    }

    @Test("and repaired is up to date: what it held before is an old state")
    func oldImageAfterRepair() async throws {
        let world = try await restored(after: 3, skipping: true)
        let ahead = try await world.tag()
        _ = try await world.station.repair(naming: try await world.uid())
        try await world.put(ahead)
        await expectRefused(.rolledBack, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(50))
        }
    }

    @Test("of which all numbers are used up is told so, and its balance moves to a new tag")
    func numbersExhausted() async throws {
        let world = try await World.withCard()
        for _ in 1...254 { #expect(try await world.ledger.skipNumbersAfterRestore() == []) }
        let uid = try await world.uid()
        #expect(try await world.ledger.skipNumbersAfterRestore() == [])
        #expect(try await world.ledger.skipNumbersAfterRestore() == [uid])
        await expectRefused(.refusal(.numbersExhausted), exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(2))
        }
        #expect(try await world.station.read().balance == World.usd(1_000))
        try await world.put(try World.otherTag())
        let summary = try await world.station.make(CardRequest(.replace(uid)), id: World.id(3))
        #expect(summary.balance == World.usd(1_000))
    }

    /// The ledger as it was after the card was issued, with a tag that went on since.
    private func restored(
        after payments: Int, skipping: Bool, _ before: (World) async throws -> Void = { _ in }
    ) async throws -> World {
        let lost = try await World.withCard()
        try await before(lost)
        for number in 1...payments {
            _ = try await lost.station.pay(World.usd(10), id: World.id(UInt64(10 + number)))
        }
        // The same beginnings with the same clock and chance make the same ledger.
        let world = try await World.withCard()
        try await before(world)
        if skipping { #expect(try await world.ledger.skipNumbersAfterRestore() == []) }
        try await world.put(try await lost.tag())
        return world
    }
}
