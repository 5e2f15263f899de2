import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs

/// What `tag info` reports about tags that cannot become cards.
@Suite("Information on tags of other kinds")
struct AnyTagInfoTests {
    static let small: [UInt8] = [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0B, 0x03]
    static let large: [UInt8] = [0x00, 0x04, 0x03, 0x01, 0x01, 0x00, 0x0E, 0x03]
    /// A signed UID of a real MIFARE Ultralight EV1.
    static let signed = (
        uid: Hexadecimal.decode("04C1285A373080") ?? [],
        signature: Hexadecimal.decode(
            "CEA2EB0B3C95D0844A95B824A7553703B3702378033BF0987899DB70151A19E7") ?? []
    )

    private func info(_ world: World) async throws -> TagInfo {
        try await world.station(reader: world.notingReader()).tagInfo()
    }

    private func info(_ reader: PlayedFiles) async throws -> TagInfo {
        try await World(Simulation()).station(reader: reader).tagInfo()
    }

    private func ultralightEV1(
        _ version: [UInt8], _ change: (inout TagMemory) -> Void = { _ in }
    ) async throws -> World {
        let chip = try #require(Type2Chip(otherVersion: version))
        let world = try World.other(
            chip, uid: Self.signed.uid, size: 6, signature: Self.signed.signature)
        try await world.alter { tag in
            tag.counter = 7
            tag[4] = Page(3, 0, 0xFE, 0)
            change(&tag)
        }
        return world
    }

    @Test(
        "A MIFARE Ultralight EV1 reports its memory, counters, and signature",
        arguments: [(small, 20, 12), (large, 41, 32)])
    func ultralightEV1(_ version: [UInt8], _ pages: Int, _ userPages: Int) async throws {
        let info = try await info(try await ultralightEV1(version))
        #expect(info.chip == "MIFARE Ultralight EV1" && info.maker == "NXP Semiconductors")
        #expect(info.version == version && info.uid == Self.signed.uid)
        #expect(info.pages?.pageCount == pages && info.userByteCount == userPages * 4)
        #expect(info.originality == .valid && info.ndef == "empty" && info.freeBytes == 45)
        #expect(info.counters == [0, 0, 7] && info.counter == nil)
        #expect(!info.isLocked && !info.isProtected && !info.isHidden)
        #expect(info.lockBytes == (pages == 41 ? [0, 0, 0, 0, 0] : [0, 0]))
    }

    @Test("A MIFARE Ultralight EV1 reports its locks and password", arguments: [small, large])
    func ultralightEV1Access(_ version: [UInt8]) async throws {
        let chip = try #require(Type2Chip(otherVersion: version))
        let settings = try #require(chip.configurationPage)
        let locked = try await info(try await ultralightEV1(version) { $0[2][2] = 0x10 })
        #expect(locked.isLocked && locked.lockBytes.starts(with: [0x10, 0]))
        let protected = try await info(try await ultralightEV1(version) { $0[settings][3] = 4 })
        #expect(protected.isProtected && !protected.isHidden && protected.ndef == "empty")
        #expect(protected.configuration?.firstProtected == 4)
        // The settings may be hidden even if the content is not, as on some hotel keys.
        for first in [0, 3, 4, settings] as [UInt8] {
            let hidden = try await info(
                try await ultralightEV1(version) { tag in
                    tag[settings][3] = first
                    tag[settings + 1][0] = 0x80
                })
            #expect(hidden.chip == "MIFARE Ultralight EV1" && hidden.originality == .valid)
            #expect(hidden.isProtected && hidden.isHidden && hidden.configuration == nil)
            #expect(hidden.ndef == (first == settings ? "empty" : "none"))
            #expect(hidden.counters == [0, 0, 7])
        }
        if let lock = chip.dynamicLockPage {
            let info = try await info(try await ultralightEV1(version) { $0[lock][1] = 1 })
            #expect(info.isLocked && info.lockBytes == [0, 0, 0, 1, 0])
        }
        var signature = Self.signed.signature
        signature[0] ^= 1
        let forged = try await info(try await ultralightEV1(version) { $0.signature = signature })
        #expect(forged.originality == .invalid)
    }

    @Test("A MIFARE Ultralight C reports its locks, its counter, and whether a key is needed")
    func ultralightC() async throws {
        let world = try World.other(.ultralightC, size: 0x12)
        try await world.alter { $0[0x29] = Page(0x34, 0x12, 0, 0) }
        let open = try await info(world)
        #expect(open.chip == "MIFARE Ultralight C" && open.pages?.pageCount == 48)
        #expect(open.counters == [0x1234] && open.counter == nil && open.originality == .notAsked)
        #expect(!open.isLocked && !open.isProtected && open.userByteCount == 144)
        try await world.alter { tag in
            tag[0x28] = Page(0x10, 0, 0, 0)
            tag[0x2A] = Page(0x04, 0, 0, 0)
        }
        let closed = try await info(world)
        #expect(closed.isLocked && closed.isProtected && closed.lockBytes == [0, 0, 0x10, 0])
    }

    @Test("A tag without a version is named only if that is certain")
    func withoutVersion() async throws {
        let cases: [(uid: UInt8, size: UInt8, name: String, maker: String?)] = [
            (0x04, 6, "MIFARE Ultralight", "NXP Semiconductors"),
            (0x04, 0x12, "NTAG203", "NXP Semiconductors"),
            (0x04, 0x20, "unknown Type 2 tag", "NXP Semiconductors"),
            (0x1D, 6, "unknown Type 2 tag", "Shanghai Fudan Microelectronics"),
            (0x02, 6, "unknown Type 2 tag", "STMicroelectronics"),
            (0xFE, 6, "unknown Type 2 tag", nil),
        ]
        for (first, size, name, maker) in cases {
            let chip = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, size, 0)))
            let info = try await info(
                try World.other(chip, uid: [first, 1, 2, 3, 4, 5, 6], size: size))
            #expect(info.chip == name && info.maker == maker && info.version == nil)
            #expect(info.userByteCount == Int(size) * 8 && info.originality == .notAsked)
            #expect(info.counters.isEmpty && !info.isLocked && !info.isProtected)
        }
    }

    @Test("A Type 4 tag reports its kind, its message, and who may write to it")
    func files() async throws {
        let link = try NDEFMessage([NDEFURI("https://example.com").record]).encoded()
        let desfire: [UInt8] = [0x04, 0x01, 0x01, 0x01, 0x00, 0x18, 0x05]
        let open = try await info(PlayedFiles(message: link, version: desfire))
        #expect(open.chip == "MIFARE DESFire EV1" && open.maker == "NXP Semiconductors")
        #expect(open.ndef == "uri" && open.userByteCount == 62 && open.version == desfire)
        #expect(open.freeBytes == 62 - link.count && open.pages == nil && open.keyVersions.isEmpty)
        #expect(!open.isLocked && !open.isProtected && open.originality == .notAsked)
        let readOnly = try await info(PlayedFiles(message: [], writing: 0xFF))
        #expect(readOnly.chip == "unknown Type 4 tag" && readOnly.ndef == "empty")
        #expect(readOnly.isLocked && !readOnly.isProtected)
        #expect(try await info(PlayedFiles(message: [], writing: 0x80)).isProtected)
        let keyed = try await info(PlayedFiles(message: link, isKeyed: true))
        #expect(keyed.ndef == "none" && keyed.isHidden)
        // The length is greater than the size of the file.
        #expect(try await info(PlayedFiles(message: [], length: 200)).ndef == "none")
    }

    @Test("A smart card or phone without a message is named")
    func noFiles() async throws {
        func identity(_ uid: [UInt8]) -> TagIdentity {
            TagIdentity(uid: uid, answerToRequest: 0x0344, selectAcknowledge: 0x20)
        }
        let desfire: [UInt8] = [0x04, 0x01, 0x01, 0x12, 0x00, 0x1A, 0x05]
        let card = try await info(
            PlayedFiles(identity([0x04, 1, 2, 3, 4, 5, 6]), version: desfire))
        #expect(card.chip == "MIFARE DESFire EV2" && card.userByteCount == 8192)
        for uid: [UInt8] in [[0x08, 1, 2, 3], [0x05, 1, 2, 3, 4, 5, 6, 7, 8, 9]] {
            let phone = try await info(PlayedFiles(identity(uid)))
            #expect(phone.chip == "smart card (ISO/IEC 14443-4)" && phone.ndef == "none")
            #expect(phone.uid == uid && phone.userByteCount == 0)
            #expect(phone.maker == (uid.count == 10 ? "Infineon Technologies" : nil))
        }
    }

    @Test(
        "The kind and size of a card with sectors are reported, although it cannot be read",
        arguments: [
            (0x08, "MIFARE Classic 1K", 1024), (0x88, "MIFARE Classic 1K", 1024),
            (0x18, "MIFARE Classic 4K", 4096), (0x09, "MIFARE Mini", 320),
        ] as [(UInt8, String, Int)])
    func sectors(_ selectAcknowledge: UInt8, _ name: String, _ size: Int) async throws {
        let identity = TagIdentity.sectors(selectAcknowledge)
        let reader = ScriptedReader([.tag(identity), .tag(identity)])
        let station = try World(World.blank()).station(reader: reader)
        let info = try await station.tagInfo()
        #expect(info.chip == name && info.userByteCount == size && info.ndef == "none")
        #expect(info.uid == [1, 2, 3, 4] && info.maker == nil && !info.isReadableKind)
        let refused = await #expect(throws: TapcardError.self) {
            try await station.messages.read()
        }
        #expect(refused?.kind == .unsupportedTag && refused?.what.contains(name) == true)
        #expect(refused?.what.contains("keys") == true)
        // Nothing was sent to the card, which was released both times.
        #expect(reader.trace == [[], []] && reader.releases == 2)
    }

    @Test("The kind of a card of another family is reported")
    func families() async throws {
        for (family, name) in [
            (TagIdentity.Family.typeB, "type B card"), (.felica, "FeliCa card"),
            (.vicinity, "ISO/IEC 15693 tag"),
        ] {
            let identity = TagIdentity(uid: [4, 1, 2, 3, 4, 5, 6, 7], family: family)
            let info = try await info(PlayedFiles(identity))
            #expect(info.chip == name && info.maker == nil && info.userByteCount == 0)
        }
    }

    @Test("A tag that is removed at any frame causes an ordinary error")
    func leaving() async throws {
        let ordinary: [TapcardError.Kind] = [.tagLost, .noCard]
        func expectGone(_ outcome: Result<TagInfo, TapcardError>) -> Bool {
            guard let error = outcome.failure else { return true }
            #expect(ordinary.contains(error.kind), "\(error)")
            return false
        }
        for version in [Self.small, Self.large, nil] {
            for frame in 1...40 {
                let world =
                    if let version { try await ultralightEV1(version) } else {
                        try World.other(.ultralightC, size: 0x12)
                    }
                try await world.arm(Fault(at: frame, counting: .frame, .lost))
                let station = world.station(reader: world.notingReader())
                let isOver = expectGone(
                    await outcome { () throws(TapcardError) in try await station.tagInfo() })
                let isArmed = try await world.isArmed()
                if isOver, isArmed { break }
                #expect(frame < 40)
            }
        }
        for count in 0...20 {
            let reader = PlayedFiles(message: [0xD0, 0, 0], lifetime: count)
            let station = World(Simulation()).station(reader: reader)
            let isOver = expectGone(
                await outcome { () throws(TapcardError) in try await station.tagInfo() })
            if isOver { break }
            #expect(count < 20)
        }
    }
}
