import Cards
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs

/// Messages that the chip completes with its UID or counter, and passwords.
@Suite("Mirrors and passwords on any tag")
struct TagMirrorTests {
    static let old = NDEFMessage([
        NDEFText(language: "en", text: "An older text that is longer than the link.").record
    ])

    static func options(
        _ mirror: ASCIIMirror.Content?, password: [UInt8]? = nil
    ) -> WriteOptions {
        var options = WriteOptions()
        options.overwrites = true
        options.mirror = mirror
        options.protects = password != nil
        options.password = password.map { TagPassword(password: $0, pack: []) }
        return options
    }

    static func link(_ mirror: ASCIIMirror.Content, _ uid: [UInt8]) -> NDEFMessage {
        let digits = String(decoding: mirror.digits(uid: uid, counter: 0), as: UTF8.self)
        return NDEFMessage([NDEFURI("https://example.com/t?m=\(digits)&n=1").record])
    }

    @discardableResult
    static func write(
        _ message: NDEFMessage?, on world: World, _ options: WriteOptions
    ) async throws(TapcardError) -> WrittenTag {
        try await world.station.messages.write(options) { reading in
            message ?? link(options.mirror ?? .uid, reading.uid)
        }
    }

    /// Returns the link that a phone reads from the tag.
    private static func shownLink(_ world: World) async throws -> String? {
        let reading = try await world.station.messages.read()
        guard case .uri(let uri)? = reading.records.first else { return nil }
        return uri
    }

    @Test(
        "The chip fills its UID and counter into the link",
        arguments: Type2Chip.known, ASCIIMirror.Content.allCases)
    func shows(_ chip: Type2Chip, _ content: ASCIIMirror.Content) async throws {
        let world = World(try World.blank(chip))
        let uid = try await world.tag().uid
        for replaced in [nil, Self.old, nil, Self.link(.uid, uid)] {
            let isMirrored = replaced == nil
            let options = Self.options(isMirrored ? content : nil)
            #expect(try await !Self.write(replaced, on: world, options).wasThere)
            // The counter is above zero now, so reads return other digits than the memory holds.
            #expect(try await Self.write(replaced, on: world, options).wasThere)
            let tag = try await world.tag()
            let settings = try #require(
                chip.configurationPage.map { AccessConfiguration(tag[$0], tag[$0 + 1]) })
            #expect(settings.mirror?.content == (isMirrored ? content : nil))
            #expect(settings.firstProtected == AccessConfiguration.nothing)
            guard isMirrored else { continue }
            let digits = content.digits(uid: uid, counter: tag.counter + 1)
            #expect(
                try await Self.shownLink(world)
                    == "https://example.com/t?m=\(String(decoding: digits, as: UTF8.self))&n=1")
        }
    }

    @Test("A new mirror replaces the old one")
    func another() async throws {
        let world = World(try World.blank())
        for content: ASCIIMirror.Content in [.counter, .both, .uid, .counter] {
            try await Self.write(nil, on: world, Self.options(content))
            #expect(try await world.station.tagInfo().configuration?.mirror?.content == content)
        }
    }

    @Test("A mirror requires a chip that supports it and exactly one placeholder")
    func refused() async throws {
        let world = World(try World.blank())
        let before = try await world.tag()
        let uid = before.uid
        let twice = NDEFMessage(Array(repeating: Self.link(.uid, uid).records[0], count: 2))
        for message in [Self.old, twice] {
            let refused = await #expect(throws: TapcardError.self) {
                try await Self.write(message, on: world, Self.options(.uid))
            }
            #expect(refused?.kind == .usage)
        }
        #expect(try await world.tag() == before)
        // If the settings are locked, a mirror can be neither added nor removed.
        for mirror: UInt8 in [0x04, 0x44] {
            try await world.alter { tag in
                tag[0x29] = Page(mirror, 0, 0x08, 0xFF)
                tag[0x2A] = Page(0x40, 0x05, 0, 0)
            }
            let content: ASCIIMirror.Content? = mirror == 0x04 ? .uid : nil
            let locked = try await world.tag()
            let refused = await #expect(throws: TapcardError.self) {
                try await Self.write(Self.link(.uid, uid), on: world, Self.options(content))
            }
            #expect(refused?.kind == .lockedTag)
            #expect(try await world.tag().pages == locked.pages)
        }
        let other = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        let tag = try #require(TagMemory.blank(other, uid: uid))
        try await world.put(tag)
        let unsupported = await #expect(throws: TapcardError.self) {
            try await Self.write(nil, on: world, Self.options(.uid))
        }
        #expect(unsupported?.kind == .unsupportedTag)
        #expect(try await world.tag() == tag)
    }

    static let faults: [Fault.Kind] =
        [.lost, .acknowledgeLost, .garbled, .late, .refused(0)]
        + [
            TornPage.unchanged, .new, .zero, .mix(seed: 3), .someOnes(seed: 5),
            .erasedToSomeOnes(seed: 8), .lowestOnes(5), .highestOnes(9), .erasedToLowestOnes(7),
        ].map(Fault.Kind.torn)

    /// Returns the message that a phone reads from the tag; nil if it finds none.
    private static func shown(_ world: World) async throws -> [UInt8]? {
        let reading = try? await world.station.messages.read()
        guard let reading, !reading.hasNoRecords, reading.problem == nil else { return nil }
        return reading.message
    }

    /// Returns the message with the counter set to zero, and whether the chip had filled in values.
    private static func plain(_ message: [UInt8], _ sample: [UInt8]) -> (bytes: [UInt8], Bool) {
        guard message.count == sample.count,
            let end = message.firstRange(of: Array("&n=1".utf8))?.lowerBound
        else { return (message, true) }
        var bytes = message
        bytes.replaceSubrange(end - 6..<end, with: sample[end - 6..<end])
        return (bytes, bytes != message)
    }

    @Test(
        "After a fault at any frame, phones read the old message, none, or the mirrored one",
        arguments: [Type2Chip.ntag213, .ntag216], [ASCIIMirror.Content.uid, .both])
    func torn(_ chip: Type2Chip, _ content: ASCIIMirror.Content) async throws {
        let blank = World(try World.blank(chip))
        let uid = try await blank.tag().uid
        let new = try Self.link(content, uid).encoded()
        // In half of the worlds, the old message also has a mirror.
        for isMirrored in [false, true] {
            let before = World(try World.blank(chip))
            let old = isMirrored ? Self.link(.counter, uid) : Self.old
            try await Self.write(old, on: before, Self.options(isMirrored ? .counter : nil))
            let tag = try await before.tag()
            for kind in Self.faults {
                for frame in 1... {
                    let world = World(try World.blank(chip))
                    try await world.put(tag)
                    try await world.arm(Fault(at: frame, counting: .frame, kind))
                    var isWritten = false
                    do {
                        try await Self.write(nil, on: world, Self.options(content))
                        isWritten = true
                    } catch {}
                    let isOver = try await world.isArmed()
                    try await world.putBack()
                    let what: Comment = "\(chip), \(kind) at frame \(frame), \(isMirrored)"
                    if let shown = try await Self.shown(world) {
                        let sample = try isMirrored ? old.encoded() : new
                        let asOld = Self.plain(shown, sample).bytes == (try old.encoded())
                        let (asNew, isFilled) = Self.plain(shown, new)
                        let isNew = asNew == new && (isFilled || content == .uid)
                        #expect(isNew || (asOld && !isWritten), what)
                    } else {
                        #expect(!isWritten, what)
                    }
                    // A second attempt finishes the write and leaves no password.
                    let torn = try await world.tag()
                    try await Self.write(nil, on: world, Self.options(content))
                    let shown = try #require(try await Self.shown(world))
                    #expect(Self.plain(shown, new).bytes == new, what)
                    #expect(try await !world.station.tagInfo().isProtected, what)
                    try await world.put(torn)
                    try await Self.write(Self.old, on: world, Self.options(nil))
                    #expect(try await Self.shown(world) == Self.old.encoded(), what)
                    if !isWritten {
                        #expect(try await !world.station.tagInfo().isProtected, what)
                    }
                    if isOver { break }
                }
            }
        }
    }

    @Test(
        "A protected tag can be changed only with its password", arguments: Type2Chip.known)
    func protects(_ chip: Type2Chip) async throws {
        let world = World(try World.blank(chip))
        let options = Self.options(.uid, password: [1, 2, 3, 4])
        try await Self.write(nil, on: world, options)
        #expect(try await Self.write(nil, on: world, options).wasThere)
        let tag = try await world.tag()
        #expect(try await world.station.tagInfo().isProtected)
        // The tag holds the message, but reporting success would imply that it has this password.
        let refused = await #expect(throws: TapcardError.self) {
            try await Self.write(nil, on: world, Self.options(.uid, password: [9, 9, 9, 9]))
        }
        #expect(refused?.kind == .protectedTag)
        var other = Self.options(nil)
        for wrong: [UInt8]? in [nil, [4, 3, 2, 1]] {
            other.password = wrong.map { TagPassword(password: $0, pack: []) }
            let refused = await #expect(throws: TapcardError.self) {
                try await Self.write(Self.old, on: world, other)
            }
            #expect(refused?.kind == .protectedTag)
            #expect(try await world.tag().pages == tag.pages)
        }
        other.password = options.password
        try await Self.write(Self.old, on: world, other)
        #expect(try await world.station.messages.read().message == Self.old.encoded())
        #expect(try await world.station.tagInfo().isProtected)
        let kept = await #expect(throws: TapcardError.self) {
            try await world.station.messages.unprotect(
                TagPassword(password: [9, 9, 9, 9], pack: []))
        }
        #expect(kept?.kind == .protectedTag)
        #expect(try await world.station.tagInfo().isProtected)
        _ = try await world.station.messages.unprotect(try #require(options.password))
        #expect(try await !world.station.tagInfo().isProtected)
        try await Self.write(nil, on: world, Self.options(nil))
    }

    @Test("After a fault at any frame, the password can still be set", arguments: [true, false])
    func tornPassword(isMirrored: Bool) async throws {
        let options = Self.options(isMirrored ? .uid : nil, password: [1, 2, 3, 4])
        for kind in Self.faults {
            for frame in 1... {
                let world = World(try World.blank())
                let new = Self.link(.uid, try await world.tag().uid)
                try await Self.write(Self.old, on: world, Self.options(nil))
                try await world.arm(Fault(at: frame, counting: .frame, kind))
                _ = try? await Self.write(new, on: world, options)
                let isOver = try await world.isArmed()
                try await world.putBack()
                let what: Comment = "\(kind) at frame \(frame)"
                if let shown = try await Self.shown(world) {
                    let known = try [Self.old.encoded(), new.encoded()]
                    #expect(known.contains(shown), what)
                }
                try await Self.write(new, on: world, options)
                #expect(try await Self.shown(world) == new.encoded(), what)
                #expect(try await Self.write(new, on: world, options).wasThere, what)
                #expect(
                    try await world.tag()[0x29][3] == AccessConfiguration.everything, what)
                if isOver { break }
            }
        }
    }
}
