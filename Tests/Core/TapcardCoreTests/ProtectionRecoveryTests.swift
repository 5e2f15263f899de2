import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Ledger and tag can disagree on protection after a restored backup, because of another station
/// with the issuer's keys, or because of a copy.
@Suite("Disagreements between ledger and tag on protection")
struct ProtectionRecoveryTests {
    enum Since: CaseIterable, Sendable {
        case nothing, finished, finishedAndPaid, finishedAndBack
    }

    @Test(
        "A repair learns the protection after a backup from the middle of its switch",
        arguments: [TillRequest.protect, .unprotect], Since.allCases)
    func putBack(_ request: TillRequest, _ since: Since) async throws {
        for way in [Fault.Kind.torn(.zero), .torn(.new), .torn(.mix(seed: 3)), .pulledAfter] {
            for write in 1... {
                let ledger = TableLedger()
                let world = World(try World.blank(), ledger: ledger)
                try await world.issue(protects: request == .unprotect)
                try await world.arm(Fault(at: write, counting: .write, way))
                _ = try? await request.perform(at: world.station)
                guard try await !world.isArmed() else { break }
                try await world.putBack()
                let backup = ledger.tables
                try await goOn(world, request, since)
                ledger.putBack(backup)
                #expect(try await ledger.skipNumbersAfterRestore() == [])
                let label: Comment = "\(request), WRITE \(write) \(way), \(since)"
                _ = try await world.station.repair(naming: try await world.uid())
                let receipt = try await world.station.pay(World.usd(100), id: World.id(30))
                #expect(receipt.balance == World.usd(900), label)
                #expect(try await world.station.read().problem == nil, label)
                try await world.expectResolved(label)
            }
        }
    }

    private func goOn(_ world: World, _ request: TillRequest, _ since: Since) async throws {
        if since == .nothing { return }
        _ = try await world.station.read()
        switch since {
        case .nothing, .finished: break
        case .finishedAndPaid: _ = try await world.station.pay(World.usd(10), id: World.id(20))
        case .finishedAndBack:
            _ =
                request == .protect
                ? try await world.station.unprotect(id: World.id(21))
                : try await world.station.protect(id: World.id(21))
        }
    }

    @Test("A repair completes protection that is half written")
    func halfWritten() async throws {
        let ledger = TableLedger()
        let world = World(try World.blank(), ledger: ledger)
        try await world.issue()
        let backup = ledger.tables
        _ = try await world.station.protect(id: World.id(2))
        try await world.alter { $0[0x29] = Page(0x04, 0, 0, 0x12) }
        ledger.putBack(backup)
        #expect(try await ledger.skipNumbersAfterRestore() == [])
        let summary = try await world.station.repair(naming: try await world.uid())
        #expect(summary.protection == .on(keyID: 1))
        try await world.expectResolved()
    }

    @Test("Protection set by another station with the issuer's keys is learned by a payment")
    func otherStation() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        _ = try await world.station.protect(id: World.id(2))
        let noted = CardProtection.on(keyID: 1)
        #expect(try await world.ledger.recordProtection(of: uid, .off, insteadOf: noted))
        let receipt = try await world.station.pay(World.usd(100), id: World.id(3))
        #expect(receipt.balance == World.usd(900))
        #expect(try await world.card().protection == noted)
        try await world.expectResolved()
    }

    @Test("A copy without the password does not end the card's protection")
    func copied() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let honest = try await world.tag()
        try await world.alter { $0.takePasswordOff() }
        let copy = try await world.tag()
        for number: UInt64 in [2, 3, 4] {
            await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
                switch number {
                case 2: _ = try await world.station.unprotect(id: World.id(number))
                case 3: _ = try await world.station.protect(id: World.id(number))
                default: _ = try await world.station.pay(World.usd(1), id: World.id(number))
                }
            }
        }
        #expect(try await world.tag() == copy)
        #expect(try await world.card().protection == .on(keyID: 1))
        try await world.put(honest)
        _ = try await world.station.pay(World.usd(100), id: World.id(5))
        try await world.expectResolved()
        // Taken off elsewhere: an operator who names the card takes it as it is.
        try await world.alter { $0.takePasswordOff() }
        _ = try await world.station.repair(naming: try await world.uid())
        _ = try await world.station.pay(World.usd(100), id: World.id(6))
        try await world.expectResolved()
        #expect(try await world.balance() == 800)
    }

    @Test("Protection with locked settings cannot be removed, and the card still pays")
    func locked() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        try await world.alter { $0[0x2A][0] = 0x40 }
        await expectRefused(.lockedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.unprotect(id: World.id(2))
        }
        let receipt = try await world.station.pay(World.usd(100), id: World.id(3))
        #expect(receipt.balance == World.usd(900))
        #expect(try await world.ledger.audit().open == 0)
    }

    @Test("The error for a foreign password on a known card names it and suggests what helps")
    func vandal() async throws {
        let world = try await World.withCard()
        try await world.alter { $0.setPasswordOfAnother() }
        let said = await outcome { () throws(TapcardError) in
            try await world.station.add(World.usd(100), id: World.id(2))
        }
        guard case .failure(let error) = said else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.kind == .outcomeUnknown)
        #expect(error.what.contains("write-protected with an unknown password"))
        #expect(error.next.first == .file(.importKeysOrReplace))
    }

    @Test("A known card hidden by a foreign password is refused, and a replacement is suggested")
    func hidden() async throws {
        let world = try await World.withCard()
        try await world.alter { tag in
            tag[0x2A][0] = 0x80
            tag.setPasswordOfAnother(from: 0x10)
        }
        let said = await outcome { () throws(TapcardError) in try await world.station.read() }
        guard case .failure(let error) = said else {
            Issue.record("it was read")
            return
        }
        #expect(error.kind == .protectedTag && error.next.contains(.trust(.replace(nil))))
    }

    @Test("A known card's number on another chip model is refused, with a replacement suggested")
    func otherMake() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        try await world.put(try #require(TagMemory.blank(.ntag215, uid: uid.bytes)))
        let request = try CardRequest.demo(in: .usd, mayReissue: true)
        let said = await outcome { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(2))
        }
        guard case .failure(let error) = said else {
            Issue.record("it was made")
            return
        }
        #expect(error.kind == .unsupportedTag && error.next == [.trust(.replaceIfItHappensAgain)])
    }

    @Test("A card that counts wrong passwords and has a foreign one is refused and left unchanged")
    func counting() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        try await world.alter { tag in
            tag[0x2A][0] = 0x02
            tag.setPasswordOfAnother(from: nil)
        }
        let before = try await world.tag()
        for number: UInt64 in 2...5 {
            await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
                try await world.station.pay(World.usd(1), id: World.id(number))
            }
        }
        #expect(try await world.tag() == before)
    }

    @Test("Reading and repairing try no password on a card that counts wrong ones")
    func countingUnasked() async throws {
        for isOpen in [false, true] {
            let world = World(try World.blank())
            try await world.issue(protects: true)
            if isOpen {
                try await world.arm(Fault(at: 3, counting: .write, .torn(.unchanged)))
                _ = try? await world.station.pay(World.usd(1), id: World.id(2))
            }
            try await world.alter { tag in
                tag[0x2A][0] = 0x02
                tag.setPasswordOfAnother(from: nil)
                // What phones read is to be brought up to date.
                tag[0x09] = Page(0x39, 0x39, 0x2E, 0x35)
            }
            let before = try await world.tag()
            let reader = InterposedReader(world.reader)
            let station = world.station(reader: reader)
            for _ in 1...3 {
                _ = await outcome { () throws(TapcardError) in try await station.read() }
                _ = await outcome { () throws(TapcardError) in try await station.repair() }
            }
            #expect(reader.passwords.isEmpty, "\(isOpen)")
            #expect(try await world.tag() == before, "\(isOpen)")
            #expect(try await world.ledger.audit().open == (isOpen ? 1 : 0))
        }
    }

    @Test("Repeating an interrupted switch of protection completes the first one")
    func again() async throws {
        for request in [TillRequest.protect, .unprotect] {
            let world = try await request.world()
            try await world.arm(Fault(at: 7, counting: .write, .torn(.zero)))
            await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
                try await request.perform(at: world.station)
            }
            try await world.putBack()
            let change =
                request == .protect
                ? try await world.station.protect(id: World.id(9))
                : try await world.station.unprotect(id: World.id(9))
            #expect(change.isProtected == (request == .protect))
            let begun = try await request.operation(in: world)
            #expect(change.operation == begun?.id && begun?.state == .committed)
            try await world.expectResolved()
        }
    }
}
