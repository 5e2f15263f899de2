import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// What `tag write` replaces unasked, with `--overwrite`, and never.
@Suite("What a write to a tag may replace")
struct UnaskedWriteTests: ProvenCards {
    private static let two = NDEFMessage([
        NDEFURI("https://example.com/spools/17").record,
        NDEFText(language: "en", text: "Shelf 4").record,
    ])
    private static let other = NDEFMessage([NDEFText(language: "en", text: "Other").record])

    private static func options(
        _ mirror: ASCIIMirror.Content? = nil, overwrites: Bool = false
    ) -> WriteOptions {
        var options = TagMirrorTests.options(mirror)
        options.overwrites = overwrites
        return options
    }

    /// Lays these bytes from page 4 on, after clearing all user pages.
    private func lay(_ bytes: [UInt8], on world: World) async throws {
        try await world.alter { tag in
            for page in tag.chip.userPages { tag[page] = .zero }
            let padded = bytes + [0, 0, 0]
            for (page, start) in zip(
                tag.chip.userPages, stride(from: 0, to: bytes.count, by: Page.size))
            {
                tag[page] = Page(padded[start..<start + Page.size]) ?? .zero
            }
        }
    }

    // MARK: - Cards

    @Test(
        "A card from another ledger is never overwritten, whatever its text for phones says",
        arguments: Type2Chip.known, FaceStyle.allCases)
    func foreignCard(_ chip: Type2Chip, _ face: FaceStyle) async throws {
        let world = World(try World.blank(chip))
        _ = try await world.station.make(
            CardRequest(
                .issue(.nobody, World.usd(1_000), hasScratchCard: false), face: face),
            id: World.id(1))
        let whole = try await world.tag()
        let texts: [(inout TagMemory) throws -> Void] = [
            { _ in }, { try $0.lay(Self.other.records[0]) },
            { tag in for page in try tag.layout.ndefPages { tag[page] = .zero } },
            { $0[4] = Page(0x41, 0x42, 0x43, 0x44) },
        ]
        for change in texts {
            var tag = whole
            try change(&tag)
            try await world.put(tag)
            let station = world.station(ledger: TableLedger())
            let refused = await #expect(throws: TapcardError.self) {
                try await station.messages.write(Self.options(overwrites: true)) { _ in Self.two }
            }
            #expect(refused?.kind == .refusal(.cardHasMoney))
            #expect(try await world.tag() == tag)
        }
    }

    @Test("An NTAG 424 card from another ledger is never overwritten")
    func foreignNTAG424() async throws {
        let world = try await made()
        let before = try await chip(world).files.map(\.bytes)
        for mirror in [nil, ASCIIMirror.Content.uid] {
            let refused = await #expect(throws: TapcardError.self) {
                try await world.station(ledger: TableLedger()).messages.write(
                    Self.options(mirror, overwrites: true)
                ) { TagMirrorTests.link(.uid, $0.uid) }
            }
            #expect(refused?.result == .refused)
        }
        #expect(try await chip(world).files.map(\.bytes) == before)
    }

    @Test("Text in the place of records is not a card", arguments: Type2Chip.known)
    func notACard(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        let room = try await world.station.messages.read().maximumByteCount
        for letter in [" ", "A", "@", "\u{7F}"] {
            let text = String(repeating: letter, count: room - 10)
            let long = NDEFMessage([NDEFText(language: "en", text: text).record])
            // The second message leaves the end of the first one in the memory.
            for message in [long, Self.other, Self.two] {
                let written = try await TagMirrorTests.write(
                    message, on: world, Self.options(overwrites: true))
                #expect(!written.wasThere)
            }
        }
        let bytes = NDEFMessage([
            .media("a/b", (0..<room - 9).map { UInt8($0 * 89 % 251) | 0x40 })
        ])
        for message in [bytes, Self.two] {
            try await TagMirrorTests.write(message, on: world, Self.options(overwrites: true))
        }
    }

    // MARK: - Content

    @Test("A tag that holds anything but an empty message is overwritten only if asked")
    func content() async throws {
        let empty = TLVArea.encoded(message: [])
        let control: [UInt8] = [1, 3, 0xA0, 0x0C, 0x34, 2, 3, 0xA0, 0x0C, 0x34]
        let contents: [(bytes: [UInt8], isEmpty: Bool)] = [
            ([], true), (empty, true), ([0, 0, 0] + empty, true), (control + empty, true),
            (empty + [0x41, 0x42, 0x43], true), ([0xFE, 0x41, 0x42], true),
            (TLVArea.encoded(message: [0xD0, 0, 0]), true),
            ([0xFD, 2, 1, 2], false), (empty.dropLast() + [0xFD, 2, 1, 2], false),
            ([0xFD, 2, 1, 2] + empty, false), (Array("Inventory number 17".utf8), false),
            ([0x41], false), (empty.dropLast() + [3, 1, 7], false), ([3, 0xFF, 0x10], false),
        ]
        for (bytes, isEmpty) in contents {
            let world = World(try World.blank())
            try await lay(bytes, on: world)
            let before = try await world.tag()
            let what: Comment = "\(bytes)"
            #expect(try await world.station.messages.read().isEmpty == isEmpty, what)
            if !isEmpty {
                let refused = await #expect(throws: TapcardError.self, what) {
                    try await TagMirrorTests.write(Self.two, on: world, Self.options())
                }
                #expect(refused?.kind == .tagNotEmpty, what)
                #expect(try await world.tag().pages == before.pages, what)
            }
            let options = Self.options(overwrites: !isEmpty)
            try await TagMirrorTests.write(Self.two, on: world, options)
            #expect(try await world.station.messages.read().records.count == 2, what)
        }
    }

    @Test(
        "A message that is already there gets a mirror or a password without being overwritten",
        arguments: Type2Chip.known)
    func settings(_ chip: Type2Chip) async throws {
        for isLong in [false, true] {
            let world = World(try World.blank(chip))
            let message = TagMirrorTests.link(.uid, try await world.tag().uid)
            let bytes = try message.encoded()
            try await lay(
                isLong
                    ? [3, 0xFF, 0, UInt8(bytes.count)] + bytes + [0xFE]
                    : TLVArea.encoded(message: bytes), on: world)
            for mirror in [nil, ASCIIMirror.Content.uid, nil] {
                try await TagMirrorTests.write(message, on: world, Self.options(mirror))
            }
            var protecting = TagMirrorTests.options(nil, password: [1, 2, 3, 4])
            protecting.overwrites = false
            try await TagMirrorTests.write(message, on: world, protecting)
            #expect(try await world.station.tagInfo().isProtected)
            #expect(try await world.station.messages.read().message == bytes)
        }
    }

    // MARK: - Interrupted writes

    @Test("A message that is cut short is reported as not valid", arguments: [false, true])
    func cut(inRecord: Bool) async throws {
        let world = World(try World.blank())
        let bytes = try Self.two.encoded()
        let first = try NDEFMessage([Self.two.records[0]]).encoded().count
        try await lay(
            [3, UInt8(inRecord ? first + 5 : first)] + bytes + [0xFE], on: world)
        #expect(try await world.station.messages.read().problem != nil)
        var seen: [TagReading] = []
        await world.station.messages.watch(
            { reading in
                seen.append(reading)
                return false
            }, showOther: { _ in true })
        #expect(seen.map(\.records) == [[]] && seen.first?.problem != nil)
    }

    /// What a tag that counts as empty may hold.
    private static let empty: [[UInt8]] = [
        [1, 3, 0xA0, 0x0C, 0x34, 3, 0, 0xFE], [], [3, 0, 0xFE], [3, 0],
        [1, 3, 0xA0, 0x10, 0x44, 2, 3, 0xA5, 0x10, 0x44, 3, 0, 0xFE],
        [3, 0, 0xFE, 0x41] + [UInt8](repeating: 0xFF, count: 90),
    ]

    @Test(
        "After a fault at any frame of the first write, the same write finishes unasked",
        arguments: empty.indices, [nil, ASCIIMirror.Content.uid, .both])
    func rerun(index: Int, _ mirror: ASCIIMirror.Content?) async throws {
        var count = 0
        let kinds =
            TagMirrorTests.faults
            + (0..<6).flatMap { seed -> [Fault.Kind] in
                [.torn(.mix(seed: seed)), .torn(.someOnes(seed: seed))]
            }
        for kind in kinds {
            for frame in 1... {
                let world = World(try World.blank())
                try await lay(Self.empty[index], on: world)
                let uid = try await world.tag().uid
                let message = mirror.map { TagMirrorTests.link($0, uid) } ?? Self.two
                try await world.arm(Fault(at: frame, counting: .frame, kind))
                _ = try? await TagMirrorTests.write(message, on: world, Self.options(mirror))
                let isOver = try await world.isArmed()
                try await world.putBack()
                let what: Comment = "\(Self.empty[index]), \(kind) at frame \(frame)"
                let torn = try await world.tag()
                do {
                    try await TagMirrorTests.write(message, on: world, Self.options(mirror))
                    let again = try await TagMirrorTests.write(
                        message, on: world, Self.options(mirror))
                    #expect(again.wasThere, what)
                } catch {
                    Issue.record("\(what): \(error) \(torn.pages[4..<20].map(\.bytes))")
                }
                if isOver { break }
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test("After a fault at any command of the first write to an NTAG 424, it finishes unasked")
    func rerunNTAG424() async throws {
        for kind in TagMirrorTests.faults {
            for frame in 1... {
                let world = try factory()
                try await TagMirrorTests.write(
                    NDEFMessage([]), on: world, Self.options(overwrites: true))
                try await world.arm(Fault(at: frame, counting: .frame, kind))
                _ = try? await TagMirrorTests.write(nil, on: world, Self.options(.both))
                let isOver = try await world.isArmed()
                try await world.reader.change { field in
                    field.fault = nil
                    field.put([field.chips[0].number])
                }
                await world.reader.release()
                let what: Comment = "\(kind) at frame \(frame)"
                await #expect(throws: Never.self, what) {
                    try await TagMirrorTests.write(nil, on: world, Self.options(.both))
                }
                if isOver { break }
            }
        }
    }
}
