import Cards
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A tag is called read-only only if nothing on it can be changed.
@Suite("Making a tag read-only")
struct TagLockTests {
    private static func options(_ mirror: ASCIIMirror.Content? = nil) -> WriteOptions {
        var options = TagMirrorTests.options(mirror)
        options.locks = true
        return options
    }

    private func lock(_ world: World, _ mirror: ASCIIMirror.Content? = nil) async throws {
        let written = try await TagMirrorTests.write(
            mirror == nil ? TagMirrorTests.old : nil, on: world, Self.options(mirror))
        #expect(written.isLocked)
    }

    /// Whether no page of the tag can be changed.
    private func isReadOnly(_ tag: TagMemory) throws -> Bool {
        let chip = tag.chip
        let dynamic = tag[try #require(chip.dynamicLockPage)]
        let first = try #require(chip.configurationPage)
        return ([3] + chip.userPages).allSatisfy { chip.isLocked($0, by: tag[2], dynamic) }
            && AccessConfiguration(tag[first], tag[first + 1]).isLocked
    }

    @Test("The settings are locked with the message", arguments: Type2Chip.known)
    func settings(_ chip: Type2Chip) async throws {
        for mirror in [nil, ASCIIMirror.Content.uid, .both] {
            let world = World(try World.blank(chip))
            try await lock(world, mirror)
            let tag = try await world.tag()
            #expect(try isReadOnly(tag))
            #expect(try await world.station.tagInfo().configuration?.isLocked == true)
            // There is nothing left to do.
            try await lock(world, mirror)
            #expect(try await world.tag().pages == tag.pages)
        }
    }

    @Test("What other software left unlocked is locked too", arguments: Type2Chip.known)
    func partlyLocked(_ chip: Type2Chip) async throws {
        let lockPage = try #require(chip.dynamicLockPage)
        let changes: [(inout TagMemory) -> Void] = [
            // Only the static lock bits and the container are set.
            { tag in
                tag[2] = Page(tag[2][0], tag[2][1], 0xFF, 0xFF)
                tag[3][3] = 0x0F
            },
            { tag in
                tag[2] = Page(tag[2][0], tag[2][1], 0xF8, 0xFF)
                tag[3][3] = 0x0F
            },
            { $0[lockPage] = Page(0x01, 0, 0, 0xBD) },
            { tag in tag[2] = Page(tag[2][0], tag[2][1], 0x08, 0x00) },
        ]
        for change in changes {
            let world = World(try World.blank(chip))
            try await TagMirrorTests.write(
                TagMirrorTests.old, on: world, TagMirrorTests.options(nil))
            try await world.alter(change)
            try await lock(world)
            #expect(try isReadOnly(try await world.tag()))
        }
    }

    @Test("A tag with frozen lock bits is refused unchanged", arguments: Type2Chip.known)
    func frozen(_ chip: Type2Chip) async throws {
        let lockPage = try #require(chip.dynamicLockPage)
        let changes: [(inout TagMemory) -> Void] = [
            { $0[lockPage] = Page(0, 0, 0x01, 0xBD) },
            { tag in tag[2] = Page(tag[2][0], tag[2][1], 0x02, 0) },
            { tag in
                tag[2] = Page(tag[2][0], tag[2][1], 0xFF, 0xFF)
                tag[3][3] = 0x0F
                tag[lockPage] = Page(0, 0, 0x0F, 0xBD)
            },
        ]
        for change in changes {
            let world = World(try World.blank(chip))
            try await TagMirrorTests.write(
                TagMirrorTests.old, on: world, TagMirrorTests.options(nil))
            try await world.alter(change)
            let before = try await world.tag()
            let refused = await #expect(throws: TapcardError.self) { try await lock(world) }
            #expect(refused?.kind == .lockedTag)
            #expect(refused?.meaning == "Nothing was written to the tag.")
            #expect(try await world.tag().pages == before.pages)
        }
    }

    @Test(
        "After a fault at any frame, locking can be finished",
        arguments: [nil, ASCIIMirror.Content.uid, .both])
    func torn(_ mirror: ASCIIMirror.Content?) async throws {
        var lost = 0
        for kind in TagMirrorTests.faults {
            for frame in 1... {
                let world = World(try World.blank())
                try await world.arm(Fault(at: frame, counting: .frame, kind))
                _ = try? await lock(world, mirror)
                let isOver = try await world.isArmed()
                try await world.putBack()
                let what: Comment = "\(kind) at frame \(frame)"
                do throws(TapcardError) {
                    let written = try await TagMirrorTests.write(
                        mirror == nil ? TagMirrorTests.old : nil, on: world, Self.options(mirror))
                    #expect(written.isLocked, what)
                } catch {
                    // A torn WRITE can lock the settings and turn the counter off at once.
                    #expect(error.kind == .lockedTag && mirror == .both, what)
                    lost += 1
                    continue
                }
                #expect(try isReadOnly(try await world.tag()), what)
                if isOver { break }
            }
        }
        #expect(lost <= 1)
    }
}
