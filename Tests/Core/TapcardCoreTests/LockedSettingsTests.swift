import CardCryptography
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TestSupport
import Testing

/// Somebody locks the settings of a tag whose protection is half switched. It stays as it is for
/// good, no operation remains open, and the card can still be used.
@Suite("Settings locked during a switch of protection")
struct LockedSettingsTests {
    @Test(
        "Locked settings end an interrupted switch of protection, and the card still pays",
        arguments: Thoroughness.some(Type2Chip.known, of: 3),
        [TillRequest.protect, .unprotect, .issueProtected])
    func everyWrite(_ chip: Type2Chip, _ request: TillRequest) async throws {
        var ends: Set<String> = []
        for way in Fault.Kind.endsOfWrite {
            for decays in [false, true] {
                var write = 1
                while let end = try await lock(request, on: chip, at: write, way, decays) {
                    ends.insert(end)
                    write += 1
                }
                #expect(write > 7, "too few WRITEs were disturbed")
            }
        }
        let both = request == .issueProtected ? ["committed"] : ["committed", "voided"]
        #expect(ends.subtracting(["nothing"]) == Set(both))
    }

    /// How the request ended, or nil if it had fewer WRITEs. `decays` says whether pages that were
    /// not acknowledged lose their bits before the settings are locked; afterwards they always do.
    private func lock(
        _ request: TillRequest, on chip: Type2Chip, at write: Int, _ way: Fault.Kind, _ decays: Bool
    ) async throws -> String? {
        let world = try await request.world(on: chip)
        let weak = InterposedReader(world.reader)
        let station = world.station(reader: weak)
        try await world.arm(Fault(at: write, counting: .write, way))
        _ = await outcome { () throws(TapcardError) in try await request.perform(at: station) }
        if try await world.isArmed() { return nil }
        let label: Comment = "\(request) on \(chip.name), WRITE \(write), \(way), \(decays)"
        try await world.putBack()
        guard try await request.operation(in: world) != nil else { return "nothing" }
        if decays { try await world.put(try await world.tag().decayed(weak.weakPages)) }
        try await world.lockSettings()

        let summary = try await station.read()
        #expect(summary.problem == nil && summary.seal == .valid, label)
        try await world.expectAsItIs(label)
        let ended = try #require(try await request.operation(in: world), label)
        let cfg0 = try await world.tag()[try #require(chip.configurationPage)]
        switch request {
        case .protect: #expect((ended.state == .committed) == (cfg0[3] == 0x02), label)
        case .unprotect:
            let asks = Int(cfg0[3]) < chip.pageCount
            #expect((ended.state == .voided) == asks, label)
        default: #expect(ended.state == .committed, label)
        }
        let balance = try #require(try await world.balance())
        _ = try await station.pay(World.usd(100), id: World.id(20))
        // AUTH0 may have been weak all the time: the tag asks, or asks no more, all of a sudden.
        try await world.put(try await world.tag().decayed(weak.weakPages))
        _ = try await station.pay(World.usd(100), id: World.id(21))
        #expect(try await world.balance() == balance - 200, label)
        #expect(try await world.ledger.audit().open == 0, label)
        return ended.state.rawValue
    }

    @Test("A repeated switch of protection reports the locked settings and its outcome")
    func named() async throws {
        for request in [TillRequest.protect, .unprotect] {
            for isSameRequest in [true, false] {
                let world = try await halfSwitched(request)
                try await world.lockSettings()
                let said = await outcome { () throws(TapcardError) in
                    if isSameRequest { return try await request.perform(at: world.station) }
                    _ =
                        request == .protect
                        ? try await world.station.protect(id: World.id(8))
                        : try await world.station.unprotect(id: World.id(8))
                }
                guard case .failure(let error) = said else {
                    Issue.record("\(request): not refused")
                    continue
                }
                #expect(error.kind == .lockedTag && error.result.exitStatus == 4)
                #expect(
                    error.what.contains("\(request.kind.noun)") && error.what.contains("voided"))
                #expect(error.meaning.contains("the card can still be used"))
                #expect(error.next == [.trust(.useAsItIs)])
                try await world.expectAsItIs("\(request)")
                // From now on it is an old story.
                await expectRefused(.lockedTag, exit: 4) { () throws(TapcardError) in
                    request == .protect
                        ? try await world.station.protect(id: World.id(9))
                        : try await world.station.unprotect(id: World.id(9))
                }
                await expectRefused(.operationVoided, exit: 4) { () throws(TapcardError) in
                    try await request.perform(at: world.station)
                }
            }
        }
    }

    @Test("Reading a card with locked settings ends its open switch of protection and reports it")
    func read() async throws {
        let world = try await halfSwitched(.unprotect)
        try await world.lockSettings()
        let summary = try await world.station.read()
        #expect(summary.resolved.map(\.operation.kind) == [.unprotect])
        #expect(summary.resolved.map(\.isDone) == [false])
        #expect(summary.protection == .on(keyID: 1))
        #expect(try await world.station.read().resolved == [])
    }

    @Test("A card with locked settings can be reissued")
    func reissued() async throws {
        let world = try await halfSwitched(.unprotect)
        try await world.lockSettings()
        _ = try await world.station.close(id: World.id(9))
        try await world.issue(700, name: "Bob", mayReissue: true, id: 10)
        #expect(try await world.card().protection == .on(keyID: 1))
        _ = try await world.station.pay(World.usd(100), id: World.id(11))
        #expect(try await world.balance() == 600)
    }

    @Test("Locked settings do not keep an abandoned switch of protection from ending")
    func givenUp() async throws {
        let world = try await halfSwitched(.protect)
        let uid = try await world.uid()
        let noted = try await world.card().protection
        try await world.lockSettings()
        _ = try await world.station.read()
        // As if the card had been made again: nothing is open, but the switching is not done.
        #expect(
            try await world.ledger.recordProtection(
                of: uid, noted, insteadOf: try await world.card().protection))
        let summary = try await world.station.read()
        #expect(summary.problem == nil)
        try await world.expectAsItIs("given up")
    }

    /// A world where the request was interrupted as it wrote AUTH0, which is unchanged.
    private func halfSwitched(_ request: TillRequest) async throws -> World {
        let world = try await request.world()
        // A protecting writes CFG1, PACK, PWD, PACK and CFG1 in front of it.
        let write = request == .protect ? 10 : 5
        try await world.arm(Fault(at: write, counting: .write, .torn(.unchanged)))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await request.perform(at: world.station)
        }
        try await world.putBack()
        return world
    }
}

extension World {
    /// Sets CFGLCK, so that the settings can never be written again.
    fileprivate func lockSettings() async throws {
        try await alter { tag in
            if let first = tag.chip.configurationPage { tag[first + 1][0] |= 0x40 }
        }
    }

    /// Expects that nothing is open and that the ledger agrees with the tag's settings.
    fileprivate func expectAsItIs(_ label: Comment) async throws {
        let tag = try await tag()
        let first = try #require(tag.chip.configurationPage)
        let asks = Int(tag[first][3]) < tag.chip.pageCount
        #expect(try await card().protection == (asks ? .on(keyID: 1) : .off), label)
        if asks { #expect(tag[first + 2].bytes == (try password(1, of: tag.uid)).password, label) }
        let audit = try await ledger.audit()
        #expect(audit.open == 0 && audit.violations == [], label)
    }
}
