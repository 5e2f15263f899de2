import BlockingLane
import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Messages on tags of any kind, without keys and without a ledger.
@Suite("Messages of any tag")
struct TagMessagesTests: ProvenCards {
    static let chips = ["NTAG213", "NTAG215", "NTAG216", "NTAG424"]
    static let link = NDEFMessage([NDEFURI("https://example.com/spools/17").record])
    static let other = NDEFMessage([
        NDEFText(language: "en", text: "An older text that is longer than the link.").record
    ])

    /// A world with one factory tag of this chip.
    private func world(_ chip: String) throws -> World {
        guard let pages = Type2Chip(typed: chip) else { return try factory() }
        return World(try World.blank(pages))
    }

    private func write(
        _ message: NDEFMessage, on world: World, _ options: WriteOptions = WriteOptions()
    ) async throws(TapcardError) -> WrittenTag {
        try await world.station.messages.write(options) { _ in message }
    }

    private static var overwriting: WriteOptions {
        var options = WriteOptions()
        options.overwrites = true
        return options
    }

    @Test("A written message can be read back", arguments: chips)
    func roundTrip(_ chip: String) async throws {
        let world = try world(chip)
        #expect(try await world.station.messages.read().isEmpty || chip == "NTAG424")
        for message in [Self.link, Self.other, Self.link] {
            let written = try await write(message, on: world, Self.overwriting)
            #expect(!written.wasThere)
            let reading = try await world.station.messages.read()
            #expect(reading.message == (try message.encoded()))
            #expect(reading.records == message.records.map(RecordContent.init))
            #expect(reading.uid == written.uid)
        }
        #expect(try await write(Self.link, on: world).wasThere)
    }

    @Test("A tag with other content is refused unless it may be overwritten", arguments: chips)
    func occupied(_ chip: String) async throws {
        let world = try world(chip)
        _ = try await write(Self.other, on: world, Self.overwriting)
        let writes = await world.reader.writeCount
        let refused = await #expect(throws: TapcardError.self) {
            try await write(Self.link, on: world)
        }
        #expect(refused?.kind == .tagNotEmpty)
        #expect(await world.reader.writeCount == writes)
        #expect(try await world.station.messages.read().message == Self.other.encoded())
    }

    @Test("A card with a balance is never overwritten", arguments: Type2Chip.known)
    func card(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let tag = try await world.tag()
        var options = Self.overwriting
        options.interruptedTags = [try await world.station.messages.read().uid]
        // The ledger that issued the card, and one that does not know it.
        for ledger in [world.rows, TableLedger()] {
            let station = world.station(ledger: ledger)
            do throws(TapcardError) {
                _ = try await station.messages.write(
                    options, willWrite: { _ in Issue.record("The tag will be written") },
                    { _ in Self.link })
                Issue.record("The card was overwritten")
            } catch {
                #expect(error.kind == .refusal(.cardHasMoney))
            }
        }
        #expect(try await world.tag() == tag)
    }

    @Test("A tag locked after writing is read-only, and a locked tag is refused")
    func locked() async throws {
        for chip in Type2Chip.known {
            let world = World(try World.blank(chip))
            var options = WriteOptions()
            options.locks = true
            #expect(try await write(Self.link, on: world, options).isLocked)
            var tag = try await world.tag()
            for page in chip.userPages {
                #expect(chip.isLocked(page, by: tag[2], tag[chip.dynamicLockPage ?? 0]), "\(page)")
            }
            #expect(tag[3][3] == 0x0F)
            let before = tag
            let refused = await #expect(throws: TapcardError.self) {
                try await write(Self.other, on: world, Self.overwriting)
            }
            #expect(refused?.kind == .lockedTag)
            tag = try await world.tag()
            #expect(tag == before)
            #expect(try await world.station.messages.read().message == Self.link.encoded())
        }
    }

    @Test("A tag with a password is written to only with that password", arguments: Type2Chip.known)
    func password(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        let secret: [UInt8] = [1, 2, 3, 4]
        try await world.alter { tag in
            tag[chip.configurationPage ?? 0] = Page(4, 0, 0, 4)
            tag[chip.passwordPage ?? 0] = Page(1, 2, 3, 4)
        }
        var options = WriteOptions()
        for wrong: [UInt8]? in [nil, [4, 3, 2, 1]] {
            options.password = wrong.map { TagPassword(password: $0, pack: []) }
            let before = try await world.tag()
            let refused = await #expect(throws: TapcardError.self) {
                try await write(Self.link, on: world, options)
            }
            #expect(refused?.kind == .protectedTag)
            #expect(try await world.tag().pages == before.pages)
        }
        options.password = TagPassword(password: secret, pack: [])
        _ = try await write(Self.link, on: world, options)
        #expect(try await world.station.messages.read().message == Self.link.encoded())
    }

    @Test("A message that does not fit is refused before anything is written", arguments: chips)
    func tooLong(_ chip: String) async throws {
        let world = try world(chip)
        let room = try await world.station.messages.read().maximumByteCount
        let writes = await world.reader.writeCount
        func text(_ count: Int) -> NDEFMessage {
            NDEFMessage([.media("a/b", [UInt8](repeating: 0x41, count: count))])
        }
        let head = try text(300).encoded().count - 300
        let refused = await #expect(throws: TapcardError.self) {
            try await write(text(room - head + 4), on: world, Self.overwriting)
        }
        #expect(refused?.kind == .tooLong)
        #expect(await world.reader.writeCount == writes)
    }

    @Test("Padding before the message counts as free space", arguments: Type2Chip.known)
    func padding(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        let message = try Self.link.encoded()
        let area = TLVArea.encoded(message: message)
        func lay(_ padding: Int) async throws -> (Int, Int) {
            let bytes =
                [UInt8](repeating: 0, count: padding) + area + [UInt8](repeating: 0, count: 8)
            try await world.alter { tag in
                for (index, page) in chip.userPages.enumerated()
                where (index + 1) * 4 <= bytes.count {
                    tag[page] = Page(bytes[index * 4..<index * 4 + 4]) ?? .zero
                }
            }
            let reading = try await world.station.messages.read()
            #expect(reading.message == message)
            return (reading.freeByteCount, try await world.station.tagInfo().freeBytes)
        }
        let free = try await lay(0)
        #expect(try await lay(6) == free)
        _ = try await write(
            NDEFMessage([.media("a/b", [UInt8](repeating: 1, count: free.0))]), on: world,
            Self.overwriting)
    }

    @Test("A tag without FAST_READ is written to and read back")
    func oldChip() async throws {
        let chip = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]
        let world = World(try World.blank())
        try await world.put(try #require(TagMemory.blank(chip, uid: uid)))
        for message in [Self.link, Self.link, NDEFMessage([NDEFURI("tel:123").record])] {
            _ = try await write(message, on: world, Self.overwriting)
            #expect(try await world.station.messages.read().message == message.encoded())
        }
    }

    @Test("A tag without a capability container is read as empty, and never written to")
    func unformatted() async throws {
        for page in [Page.zero, Page(0x12, 0x34, 0x12, 0x00), Page(0xE1, 0x20, 0x12, 0x00)] {
            let world = World(try World.blank())
            try await world.alter { $0[3] = page }
            let before = try await world.tag()
            let reading = try await world.station.messages.read()
            #expect(reading.isEmpty && reading.maximumByteCount == 0 && !reading.isWritable)
            let refused = await #expect(throws: TapcardError.self) {
                try await write(Self.link, on: world, Self.overwriting)
            }
            #expect(refused?.kind == .unsupportedTag)
            #expect(try await world.tag() == before)
        }
    }

    /// Every fault that can happen at a frame.
    private static let faults: [Fault.Kind] =
        [.lost, .acknowledgeLost, .pulledAfter, .garbled, .late, .refused(0)]
        + [
            TornPage.unchanged, .new, .zero, .mix(seed: 3), .someOnes(seed: 5),
            .erasedToSomeOnes(seed: 8), .lowestOnes(5), .highestOnes(9), .erasedToLowestOnes(7),
            .erasedToHighestOnes(11),
        ].map(Fault.Kind.torn)

    @Test(
        "After a fault at any frame, the tag holds its old message, none, or the new one",
        arguments: chips)
    func faults(_ chip: String) async throws {
        let old = try Self.other.encoded()
        // Of two records, the first alone would also be a message.
        let message = NDEFMessage(Self.link.records + Self.other.records)
        let new = try message.encoded()
        var count = 0
        for kind in Self.faults {
            for frame in 1... {
                let world = try world(chip)
                _ = try await write(Self.other, on: world, Self.overwriting)
                try await world.arm(Fault(at: frame, counting: .frame, kind))
                var isWritten = false
                do {
                    _ = try await write(message, on: world, Self.overwriting)
                    isWritten = true
                } catch {}
                let isOver = try await world.isArmed()
                try await world.reader.change { field in
                    field.fault = nil
                    field.put(field.tags.map(\.uid) + field.chips.map(\.number))
                }
                await world.reader.release()
                let found = try? await world.station.messages.read()
                let what: Comment = "\(chip), \(kind) at frame \(frame)"
                if isWritten {
                    #expect(found?.message == new, what)
                } else {
                    let held = found?.message ?? []
                    #expect(
                        held == old || held == new || found?.hasNoRecords ?? true
                            || found?.problem != nil, what)
                }
                // A second attempt finishes the write.
                _ = try await write(message, on: world, Self.overwriting)
                #expect(try await world.station.messages.read().message == new, what)
                if isOver { break }
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test(
        "A refusal says that nothing was written only if the tag is unchanged", arguments: chips,
        [nil, ASCIIMirror.Content.uid])
    func refusedLate(_ chip: String, _ mirror: ASCIIMirror.Content?) async throws {
        let statuses: [[UInt8]] = [[0x69, 0x82], [0x6A, 0x80], [0x91, 0xAE], [0x91, 0x9D]]
        for status in chip == "NTAG424" ? statuses : [[]] {
            var (unchanged, changed) = (0, 0)
            // From this command on, the tag refuses every command.
            for count in 1...60 {
                let world = try world(chip)
                _ = try await write(Self.other, on: world, Self.overwriting)
                let uid = try await world.station.messages.read().uid
                let before = try await memory(of: world)
                let sent = Guarded(0)
                @Sendable func isRefused() -> Bool {
                    sent.withLock { sent in
                        sent += 1
                        return sent >= count
                    }
                }
                let reader = InterposedReader(
                    world.reader,
                    command: { command, reader throws(ReaderError) in
                        if isRefused() { return status }
                        return try await reader.exchange(command: command)
                    },
                    answer: { frame, reader throws(ReaderError) in
                        if isRefused() { throw ReaderError(.refused(NAK.invalidArgument)) }
                        return try await reader.exchange(frame)
                    })
                let options = mirror.map { TagMirrorTests.options($0) } ?? Self.overwriting
                let message = mirror.map { TagMirrorTests.link($0, uid) } ?? Self.link
                let what: Comment = "\(status) from command \(count)"
                do throws(TapcardError) {
                    _ = try await world.station(reader: reader).messages.write(options) { _ in
                        message
                    }
                    break
                } catch {
                    let isSame = try await memory(of: world) == before
                    if isSame { unchanged += 1 } else { changed += 1 }
                    #expect(isSame || error.kind == .outcomeUnknown, what)
                    #expect(isSame || error.meaning != "Nothing was written to the tag.", what)
                }
            }
            #expect(unchanged > 0 && changed > 0, "\(status)")
        }
    }

    /// Everything on the tag that a write changes.
    private func memory(of world: World) async throws -> [[UInt8]] {
        try await world.reader.change { field in
            field.tags.map { $0.pages.flatMap(\.bytes) }
                + field.chips.flatMap { chip in chip.files.map(\.bytes) }
        }
    }

    /// Proves that the previous test can fail.
    @Test("If the length is not set to zero first, a phone reads a mixture")
    func mutant() async throws {
        let messages = ["A", "B"].map { letter in
            NDEFMessage([
                NDEFText(language: "en", text: String(repeating: letter, count: 40)).record
            ])
        }
        let whole = try messages.map { try $0.encoded() }
        var mixtures = 0
        for frame in 1...40 {
            let world = try world("NTAG213")
            _ = try await write(messages[0], on: world)
            try await world.arm(Fault(at: frame, counting: .frame, .pulledAfter))
            let isFirst = Guarded(true)
            let reader = InterposedReader(
                world.reader,
                answer: { frame, reader throws(ReaderError) in
                    // The first WRITE, which sets the length to zero, does not reach the tag.
                    let isHeldBack =
                        frame.first == 0xA2
                        && isFirst.withLock { isFirst in
                            defer { isFirst = false }
                            return isFirst
                        }
                    return isHeldBack ? [] : try await reader.exchange(frame)
                })
            _ = try? await world.station(reader: reader).messages.write(Self.overwriting) { _ in
                messages[1]
            }
            try await world.reader.change { field in
                field.fault = nil
                field.put(field.tags.map(\.uid))
            }
            await world.reader.release()
            let found = try await world.station.messages.read()
            if found.problem == nil, !found.hasNoRecords, !whole.contains(found.message) {
                mixtures += 1
            }
        }
        #expect(mixtures > 0)
    }
}
