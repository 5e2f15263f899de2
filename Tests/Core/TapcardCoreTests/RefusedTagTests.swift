import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Tags on which no card can or may be made are refused before anything is written.
@Suite("Tags that cannot hold a card")
struct RefusedTagTests {
    /// A fault of the tag, and the error with which it is refused.
    enum Obstacle: CaseIterable, Sendable {
        case staticLocks, dynamicLocks, readOnly, noContainer, otherVersion, tooSmall
        case protected, protectedFromReading

        var kind: TapcardError.Kind {
            switch self {
            case .staticLocks, .dynamicLocks, .readOnly: .lockedTag
            case .noContainer, .otherVersion, .tooSmall: .unsupportedTag
            case .protected, .protectedFromReading: .protectedTag
            }
        }

        func apply(to tag: inout TagMemory) {
            let chip = tag.chip
            guard let lock = chip.dynamicLockPage, let configuration = chip.configurationPage
            else { return }
            switch self {
            case .staticLocks: tag[2][3] = 0x01
            case .dynamicLocks: tag[lock][0] = 0x01
            case .readOnly: tag[3][3] = 0x0F
            case .noContainer: tag[3] = .zero
            case .otherVersion: tag[3][1] = 0x20
            case .tooSmall: tag[3][2] = 0x06
            case .protected: tag[configuration][3] = 0x10
            case .protectedFromReading:
                tag[configuration][3] = 0x10
                tag[configuration + 1][0] = 0x80
            }
        }
    }

    @Test(
        "Reading a tag that cannot hold a card gives the same advice as making one",
        arguments: Obstacle.allCases)
    func advice(_ obstacle: Obstacle) async throws {
        let world = World(try World.blank())
        try await world.alter { obstacle.apply(to: &$0) }
        let request = try CardRequest.demo(in: .usd, mayOverwrite: true)
        let looked = await outcome { () throws(TapcardError) in try await world.station.read() }
        let made = await outcome { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        guard case .failure(let reading) = looked, case .failure(let making) = made else {
            Issue.record("such a tag is not a card, and becomes none")
            return
        }
        #expect(reading.next == making.next)
        if obstacle == .noContainer { #expect(making.next == [.tag(.formatForNFC)]) }
        if obstacle == .otherVersion { #expect(making.next == [.tag(.useFactoryTag)]) }
    }

    @Test("Only a request for a new card says how to overwrite a tag with other content")
    func adviceOnOtherContent() async throws {
        for record in [
            NDEFURI("https://example.org").record,
            NDEFRecord(format: .media, type: Array("text/vcard".utf8), id: [], payload: [1, 2]),
            NDEFRecord(
                format: .media, type: Array("application/vnd.wfa.wsc".utf8), id: [], payload: [1]),
        ] {
            let world = World(try World.blank())
            var tag = try await world.tag()
            try tag.lay(record)
            try await world.put(tag)
            let request = try CardRequest.demo(in: .usd)
            let paid = await outcome { () throws(TapcardError) in
                try await world.station.pay(World.usd(1), id: World.id(1))
            }
            let made = await outcome { () throws(TapcardError) in
                try await world.station.make(request, id: World.id(2))
            }
            #expect(paid.failure?.next == [.tag(.makeCard(on: .ntag213))])
            #expect(made.failure?.next == [.tag(.overwrite)])
        }
    }

    @Test(
        "A tag with a false signature is not recommended for a card",
        arguments: [nil, NDEFURI("https://example.org").record])
    func adviceBySignature(_ content: NDEFRecord?) async throws {
        let world = World(try World.blank())
        var tag = try await world.tag()
        tag.signature = [UInt8](repeating: 7, count: TagMemory.signatureLength)
        if let content { try tag.lay(content) }
        try await world.put(tag)
        let request = try CardRequest.demo(in: .usd, mayOverwrite: true)
        let looked = await outcome { () throws(TapcardError) in try await world.station.read() }
        let made = await outcome { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        let advice = [NextStep.tag(.useAnotherOrAllowAnyChip)]
        #expect(looked.failure?.next == advice && made.failure?.next == advice)
    }

    @Test(
        "A foreign card that cannot be adopted is not recommended for adoption",
        arguments: [true, false])
    func adviceOnCardOfOthers(_ isLocked: Bool) async throws {
        let world = try await TillRequest.adopt.world()
        try await world.alter { tag in
            if isLocked {
                tag[2][3] = 0x01
            } else {
                tag.signature = [UInt8](repeating: 7, count: TagMemory.signatureLength)
            }
        }
        let paid = await outcome { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(1))
        }
        let taken = await outcome { () throws(TapcardError) in
            try await world.station.make(CardRequest(.adopt(accepting: nil)), id: World.id(2))
        }
        let step = NextStep.tag(isLocked ? .useUnlocked : .useAnotherOrAllowAnyChip)
        #expect(paid.failure?.next == [step] && taken.failure?.next == [step])
    }

    @Test(
        "A tag that cannot hold a card is refused and left unchanged", arguments: Type2Chip.known,
        Obstacle.allCases)
    func obstacle(_ chip: Type2Chip, _ obstacle: Obstacle) async throws {
        let world = World(try World.blank(chip))
        try await world.alter { obstacle.apply(to: &$0) }
        let before = try await world.tag()
        let request = try CardRequest.demo(in: .usd, mayReissue: true, mayOverwrite: true)
        await expectRefused(obstacle.kind, exit: 4) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        await expectRefused(obstacle.kind, exit: 4) { () throws(TapcardError) in
            try await world.station.format(overwriting: true)
        }
        let dump = TagDump(before)
        await expectRefused(obstacle.kind, exit: 4) { () throws(TapcardError) in
            try await world.station.restore(dump, overwriting: true)
        }
        #expect(try await world.tag() == before)
        #expect(await world.reader.writeCount == 0)
        #expect(try await world.operations().isEmpty)
    }

    @Test("Other content on a tag is overwritten only on request")
    func otherContent() async throws {
        let records = [
            NDEFText(language: "en", text: "Hello").record, NDEFURI("https://example.org").record,
            NDEFText(language: "en", text: #"{"balance":-5}"#).record,
            TagMemory.appRecord(#"{"firstName":"A","accountValue":1e99}"#),
            NDEFRecord(format: .media, type: Array("text/vcard".utf8), id: [], payload: [1, 2]),
        ]
        for record in records {
            let world = World(try World.blank())
            var tag = try await world.tag()
            try tag.lay(record)
            try await world.put(tag)
            let request = try CardRequest.demo(in: .usd)
            await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
                try await world.station.make(request, id: World.id(1))
            }
            await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
                try await world.station.read()
            }
            await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
                try await world.station.pay(World.usd(1), id: World.id(2))
            }
            #expect(try await world.tag() == tag)
            let willing = try CardRequest.demo(in: .usd, mayOverwrite: true)
            _ = try await world.station.make(willing, id: World.id(3))
            try await world.expectResolved()
        }
    }

    @Test("A foreign card is not replaced by a new one except on request")
    func foreignCard() async throws {
        let world = try await TillRequest.adopt.world()
        let before = try await world.tag()
        let request = try CardRequest.demo(in: .usd)
        await expectRefused(.refusal(.cardKnown), exit: 4) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        #expect(try await world.tag() == before)
        let willing = try CardRequest.demo(in: .usd, mayOverwrite: true)
        _ = try await world.station.make(willing, id: World.id(3))
        try await world.expectResolved()
    }

    @Test("Two tags on the reader are refused and left alone")
    func severalTags() async throws {
        let world = World(try World.blank())
        let other = try World.otherTag()
        try await world.reader.change { simulation in
            simulation.save(other)
            simulation.put(simulation.tags.map(\.uid))
        }
        let request = try CardRequest.demo(in: .usd)
        await expectRefused(.severalTags, exit: 4) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(1))
        }
        await expectRefused(.severalTags, exit: 4) { () throws(TapcardError) in
            try await world.station.tagInfo()
        }
        #expect(await world.reader.writeCount == 0)
    }

    @Test("A reader without a tag is reported as having no card")
    func noTag() async throws {
        let world = World(Simulation())
        await expectRefused(.noCard, exit: 3) { () throws(TapcardError) in
            try await world.station.tagInfo()
        }
        await expectRefused(.noCard, exit: 3) { () throws(TapcardError) in
            try await world.station.cardOnReader()
        }
    }

    @Test("Every request but a new card reports a blank tag as blank")
    func blank() async throws {
        let world = World(try World.blank())
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(1))
        }
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await world.station.scratch(id: World.id(1))
        }
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await world.station.make(CardRequest(.adopt(accepting: nil)), id: World.id(1))
        }
        #expect(try await world.station.cardOnReader() == (try await world.uid()))
    }
}

/// A reader that passes on only READ and WRITE cannot ask a tag for its chip.
@Suite("A reader that cannot identify chips")
struct UnsupportedReaderTests {
    private func station(_ reader: ScriptedReader) throws -> Station {
        World(try World.blank()).station(reader: reader)
    }

    @Test("A reader that cannot identify chips makes no card and is named as the reason")
    func makesNoCard() async throws {
        let reader = ScriptedReader([
            .tag(TagIdentity(uid: World.otherUID)), .failure(.unsupported),
        ])
        let station = try station(reader)
        let request = CardRequest(
            .issue(try World.holder("Amanda Gonzalez"), World.usd(1), hasScratchCard: true))
        let error = await #expect(throws: TapcardError(.unsupportedReader, "")) {
            try await station.make(request, id: World.id(1))
        }
        #expect(error?.result == .noReader)
        #expect(error?.what.contains("This NFC reader can only read and write pages") == true)
        #expect(reader.trace.filter { !$0.isEmpty } == [[0x60]])
        let operation = try await station.ledger.operation(World.id(1))
        #expect(operation == nil)
    }
}
