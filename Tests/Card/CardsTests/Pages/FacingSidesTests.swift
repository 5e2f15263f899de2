import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardDomain
import Testing

/// Runs the reader's side against the tag's side, which share nothing but the frames.
@Suite("Procedures on a simulated tag")
struct FacingSidesTests {
    static let password = TagPassword(password: [1, 2, 3, 4], pack: [5, 6])

    /// A selected tag of this chip on a reader that records the exchanges.
    private func bench(
        _ chip: Type2Chip, maximumAnswerLength: Int = 250
    ) async throws -> (reader: InterposedReader, world: SimulatedReader, identity: TagIdentity) {
        let uid = ScanTagTests.identity.uid
        let tag = try #require(TagMemory.blank(chip, uid: uid))
        let world = SimulatedReader(
            Simulation([tag], onReader: [uid]), maximumAnswerLength: maximumAnswerLength)
        let reader = InterposedReader(world)
        return (reader, world, try await reader.select(within: .zero))
    }

    /// Protects all pages from this one with a password, for reading, too.
    private func protect(
        _ reader: InterposedReader, _ chip: Type2Chip, from page: UInt8
    ) async throws {
        let first = try #require(chip.configurationPage)
        for command in [
            Type2Command.write(first + 3, Page(5, 6, 0, 0)), .write(first + 2, Page(1, 2, 3, 4)),
            .write(first + 1, Page(0x80, 5, 0, 0)), .write(first, Page(4, 0, 0, page)),
        ] {
            _ = try await reader.exchange(command.frame)
        }
        await reader.release()
        _ = try await reader.select(within: .zero)
    }

    private func reading(_ identity: TagIdentity, maximumAnswerLength: Int = 250) -> ScanTag {
        ScanTag(identity, maximumAnswerLength: maximumAnswerLength) { chip in
            chip.model.flatMap(CardLayout.init)?.pages ?? chip.userPages
        }
    }

    @Test("A first reading takes one selection and four commands", arguments: Type2Chip.known)
    func scanTag(chip: Type2Chip) async throws {
        let (reader, world, identity) = try await bench(chip)
        let tag = try await reader.perform(reading(identity))
        let memory = try #require(await world.change { $0.tags.first })
        #expect(reader.exchanges.count == 4)
        #expect(reader.limits.count == 1)
        #expect(tag.chip == chip)
        #expect(tag.header == Array(memory.pages[..<4].flatMap(\.bytes)))
        let pages = try #require(chip.model.flatMap(CardLayout.init)).pages
        #expect(tag.memory == pages.flatMap { memory[$0].bytes })
        #expect(tag.signature?.count == 32)
    }

    @Test("An older chip is selected again and read")
    func olderChip() async throws {
        let chip = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        let (reader, _, identity) = try await bench(chip)
        let tag = try await reader.perform(reading(identity))
        #expect(tag.chip == chip && tag.memory.count == 48)
        #expect(reader.limits.count == 2)
        #expect(reader.exchanges.first?.failure == .refused(NAK.invalidArgument))
    }

    @Test(
        "A card that was written is read back, with any chip and answer size",
        arguments: Type2Chip.known, [16, 64, 250])
    func roundTrip(chip: Type2Chip, maximumAnswerLength: Int) async throws {
        let (reader, _, _) = try await bench(chip, maximumAnswerLength: maximumAnswerLength)
        let fixture = try CardFixture()
        let layout = try #require(chip.model.flatMap(CardLayout.init))
        let before = try await reader.perform(
            ReadPages(layout.pages, maximumAnswerLength: maximumAnswerLength))
        let area = try fixture.area(1_250, in: layout)
        let writes = layout.writes(
            replacing: Array(before.prefix(layout.ndefByteCount)), with: area, rewritingAll: false)
        _ = try await reader.perform(WritePages(writes, maximumAnswerLength: maximumAnswerLength))
        for place in 0...1 {
            let record = try fixture.record(UInt32(place + 1))
            _ = try await reader.perform(
                WritePages(
                    layout.writes(record: record, to: place),
                    maximumAnswerLength: maximumAnswerLength))
        }
        let bytes = try await reader.perform(
            ReadPages(layout.pages, maximumAnswerLength: maximumAnswerLength))
        let image = try #require(CardImage(bytes, layout: layout))
        #expect(image.area == area)
        #expect(image.content(in: .usd).face?.balance.minorUnits == 1_250)
        let slots = RecordSlots(
            image.records, uid: fixture.uid, holders: [fixture.holder], currency: .usd,
            keys: fixture.keys)
        #expect(slots.best?.record.sequence.value == 2)
    }

    @Test(
        "A protected tag is written only with its password and PACK", arguments: Type2Chip.known
    )
    func protected(chip: Type2Chip) async throws {
        let (reader, _, _) = try await bench(chip)
        try await protect(reader, chip, from: 4)
        let layout = try #require(chip.model.flatMap(CardLayout.init))
        func write(_ password: TagPassword?) async throws(CardStoreError) {
            _ = try await reader.perform(
                WritePages(
                    layout.writes(record: numbered(1...4), to: 0), maximumAnswerLength: 250,
                    password: password))
        }
        let wrong = TagPassword(password: [4, 3, 2, 1], pack: [5, 6])
        for (password, kind) in [(nil, .interrupted(.refused(0))), (wrong, .wrongPassword)]
            as [(TagPassword?, CardStoreError.Kind)]
        {
            await #expect(throws: CardStoreError(kind, "")) { try await write(password) }
            _ = try await reader.select(within: .zero)
        }
        let stranger = TagPassword(password: Self.password.password, pack: [6, 5])
        await #expect(throws: CardStoreError(.wrongPassword, "")) { try await write(stranger) }
        await #expect(throws: Never.self) { try await write(Self.password) }
    }

    @Test("Pages protected from reading are left out of a dump", arguments: Type2Chip.known)
    func partlyReadable(chip: Type2Chip) async throws {
        let (reader, world, identity) = try await bench(chip)
        try await protect(reader, chip, from: 0x0D)
        let last = UInt8(chip.pageCount - 1)
        let pages = try await reader.perform(
            ReadReadablePages(0...last, identity: identity, maximumAnswerLength: 250))
        let memory = try #require(await world.change { $0.tags.first })
        #expect(pages == (0...last).map { $0 < 0x0D ? memory[$0] : nil })
    }

    @Test("A WRITE that fails in any way ends the procedure", arguments: 1...4)
    func interrupted(write: Int) async throws {
        let failures: [(Fault.Kind, ReaderError.Kind)] = [
            (.lost, .tagLost), (.torn(.mix(seed: 1)), .tagLost), (.acknowledgeLost, .tagLost),
            (.garbled, .garbled), (.refused(5), .refused(5)),
        ]
        for (fault, kind) in failures {
            let (reader, world, _) = try await bench(.ntag213)
            try await world.change { $0.fault = Fault(at: write, counting: .write, fault) }
            let writes = CardLayout.ntag213.writes(record: numbered(1...4), to: 1)
            await #expect(throws: CardStoreError(.interrupted(kind), "")) {
                try await reader.perform(WritePages(writes, maximumAnswerLength: 250))
            }
            #expect(reader.exchanges.count == write)
        }
    }
}
