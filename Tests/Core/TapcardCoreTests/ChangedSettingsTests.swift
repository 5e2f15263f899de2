import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The settings were changed by somebody with the password, or before there was one.
@Suite("Changed settings on a tag")
struct ChangedSettingsTests {
    @Test(
        "Changed settings of a protected card are corrected when its protection is switched",
        arguments: [0x2B, 0xFF, 0x10] as [UInt8], [0x80, 0x00] as [UInt8])
    func halfOff(_ first: UInt8, _ access: UInt8) async throws {
        for isWanted in [true, false] {
            let world = World(try World.blank())
            try await world.issue(protects: true)
            try await world.alter { tag in
                tag[0x29][3] = first
                // Only the settings themselves can be hidden and the card still be read.
                tag[0x2A][0] = first == 0x10 ? 0 : access
            }
            let change =
                isWanted
                ? try await world.station.protect(id: World.id(3))
                : try await world.station.unprotect(id: World.id(3))
            #expect(change.isProtected == isWanted)
            let label: Comment = "AUTH0 \(first), ACCESS \(access), protected: \(isWanted)"
            #expect(try await world.card().protection == (isWanted ? .on(keyID: 1) : .off), label)
            if isWanted { #expect(try await world.tag()[0x2A][0] == 0, label) }
            _ = try await world.station.pay(World.usd(100), id: World.id(4))
            #expect(try await world.balance() == 900, label)
            try await world.expectResolved(label)
        }
    }

    @Test(
        "The next payment restores the changed settings of a protected card",
        arguments: [0x2B, 0xFF, 0x04])
    func setBack(_ first: Int) async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        try await world.alter { $0[0x29][3] = UInt8(first) }
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        #expect(try await world.balance() == 900)
        // Page 29h again asks for the password from the first page that can be written.
        try await world.expectResolved()
    }

    @Test("A card that counts wrong passwords is refused without being sent one")
    func counting() async throws {
        for isWanted in [true, false] {
            let world = World(try World.blank())
            try await world.issue(protects: true)
            try await world.alter { $0[0x2A][0] = 0x83 }
            try await world.alter { $0[0x29][3] = 0x2B }
            let before = try await world.tag()
            let reader = InterposedReader(world.reader)
            let station = world.station(reader: reader)
            await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
                isWanted
                    ? try await station.protect(id: World.id(2))
                    : try await station.unprotect(id: World.id(2))
            }
            #expect(reader.passwords.isEmpty)
            #expect(try await world.tag() == before)
            #expect(try await world.card().protection == .on(keyID: 1))
        }
    }

    @Test(
        "Settings that cannot be read stop a request before it begins",
        arguments: [0x02, 0x10, 0x28] as [UInt8], [TillRequest.pay, .unprotect])
    func hidden(_ first: UInt8, _ request: TillRequest) async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        try await world.alter { tag in
            tag[0x29][3] = first
            tag[0x2A][0] = 0x80
        }
        let reader = InterposedReader(world.reader)
        let said = await outcome { () throws(TapcardError) in
            try await request.perform(at: world.station(reader: reader))
        }
        guard case .failure(let error) = said else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.kind == .protectedTag && error.next == [.trust(.replace(nil))])
        #expect(reader.passwords.isEmpty)
        #expect(try await world.operations().count == 1)
    }

    @Test(
        "A limit that may be weakly written is written again before a password is sent",
        arguments: [Fault.Kind.acknowledgeLost, .torn(.new), .torn(.zero)])
    func weakLimit(_ way: Fault.Kind) async throws {
        let world = try await World.withCard()
        try await world.alter { $0[0x2A] = Page(0x07, 5, 0, 0) }
        // Four pages of the record come first.
        try await world.arm(Fault(at: 5, counting: .write, way))
        _ = await outcome { () throws(TapcardError) in
            try await world.station.protect(id: World.id(2))
        }
        #expect(try await !world.isArmed())
        let weak = try await world.tag()[0x2A]
        #expect(weak[0] & 0x07 == 0, "it reads as if it had no limit")
        try await world.putBack()
        let reader = InterposedReader(world.reader)
        _ = try await world.station(reader: reader).read()
        let frames = reader.exchanges.map(\.frame)
        let relieving = try #require(
            frames.firstIndex(of: Type2Command.write(0x2A, weak).frame))
        let asked = try #require(frames.firstIndex { $0.first == 0x1B })
        #expect(relieving < asked)
        try await world.expectResolved()
    }

    @Test("A tag that mirrors its number or counter is refused before a card is made")
    func mirrored() async throws {
        let world = World(try World.blank())
        try await world.alter { $0[0x29] = Page(0x44, 0, 0x06, 0xFF) }
        let before = try await world.tag()
        for protects in [true, false] {
            let request = try CardRequest.demo(in: .usd, mayOverwrite: true, protects: protects)
            await expectRefused(.unsupportedTag, exit: 4) { () throws(TapcardError) in
                try await world.station.make(request, id: World.id(1))
            }
        }
        #expect(try await world.tag() == before)
        #expect(try await world.operations().isEmpty)
        #expect(try await world.station.tagInfo().configuration?.mirrorPage == 0x06)
        // Without MIRROR_CONF, or before the user pages, there is none.
        for cfg0 in [Page(0x04, 0, 0x06, 0xFF), Page(0xC4, 0, 0x03, 0xFF)] {
            try await world.alter { $0[0x29] = cfg0 }
            #expect(try await world.station.tagInfo().configuration?.mirrorPage == nil)
        }
    }

    @Test(
        "Mirroring onto a protected card's message is switched off",
        arguments: [TillRequest.protect, .pay])
    func mirroredMessage(_ request: TillRequest) async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        try await world.alter { $0[0x29] = Page(0xC4, 0, 0x06, 0x02) }
        try await request.perform(at: world.station)
        try await world.expectResolved()
    }

    @Test(
        "Mirroring onto a card's records stops a switch of protection before it begins",
        arguments: [true, false])
    func mirroredRecords(_ isProtected: Bool) async throws {
        // On page 20h, the mirror hides the current record. On page 1Bh, it hides only the older
        // one; on page 27h, it does not fit into the user memory, so the chip shows nothing.
        for page: UInt8 in [0x1B, 0x20, 0x27] {
            let (kind, exit): (TapcardError.Kind, Int32) =
                page == 0x20 ? (.damaged, 7) : (.unsupportedTag, 4)
            let world = World(try World.blank())
            try await world.issue(protects: isProtected)
            try await world.alter { $0[0x29] = Page(0x84, 0, page, isProtected ? 0x02 : 0xFF) }
            await expectRefused(kind, exit: exit) { () throws(TapcardError) in
                isProtected
                    ? try await world.station.unprotect(id: World.id(2))
                    : try await world.station.protect(id: World.id(2))
            }
            #expect(try await world.operations().count == 1)
        }
    }
}
