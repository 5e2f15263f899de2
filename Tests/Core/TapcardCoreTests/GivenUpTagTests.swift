import CardCryptography
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TestSupport
import Testing

/// Tags with the issuer's password that a ledger has given up or never knew.
@Suite("Protection of a tag that was given up")
struct GivenUpTagTests {
    static let ways: [Fault.Kind] = [
        .pulledAfter, .garbled, .late, .refused(0), .torn(.unchanged), .torn(.new), .torn(.zero),
        .torn(.mix(seed: 3)),
    ]
    static let fewWays: [Fault.Kind] = [.torn(.new), .torn(.zero), .torn(.unchanged)]

    /// Made once for all schedules, because it takes three taps.
    private static let given = Task {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        _ = try await world.station.close(id: World.id(2))
        _ = try await world.station.format(overwriting: true)
        return (tag: try await world.tag(), ledger: world.tables)
    }

    /// A tag that asks for the issuer's password and that its ledger has given up or never knew.
    private static func givenUp(isKnown: Bool) async throws -> World {
        let (tag, ledger) = try await given.value
        return World(
            Simulation([tag], onReader: [tag.uid]),
            ledger: isKnown ? TableLedger(ledger) : TableLedger())
    }

    @Test(
        "Protection can be removed and set again, however often its removal is interrupted",
        .checkOnly,
        arguments: [true, false], fewWays)
    func givenUp(_ isKnown: Bool, _ second: Fault.Kind) async throws {
        var schedules = 0
        for first in Self.ways {
            var firstFrame = 1
            while true {
                var secondFrame = 1
                var due = 2
                while due == 2 {
                    due = try await release(
                        isKnown, Fault(at: firstFrame, counting: .frame, first),
                        Fault(at: secondFrame, counting: .frame, second))
                    secondFrame += 1
                    schedules += 1
                }
                if due == 0 { break }
                firstFrame += 1
            }
        }
        #expect(schedules > 300)
    }

    /// Unprotects under each fault, then issues a protected card; returns how many faults came due.
    private func release(
        _ isKnown: Bool, _ first: Fault, _ second: Fault
    ) async throws -> Int {
        let world = try await Self.givenUp(isKnown: isKnown)
        let weak = InterposedReader(world.reader)
        let station = world.station(reader: weak)
        let label: Comment = "\(isKnown ? "known" : "unknown"): \(first), then \(second)"
        var due = 0
        for fault in [first, second] {
            try await world.arm(fault)
            let said = await outcome { () throws(TapcardError) in
                try await station.unprotect(id: World.id(3))
            }
            let isDue = try await !world.isArmed()
            if isDue { due += 1 }
            if said.error == .refusal(.wrongState) {
                // Said only where it is so, and stays so.
                for tag in [try await world.tag(), try await world.tag().decayed(weak.weakPages)] {
                    #expect(tag[0x29][3] == 0xFF, label)
                }
            }
            try await world.putBack()
            try await world.expectOpens(label, decayed: weak.weakPages)
            if !isDue { break }
        }
        guard due > 0 else { return 0 }
        // What is weak shows what it likes.
        try await world.put(try await world.tag().decayed(weak.weakPages))
        _ = await outcome { () throws(TapcardError) in
            try await station.unprotect(id: World.id(3))
        }
        try await issueAgain(world, station, label)
        try await world.put(try await world.tag().decayed(weak.weakPages))
        #expect(try await station.read().problem == nil, label)
        try await world.expectResolved(label)
        return due
    }

    private func issueAgain(
        _ world: World, _ station: Station, _ label: Comment
    ) async throws {
        let summary = try await station.make(
            CardRequest(
                .issue(try World.holder("Bob"), World.usd(700), hasScratchCard: true),
                mayReissue: true, mayOverwrite: true, protects: true), id: World.id(4))
        #expect(summary.protection == .on(keyID: 1), label)
    }

    @Test(
        "An interrupted removal of protection does not harm the next card on the tag", .checkOnly,
        arguments: [true, false], fewWays)
    func reissuedAtOnce(_ isKnown: Bool, _ second: Fault.Kind) async throws {
        for first in Self.ways {
            var frame = 1
            while true {
                var secondFrame = 1
                var isDue = true
                while isDue {
                    let world = try await Self.givenUp(isKnown: isKnown)
                    let weak = InterposedReader(world.reader)
                    let station = world.station(reader: weak)
                    let label: Comment = "frame \(frame) \(first), then \(secondFrame) \(second)"
                    try await world.arm(Fault(at: frame, counting: .frame, first))
                    _ = try? await station.unprotect(id: World.id(3))
                    if try await world.isArmed() { break }
                    try await world.putBack()
                    try await world.arm(Fault(at: secondFrame, counting: .frame, second))
                    _ = try? await issueAgain(world, station, label)
                    isDue = try await !world.isArmed()
                    try await world.putBack()
                    try await world.put(try await world.tag().decayed(weak.weakPages))
                    try await world.expectOpens(label, decayed: [])
                    _ = try? await station.unprotect(id: World.id(5))
                    try await issueAgainOrRead(world, station, label)
                    secondFrame += 1
                }
                if secondFrame == 1 { break }
                frame += 1
            }
            #expect(frame > 5)
        }
    }

    /// Issues the card again unless the interrupted tap has made it, and expects it to be resolved.
    private func issueAgainOrRead(
        _ world: World, _ station: Station, _ label: Comment
    ) async throws {
        if try await world.ledger.operation(World.id(4)) == nil {
            try await issueAgain(world, station, label)
        } else {
            #expect(try await station.read().problem == nil, label)
        }
        try await world.expectResolved(label)
    }

    @Test("Protection begun on a card since replaced can be removed, and its tag used again")
    func replaced() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        try await world.arm(Fault(at: 10, counting: .write, .torn(.zero)))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.protect(id: World.id(2))
        }
        #expect(try await world.card().protection == .switchingOn(keyID: 1))
        let honest = try await world.tag()
        try await world.put(try World.otherTag())
        _ = try await world.station.make(CardRequest(.replace(uid)), id: World.id(3))
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        try await world.put(honest)
        _ = try await world.station.format(overwriting: true)
        #expect(try await !world.station.unprotect(id: World.id(4)).isProtected)
        #expect(try await world.card().protection == .off)
        try await world.issue(700, name: "Bob", mayReissue: true, id: 5)
        _ = try await world.station.pay(World.usd(100), id: World.id(6))
        #expect(try await world.card().protection == .off)
        try await world.expectResolved()
    }

    @Test("A new card is protected although unprotecting the last one was interrupted")
    func reissuedWhileUnprotecting() async throws {
        for write in 1... {
            let world = World(try World.blank())
            try await world.issue(2_000, protects: true)
            _ = try await world.station.close(id: World.id(2))
            try await world.arm(Fault(at: write, counting: .write, .torn(.zero)))
            _ = try? await world.station.unprotect(id: World.id(3))
            guard try await !world.isArmed() else {
                #expect(write > 7)
                return
            }
            try await world.putBack()
            _ = try await world.station.format(overwriting: true)
            try await world.issue(700, mayReissue: true, protects: true, id: 4)
            #expect(try await world.card().protection == .on(keyID: 1), "WRITE \(write)")
            try await world.expectResolved("WRITE \(write)")
        }
    }
}

extension World {
    /// Expects that the issuer's keys open this tag, whatever its weak pages show: it asks for no
    /// password or for the issuer's. PACK is not checked, because it opens nothing.
    fileprivate func expectOpens(_ label: Comment, decayed weak: Set<UInt8>) async throws {
        let memory = try await tag()
        let own = try password(1, of: memory.uid)
        for tag in [memory, memory.decayed(weak)] {
            #expect(tag[0x2A][0] & 0x47 == 0, label)
            let asks = Int(tag[0x29][3]) < tag.chip.pageCount
            #expect(!asks || tag[0x2B].bytes == own.password, label)
        }
    }
}
