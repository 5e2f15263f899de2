import Cards
import PortDoubles
import Tags
import Testing

@Suite("Frames that switch the protection of a tag")
struct SwitchProtectionTests {
    static let identity = TagIdentity(uid: [0x04, 1, 2, 3, 4, 5, 6])
    static let password = TagPassword(password: [1, 2, 3, 4], pack: [5, 6])
    static let probe = PageWrite(0x20, Page(9, 8, 7, 6))
    static let open: [UInt8] = [4, 0, 0, 0xFF, 0, 5, 0, 0] + [UInt8](repeating: 0, count: 8)
    static let closed: [UInt8] = [4, 0, 0, 0x02, 0, 5, 0, 0] + [UInt8](repeating: 0, count: 8)
    static let page: [UInt8] = [9, 8, 7, 6] + [UInt8](repeating: 0, count: 12)

    private static func on() throws -> SwitchProtection {
        try #require(
            SwitchProtection(.on(probe: probe), identity, chip: .ntag213, password: password))
    }

    private static let onScript: [ScriptedReader.Reply] = [
        .answer(open), .answer([5, 6]), .answer([]), .answer([]), .tag(identity),
        .answer(closed), .answer(page), .failure(.refused(0)), .tag(identity), .answer([5, 6]),
        .answer(page),
        .answer([]),
    ]

    @Test("Switching on proves the password, writes AUTH0 and checks it after a power cycle")
    func switchOn() async throws {
        let played = await play(try Self.on(), Self.onScript)
        #expect(
            played.trace == [
                [0x30, 0x29], [0x1B, 1, 2, 3, 4], [0xA2, 0x2A, 0, 5, 0, 0],
                [0xA2, 0x29, 4, 0, 0, 2], [], [0x30, 0x29], [0x30, 0x20], [0xA2, 0x20, 9, 8, 7, 6],
                [], [0x1B, 1, 2, 3, 4], [0x30, 0x20],
                [0xA2, 0x20, 9, 8, 7, 6],
            ])
        #expect(played.outcome != nil && played.unused == 0)
    }

    @Test(
        "Switching on stops at the first failure of any frame",
        arguments: ReaderError.Kind.everyKind)
    func failures(_ kind: ReaderError.Kind) async throws {
        for step in Self.onScript.indices {
            let isRefusal = if case .refused = kind { true } else { false }
            if step == 7, isRefusal { continue }
            let script = Self.onScript.prefix(step) + [.failure(kind)]
            let played = await play(try Self.on(), Array(script))
            #expect(played.trace.count == step + 1)
            let isPassword = step == 1 && (kind == .refused(0) || kind == .refused(4))
            let isPasswordAgain = step == 9 && kind == .refused(0)
            let expected: CardStoreError.Kind =
                isPassword || isPasswordAgain ? .wrongPassword : .interrupted(kind)
            #expect(played.error?.kind == expected, "step \(step)")
        }
    }

    @Test("Nothing is written if a tag limits passwords or locks its settings")
    func settings() async throws {
        let cases: [([UInt8], CardStoreError.Kind)] = [
            ([4, 0, 0, 0xFF, 0x01], .limitsPasswords), ([4, 0, 0, 2, 0x07], .limitsPasswords),
            ([4, 0, 0, 0xFF, 0x87], .limitsPasswords), ([4, 0, 0, 0xFF, 0x40], .lockedSettings),
        ]
        for (settings, kind) in cases {
            let answer = settings + [UInt8](repeating: 0, count: 16 - settings.count)
            let played = await play(try Self.on(), [.answer(answer)])
            #expect(played.error?.kind == kind)
            #expect(played.trace == [[0x30, 0x29]])
        }
    }

    @Test("Read protection is lifted after the password is proved, and the counter setting stays")
    func hidden() async throws {
        var script = Self.onScript
        script[0] = .answer([4, 0, 0, 0x2B, 0x90, 5] + [UInt8](repeating: 0, count: 10))
        let played = await play(try Self.on(), script)
        #expect(played.trace[1...2] == [[0x1B, 1, 2, 3, 4], [0xA2, 0x2A, 0x10, 5, 0, 0]])
        #expect(played.outcome != nil)
    }

    @Test("Switching on notices another tag, a page that differs and an ignored password")
    func surprises() async throws {
        let other = TagIdentity(uid: [0x04, 6, 5, 4, 3, 2, 1])
        let cases: [(Int, ScriptedReader.Reply, CardStoreError.Kind)] = [
            (1, .answer([6, 5]), .wrongPassword), (4, .tag(other), .otherTag),
            (5, .answer(Self.open), .differs), (6, .answer(Self.closed), .differs),
            (7, .answer([]), .ignoresPassword), (8, .tag(other), .otherTag),
            (9, .answer([6, 5]), .wrongPassword), (10, .answer(Self.closed), .differs),
            (0, .answer([1]), .garbled), (2, .answer([1]), .garbled), (3, .answer([1]), .garbled),
            (11, .answer([1]), .garbled),
        ]
        for (step, reply, kind) in cases {
            let played = await play(try Self.on(), Array(Self.onScript.prefix(step)) + [reply])
            #expect(played.error?.kind == kind, "step \(step)")
            #expect(played.trace.count == step + 1)
        }
    }

    @Test("Switching off clears AUTH0 and reads it back after a power cycle")
    func switchOff() async throws {
        func off() throws -> SwitchProtection {
            try #require(
                SwitchProtection(
                    .off, Self.identity, chip: .ntag216, password: Self.password))
        }
        let script: [ScriptedReader.Reply] = [
            .answer(Self.closed), .answer([5, 6]), .answer([]), .tag(Self.identity),
        ]
        let played = await play(try off(), script + [.answer(Self.open)])
        #expect(
            played.trace == [
                [0x30, 0xE3], [0x1B, 1, 2, 3, 4], [0xA2, 0xE3, 4, 0, 0, 0xFF], [], [0x30, 0xE3],
            ])
        #expect(played.outcome != nil)
        #expect(await play(try off(), script + [.answer(Self.closed)]).error?.kind == .differs)
    }
}

@Suite("Frames that set a password")
struct SetPasswordTests {
    private static func set(
        _ password: TagPassword?, on settings: [UInt8], _ script: [ScriptedReader.Reply]
    ) async throws -> Played<Void> {
        let setting = try #require(SetPassword(password, chip: .ntag213))
        let answer = settings + [UInt8](repeating: 0, count: 16 - settings.count)
        return await play(setting, [.answer(answer)] + script)
    }

    private static let acknowledged = ScriptedReader.Reply.answer([])
    private static let password = SwitchProtectionTests.password

    @Test("Setting a password lifts limits, spoils PACK, writes PWD and PACK, and proves both")
    func order() async throws {
        let played = try await Self.set(
            Self.password, on: [4, 0, 0, 0xFF, 0, 5],
            [Self.acknowledged, Self.acknowledged, Self.acknowledged, Self.acknowledged]
                + [.answer([5, 6])])
        #expect(
            played.trace == [
                [0x30, 0x29], [0xA2, 0x2A, 0, 5, 0, 0], [0xA2, 0x2C, 0, 0, 0, 0],
                [0xA2, 0x2B, 1, 2, 3, 4],
                [0xA2, 0x2C, 5, 6, 0, 0], [0x1B, 1, 2, 3, 4],
            ])
        #expect(played.outcome != nil)
    }

    @Test("Lifting a limit on passwords leaves the counter setting as it is")
    func relieving() async throws {
        let played = try await Self.set(
            Self.password, on: [4, 0, 0, 0xFF, 0x97, 5],
            [
                Self.acknowledged, Self.acknowledged, Self.acknowledged, Self.acknowledged,
                .answer([5, 6]),
            ])
        #expect(played.trace[1] == [0xA2, 0x2A, 0x10, 5, 0, 0])
        #expect(played.outcome != nil)
    }

    @Test("No password is set on a tag that is protected or has locked settings")
    func refused() async throws {
        for first in [0x00, 0x02, 0x2C] as [UInt8] {
            let played = try await Self.set(Self.password, on: [4, 0, 0, first], [])
            #expect(played.error?.kind == .wrongPassword && played.trace.count == 1)
        }
        let locked = try await Self.set(Self.password, on: [4, 0, 0, 0xFF, 0x40], [])
        #expect(locked.error?.kind == .lockedSettings && locked.trace.count == 1)
    }

    @Test("A password is not taken as set unless the tag answers with its PACK")
    func proof() async throws {
        for reply in [.answer([5, 7]), .failure(.refused(0)), .failure(.refused(4))]
            as [ScriptedReader.Reply]
        {
            let played = try await Self.set(
                Self.password, on: [4, 0, 0, 0xFF],
                [Self.acknowledged, Self.acknowledged, Self.acknowledged, Self.acknowledged, reply])
            #expect(played.error?.kind == .wrongPassword)
        }
        let lost = try await Self.set(
            Self.password, on: [4, 0, 0, 0xFF], [Self.acknowledged, .failure(.tagLost)])
        #expect(lost.error?.kind == .interrupted(.tagLost))
    }

    @Test("Clearing a password restores the factory's PACK and then PWD")
    func clearing() async throws {
        let played = try await Self.set(
            nil, on: [4, 0, 0, 0xFF], [Self.acknowledged, Self.acknowledged])
        #expect(
            played.trace == [
                [0x30, 0x29], [0xA2, 0x2C, 0, 0, 0, 0], [0xA2, 0x2B, 0xFF, 0xFF, 0xFF, 0xFF],
            ])
        #expect(played.outcome != nil)
    }
}

@Suite("Finding the password of a tag")
struct FindPasswordTests {
    private static let passwords = (1...3).map { number in
        TagPassword(
            password: [UInt8](repeating: UInt8(number), count: 4), pack: [9, UInt8(number)])
    }

    private static func find(_ script: [ScriptedReader.Reply]) async -> Played<Int?> {
        await play(FindPassword(SwitchProtectionTests.identity, among: passwords), script)
    }

    private static let again = ScriptedReader.Reply.tag(SwitchProtectionTests.identity)

    @Test("Passwords are tried in order, with a selection in between")
    func order() async {
        let played = await Self.find([.failure(.refused(0)), Self.again, .answer([9, 2])])
        #expect(played.trace == [[0x1B, 1, 1, 1, 1], [], [0x1B, 2, 2, 2, 2]])
        #expect(played.outcome == .some(1))
    }

    @Test("A right PWD with a different PACK is taken for another issuer's")
    func otherPack() async {
        let played = await Self.find(
            [.answer([9, 9]), Self.again, .failure(.refused(0)), Self.again]
                + [.failure(.refused(4)), Self.again])
        #expect(played.outcome == .some(nil) && played.error == nil)
    }

    @Test("A right PWD is enough if no proof by PACK is asked for")
    func withoutExpectedPACK() async {
        let lenient = FindPassword(
            SwitchProtectionTests.identity, among: Self.passwords.map(\.withoutExpectedPACK))
        let played = await play(
            lenient,
            [.failure(.refused(0)), Self.again, .answer([1]), Self.again, .answer([0, 0])])
        #expect(played.outcome == .some(2))
    }

    @Test("No password is tried on another tag or after a reader failure")
    func failures() async {
        let other = TagIdentity(uid: [0x04, 6, 5, 4, 3, 2, 1])
        let swapped = await Self.find([.failure(.refused(0)), .tag(other)])
        #expect(swapped.error?.kind == .otherTag)
        for kind in ReaderError.Kind.everyKind where kind != .refused(0) && kind != .refused(4) {
            let played = await Self.find([.failure(kind)])
            #expect(played.error?.kind == .reader(kind) && played.trace.count == 1)
        }
    }
}
