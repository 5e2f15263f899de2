import CardCryptography
import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs

/// Messages that an NTAG 424 completes with its UID or counter (SDM).
@Suite("Mirrors on an NTAG 424")
struct NTAG424MirrorTests: ProvenCards {
    /// A message and the mirror in it.
    private struct Content: Hashable, CustomStringConvertible {
        let message: [UInt8]
        let mirror: ASCIIMirror.Content?

        init(_ message: NDEFMessage, _ mirror: ASCIIMirror.Content?) throws {
            (self.message, self.mirror) = (try message.encoded(), mirror)
        }

        /// Returns what a phone reads after this many reads of the chip.
        func shown(_ reads: UInt32?) -> [UInt8] {
            guard let digits = mirror?.counterRange, let reads,
                let end = message.firstRange(of: Array("&n=1".utf8))?.lowerBound
            else { return message }
            var bytes = message
            bytes.replaceSubrange(
                end - digits.count..<end,
                with: ASCIIMirror.Content.counter.digits(uid: [], counter: reads))
            return bytes
        }

        var description: String { mirror?.rawValue ?? "none" }
    }

    private static func contents(_ uid: [UInt8]) throws -> [Content] {
        try [Content(TagMirrorTests.old, nil)]
            + ASCIIMirror.Content.allCases.map { try Content(TagMirrorTests.link($0, uid), $0) }
    }

    @discardableResult
    private func write(
        _ content: Content, on world: World
    ) async throws(TapcardError) -> WrittenTag {
        try await world.station.messages.write(TagMirrorTests.options(content.mirror)) {
            _ throws(TapcardError) in
            try translating(NDEFMessage(decoding: content.message, .strict)) { (_: NDEFError) in
                TapcardError(.usage, "not a message", meaning: "")
            }
        }
    }

    /// Returns the message that a phone reads and the number of reads, which the chip counts while
    /// a mirror is on.
    private func phone(_ world: World) async throws -> (message: [UInt8], reads: UInt32?) {
        let seen = try await world.reader.change { field in
            field.showToPhone(field.chips[0].number) { [UInt8](repeating: 7, count: $0) }
        }
        guard case .message(let message?, let reads)? = seen else {
            Issue.record("the phone reads nothing")
            return ([], nil)
        }
        return (message, reads)
    }

    private func expectShown(
        _ content: Content, on world: World, _ what: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (message, reads) = try await phone(world)
        #expect(message == content.shown(reads), what, sourceLocation: sourceLocation)
        #expect((reads != nil) == (content.mirror != nil), what, sourceLocation: sourceLocation)
    }

    @Test("The chip fills in what the mirror of the last written message requires")
    func shows() async throws {
        let world = try factory()
        let before = try await chip(world)
        let contents = try Self.contents(before.uid.bytes)
        for old in contents {
            for new in contents where new != old {
                try await write(old, on: world)
                #expect(try await !write(new, on: world).wasThere, "\(old) to \(new)")
                try await expectShown(new, on: world, "\(old) to \(new)")
                #expect(try await write(new, on: world).wasThere, "\(old) to \(new)")
            }
        }
        let after = try await chip(world)
        #expect(after.keys == before.keys)
        #expect(after[.ndef].settings.rights == before[.ndef].settings.rights)
        try await write(contents[0], on: world)
        #expect(try await chip(world)[.ndef].settings == before[.ndef].settings)
    }

    @Test("After a fault at any command, phones read the old message, none, or the new one")
    func torn() async throws {
        let blank = try await chip(try factory())
        let contents = try Self.contents(blank.uid.bytes)
        let kinds = TagMirrorTests.faults + [.pulledAfter]
        var count = 0
        for (old, new) in contents.flatMap({ old in contents.map { (old, $0) } }) where old != new {
            let world = try factory()
            try await write(old, on: world)
            let before = try await chip(world)
            for kind in kinds {
                for frame in 1... {
                    try await put(before, on: world)
                    try await world.arm(Fault(at: frame, counting: .frame, kind))
                    var isWritten = false
                    do {
                        try await write(new, on: world)
                        isWritten = true
                    } catch {}
                    let isOver = try await world.isArmed()
                    try await world.reader.change { $0.fault = nil }
                    let torn = try await chip(world)
                    let what: Comment = "\(old) to \(new), \(kind) at command \(frame)"
                    let (message, reads) = try await phone(world)
                    #expect(
                        message == new.shown(reads)
                            || (!isWritten && (message.isEmpty || message == old.shown(reads))),
                        what)
                    #expect(torn.keys == before.keys, what)
                    // A second attempt finishes the write or restores the old message.
                    for next in [new, old] {
                        try await put(torn, on: world)
                        try await write(next, on: world)
                        try await expectShown(next, on: world, what)
                    }
                    if isOver { break }
                    count += 1
                }
            }
        }
        #expect(count > 2_000)
    }

    @Test("Without the right key, the mirror is neither set up nor removed")
    func refused() async throws {
        let world = try factory()
        let contents = try Self.contents(try await chip(world).uid.bytes)
        for (old, new) in [(contents[0], contents[1]), (contents[2], contents[0])] {
            try await put(try #require(NTAG424Memory(factory: chip(world).uid.bytes)), on: world)
            try await write(old, on: world)
            let whole = try await chip(world)
            let settings = Array(Hexadecimal.encode(whole[.ndef].settings.change))
            func changing(_ place: Int, _ digit: Character) -> String {
                var digits = settings
                digits[place] = digit
                return String(digits)
            }
            for (values, failures) in [
                // Keys of another issuer, and a key with the factory's version.
                (["key-0": "\(Self.strange) 5 0 0 0"], 0),
                (["key-0": "\(Self.strange) 0 0 0 0"], 1),
                // No key may change the settings.
                (["settings-2": changing(3, "F")], 0),
            ] {
                let before = try altering(whole, values)
                try await put(before, on: world)
                let refused = await #expect(throws: TapcardError.self, "\(values)") {
                    try await write(new, on: world)
                }
                #expect(refused?.kind == .protectedTag, "\(values)")
                #expect(refused?.next == [.tag(.useAnother)], "\(values)")
                let after = try await chip(world)
                #expect(after.files == before.files, "\(values)")
                #expect(after[.application].failures == failures, "\(values)")
                try await expectShown(old, on: world)
                // The mirror does not change, so no key is needed.
                #expect(try await write(old, on: world).wasThere, "\(values)")
            }
        }
    }

    @Test("The mirror is set up with this station's key 0, but not on a card")
    func stationKeys() async throws {
        let world = try factory()
        let uid = try await chip(world).uid
        let masters = World.keys.sealing.masters
        let keys = NTAG424CardKeys(masters, uid: uid)
        let key = Hexadecimal.encode(keys[.application].copyOfBytes())
        try await put(
            try altering(try await chip(world), ["key-0": "\(key) \(keys.version) 0 0 0"]),
            on: world)
        let new = try Self.contents(uid.bytes)[3]
        try await write(new, on: world)
        try await expectShown(new, on: world)
        // A card's file accepts changes only with key 4.
        let closed = try await made(0)
        _ = try await closed.station.close(id: World.id(2))
        let before = try await chip(closed)
        let refused = await #expect(throws: TapcardError.self) {
            try await write(new, on: closed)
        }
        #expect(refused?.kind == .protectedTag)
        #expect(try await chip(closed).files == before.files)
    }

    @Test("A mirror is refused on any other Type 4 tag")
    func otherTag() async throws {
        let world = try factory()
        let new = try Self.contents(try await chip(world).uid.bytes)[1]
        let reader = InterposedReader(
            world.reader,
            command: { command, reader throws(ReaderError) in
                guard command.first == 0 else { return [0x6E, 0x00] }
                return try await reader.exchange(command: command)
            })
        let before = try await chip(world)
        let refused = await #expect(throws: TapcardError.self) {
            try await world.station(reader: reader).messages.write(
                TagMirrorTests.options(new.mirror)
            ) { _ in TagMirrorTests.link(.uid, before.uid.bytes) }
        }
        #expect(refused?.kind == .unsupportedTag)
        #expect(try await chip(world) == before)
        _ = try await world.station(reader: reader).messages.write(TagMirrorTests.options(nil)) {
            _ in TagMirrorTests.old
        }
        #expect(try await phone(world).message == TagMirrorTests.old.encoded())
    }

    @Test("A tag with a mirror of an unknown kind is never written to")
    func unknownMirror() async throws {
        // Standard file, mirror on, rights, size; then a TagTamper status, and a UID whose
        // counter is missing. In the last, the size is that of another chip.
        let head: [UInt8] = [0x00, 0x40, 0xE0, 0xEE]
        for settings: [UInt8] in [
            head + [0x00, 0x01, 0x00, 0xC9, 0xFF, 0x12, 1, 0, 0, 9, 0, 0, 0, 0, 0],
            head + [0x00, 0x01, 0x00, 0x81, 0xFF, 0x12, 1, 0, 0],
            head + [0x80, 0x00, 0x00, 0x81, 0xFE, 0x12, 1, 0, 0],
        ] {
            let world = try factory()
            let contents = try Self.contents(try await chip(world).uid.bytes)
            try await write(contents[0], on: world)
            let before = try await chip(world)
            let reader = InterposedReader(
                world.reader,
                command: { command, reader throws(ReaderError) in
                    command.starts(with: [0x90, 0xF5])
                        ? settings + [0x91, 0x00] : try await reader.exchange(command: command)
                })
            for new in contents {
                let refused = await #expect(throws: TapcardError.self) {
                    try await world.station(reader: reader).messages.write(
                        TagMirrorTests.options(new.mirror)
                    ) { _ in TagMirrorTests.old }
                }
                #expect(refused?.kind == .unsupportedTag)
            }
            #expect(try await chip(world) == before)
        }
    }
}
