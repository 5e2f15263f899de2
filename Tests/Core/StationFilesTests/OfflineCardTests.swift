import CardCryptography
import Cards
import Ledger
import SimulatedReader
import StationFiles
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A card whose offline payments are not booked is pulled away, copied, and restored to an old
/// image.
@Suite("A card with offline payments") struct OfflineCardTests {
    /// The faults of one frame or command.
    private static let faults: [Fault.Kind] = [
        .lost, .acknowledgeLost, .pulledAfter, .garbled, .late, .refused(0),
    ]

    @Test(
        "An interrupted offline payment counts only if it was confirmed, and only once",
        arguments: TestIssuer.chips)
    func disturbed(_ chip: Chip) async throws {
        let whole = try await TestIssuer(chip)
        let first = await whole.reader.frameCount
        _ = try await whole.till().pay(100, id: 1)
        let frames = await whole.reader.frameCount - first
        #expect(frames > 0)
        var told: [Bool: Int] = [:]
        for place in 1...frames {
            // Syncing the files takes longer than all else: one till for all faults.
            let issuer = try await TestIssuer(chip)
            let till = try await issuer.till()
            let before = try await issuer.reader.change { $0.contents }
            let writes = await issuer.reader.writeCount
            for (paid, kind) in Self.faults.enumerated() {
                let fault = Fault(at: place, counting: .frame, kind)
                try await issuer.reader.change { $0.fault = fault }
                let isTold = (try? await till.pay(10, id: paid)) != nil
                let words: Comment = "\(kind) at \(place)"
                #expect(try await issuer.reader.change { $0.fault } == nil, words)
                #expect(try till.status()?.payments == paid + (isTold ? 1 : 0), words)
                #expect(await issuer.reader.writeCount == writes, words)
                #expect(try await issuer.reader.change { $0.contents } == before, words)
                try await issuer.putBack()
                #expect(try await till.pay(10, id: paid).isReplayed == isTold, words)
                told[isTold, default: 0] += 1
            }
            let count = Int64(Self.faults.count)
            #expect(try await till.book()?.amount == 10 * count)
            #expect(try await issuer.balance() == 1_000 - 10 * count)
        }
        // Some were told "not paid", and some were read again within the same tap.
        #expect(told[false] != nil && told[true] != nil)
    }

    /// The loss is within the limit of a card, and the issuer bears it.
    @Test(
        "Spending an old image of a card costs at most its limit and is detected",
        arguments: TestIssuer.chips)
    func oldImage(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        let old = try await issuer.reader.change { $0 }
        _ = try await issuer.station.pay(.cents(700), id: .numbered(20))
        try await issuer.reader.change { $0 = old }
        // The snapshot is from before, too.
        _ = try await till.pay(900, id: 1)
        await #expect(throws: TapcardError.self) { _ = try await till.pay(101, id: 2) }
        let booked = try #require(try await till.book())
        #expect(booked.amount == 900 && booked.shortfall == 600)
        #expect(try await issuer.balance() == 0)
        #expect(try await issuer.station.read().seal == .rolledBack)
        let refused = await #expect(throws: TapcardError.self) {
            _ = try await issuer.station.pay(.cents(1), id: .numbered(21))
        }
        #expect(refused?.kind == .rolledBack && refused?.result.exitStatus == 7)
        #expect(try await issuer.ledger.audit().violations == [])
    }

    @Test("A card sealed under a retired key cannot pay offline", arguments: TestIssuer.chips)
    func retiredKey(_ chip: Chip) async throws {
        let rotated = try TestIssuer.keys.rotated(created: "2026-02-01") {
            [UInt8](repeating: 0x21, count: $0)
        }
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        // The key that seals now is another one; the card still has the old one.
        _ = try await till.pay(100, id: 1, with: rotated)
        let retired = try rotated.retiring(1)
        try await till.sync(with: retired)
        let error = await #expect(throws: TapcardError.self) {
            _ = try await till.pay(100, id: 2, with: retired)
        }
        #expect(error?.what.contains("no valid record sealed with a key in use") == true)
        #expect(try till.status()?.payments == 1)
    }

    @Test("An NTAG 424's grant covers exactly its balance once its payments are booked")
    func bookedChip() async throws {
        let issuer = try await TestIssuer(.ntag424)
        let till = try await issuer.till()
        for id in 1...3 { _ = try await till.pay(150, id: id) }
        #expect(try await till.book()?.amount == 450)
        #expect(try await issuer.left() == 1_000)
        #expect(try await issuer.station.read().balance == .cents(550))
        #expect(try await issuer.left() == 550)
        _ = try await issuer.station.pay(.cents(550), id: .numbered(9))
        #expect(try await issuer.left() == 0)
        let takings = try await issuer.ledger.read { rows throws(LedgerError) in
            try rows.balance(of: .takings)
        }
        #expect(takings == 1_000)
        #expect(try await issuer.ledger.audit().violations == [])
    }

    /// Another issuer has other keys under the same versions. A wrong key is tried twice per tap.
    @Test("A chip with the card's number but other keys is refused as a copy")
    func clone() async throws {
        let issuer = try await TestIssuer(.ntag424)
        let till = try await issuer.till()
        let honest = try await issuer.reader.change { $0 }
        let thief = try await TestIssuer(
            .ntag424, KeyRing.fresh(created: "2026-01-01") { [UInt8](repeating: 7, count: $0) })
        let clone = try await thief.reader.change { $0 }
        try await issuer.reader.change { $0 = clone }
        for tap in 1...3 {
            let error = await #expect(throws: TapcardError.self) {
                _ = try await till.pay(100, id: 1)
            }
            #expect(error?.kind == .copied && error?.result.exitStatus == 7)
            let chip = try await issuer.reader.change { $0.chips[0] }
            #expect(chip[.three].failures == UInt16(2 * tap))
        }
        // One from the factory, which every phone can read and write.
        let blank = try TestIssuer.blank(.ntag424)
        try await issuer.reader.change { $0 = blank }
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 1) }
        #expect(error?.kind == .copied && error?.result.exitStatus == 7)
        #expect(try till.status()?.payments == 0)
        try await issuer.reader.change { $0 = honest }
        #expect(try await till.pay(100, id: 1).balance == .cents(900))
    }

    @Test(
        "A card of another issuer, or one missing from the snapshot, cannot pay offline",
        arguments: TestIssuer.chips)
    func unknown(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try issuer.tillWithoutSnapshot()
        try await till.sync(at: InMemoryLedger(currency: .usd))
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 1) }
        #expect(error?.kind == .ledgerOffline && error?.result.exitStatus == 9)
        #expect(error?.what.contains("not in the snapshot") == true)
        // Its own issuer's keys do not open it, and nothing says that it is one of ours.
        let other = try await TestIssuer(
            chip, KeyRing.fresh(created: "2026-01-01") { [UInt8](repeating: 7, count: $0) })
        let foreign = try await other.reader.change { $0 }
        try await issuer.reader.change { $0 = foreign }
        let refused = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 2) }
        #expect(refused?.kind == (chip == .ntag424 ? .keyMissing : .ledgerOffline))
        #expect(try till.status()?.payments == 0)
    }
}

extension TestIssuer {
    /// Puts the card back on the reader.
    fileprivate func putBack() async throws {
        try await reader.change { $0.put([CardUID.first.bytes]) }
        await reader.release()
    }

    /// The money granted to the chip minus what its newest state says was spent.
    fileprivate func left() async throws -> Int64 {
        let chip = try await reader.change { $0.chips[0] }
        let masters = TestIssuer.keys.sealing.masters
        let selling = SellingKey(of: chip.uid, from: masters, .usd)
        let at = AddressFile.placeholder.grantAt
        let grant = try #require(
            Grant(Array(chip[.ndef].bytes[at..<(at + Grant.byteCount)]), for: selling))
        let known = try #require(try await ledger.knownCard(of: chip.uid))
        let slots = try #require(NTAG424Slots(chip[.data].bytes))
        return grant.granted - slots.spent(at: known.issued[known.card.confirmed]?.bytes)
    }
}
