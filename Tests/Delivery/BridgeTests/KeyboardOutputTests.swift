import BlockingLane
import Bridge
import TestSupport
import Testing
import Verbs

@Suite("A keyboard that types tags")
struct KeyboardOutputTests {
    private let events = SampleEvents()
    private let keys = Guarded<[KeyStroke.Event]>([])
    private let said = Guarded<[String]>([])

    private func output(
        _ pattern: String? = nil, then end: KeyboardOutput.End = .enter,
        on keyboard: RecordingKeyboard? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) throws -> KeyboardOutput {
        KeyboardOutput(
            keyboard ?? RecordingKeyboard(keys),
            typing: try pattern.map { try #require(TextPattern($0)) }, then: end, sleep: sleep,
            say: { [said] text in said.withLock { $0.append(text) } })
    }

    /// Returns what the output types for these events.
    private func typed(_ output: KeyboardOutput, _ events: [TapEvent]) async -> String {
        for event in events {
            #expect(await output.take(event))
            await output.end()
        }
        return keys.withLock { keys in
            defer { keys = [] }
            let keyboard = USKeyboard(keys)
            #expect(keyboard.faults == [])
            return keyboard.text
        }
    }

    @Test("Every printable character is typed as it is")
    func allCharacters() async throws {
        let all = (UInt8(0x20)...0x7E).map { $0 }
        let output = try output(".*", then: .none)
        #expect(
            await typed(output, [events.arrival(text: all)]) == String(decoding: all, as: UTF8.self)
        )
        #expect(KeyStroke.typing("\u{7F}") == nil && KeyStroke.typing("é") == nil)
    }

    @Test("The UID is typed, then the chosen key, and nothing for other events")
    func uid() async throws {
        let arrival = events.arrival(0xA1B2_C3D4, text: Array("rm -rf /\n".utf8))
        #expect(await typed(try output(), [arrival]) == "A1B2C3D4\n")
        #expect(await typed(try output(then: .tab), [arrival]) == "A1B2C3D4\t")
        #expect(await typed(try output(then: .none), [arrival, arrival]) == "A1B2C3D4A1B2C3D4")
        #expect(await typed(try output(), [.gap(3, events.stamp())]) == "")
        #expect(said.withLock { $0 } == [])
    }

    @Test("A tag without matching text is reported and not typed")
    func unmatched() async throws {
        let output = try output("[0-9]+")
        for text in [nil, "", "12a", "12\n", "١٢", "1\0002"] as [String?] {
            #expect(
                await typed(output, [events.arrival(7, text: text.map { Array($0.utf8) })]) == "")
            let words = said.withLock { said in
                defer { said = [] }
                return said
            }
            #expect(words == ["Tag 00000007 was not typed: its text does not match the pattern."])
        }
        #expect(await typed(output, [events.arrival(text: Array("12".utf8))]) == "12\n")
    }

    @Test(
        "Of a thousand hostile texts, only those that match completely are typed",
        arguments: [
            "[A-Za-z0-9 .:/_-]+", "[0-9]{1,8}", ".*", "(a|aa)+", "a|ab|abc", "x$|^x", "x)|(x",
            "(.|\n|\r)*",
        ])
    func hostile(_ pattern: String) async throws {
        guard let matcher = TextPattern(pattern) else {
            #expect(pattern == "x)|(x")
            return
        }
        let output = try output(pattern)
        let oracle = try Regex(pattern).matchingSemantics(.unicodeScalar)
        var hostile = HostileTexts(seed: 1)
        var typedCount = 0
        for _ in 1...1_000 {
            let bytes = hostile.next()
            let text = String(validating: bytes, as: UTF8.self)
            let isTypable =
                (1...256).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7E).contains($0) }
            // The oracle backtracks, so it is given only texts that it can match quickly.
            let matches =
                isTypable
                && (pattern.contains("aa")
                    ? bytes.allSatisfy { $0 == 0x61 }
                    : text.map { $0.wholeMatch(of: oracle) != nil } == true)
            let result = await typed(output, [events.arrival(text: bytes)])
            #expect(result == (matches ? (text ?? "") + "\n" : ""), "\(bytes)")
            if matches {
                typedCount += 1
                #expect(matcher.matches(text ?? ""))
            }
        }
        #expect(typedCount > 0)
    }

    @Test("An invalid pattern or one with a back-reference is rejected")
    func patterns() throws {
        for pattern in ["(", "[", "a{2", "*", "(a)\\1", "a\0"] {
            #expect(TextPattern(pattern) == nil, "\(pattern)")
        }
        // With backtracking, this match would take a very long time.
        let slow = try #require(TextPattern("(a+)+(a|aa)*b"))
        #expect(!slow.matches(String(repeating: "a", count: 256)))
        #expect(slow.matches(String(repeating: "a", count: 255) + "b"))
    }

    @Test("A failed keyboard is closed, which releases its keys, and the watch ends")
    func failing() async throws {
        for strength in 0...9 {
            let isGone = Guarded(false)
            let output = try output(
                on: RecordingKeyboard(keys, strength: strength) { isGone.withLock { $0 = true } })
            #expect(await output.take(events.arrival(0xA1B2_C3D4)))
            await output.end()
            let hasFailed = strength < 9
            #expect(isGone.withLock { $0 } == hasFailed)
            #expect(
                said.withLock { $0 }.contains("The virtual keyboard failed. The watch has stopped.")
                    == hasFailed)
            #expect(await output.take(events.arrival()) != hasFailed)
            await output.end()
            said.withLock { $0 = [] }
        }
    }

    @Test("A slow keyboard does not delay the reader, and excess tags are reported")
    func crowded() async throws {
        let isOpen = Guarded(false)
        let output = try output(sleep: { _ in
            while !isOpen.withLock({ $0 }) { await Task.yield() }
        })
        let count = KeyboardOutput.maximumWaiting + 5
        for number in 1...count { #expect(await output.take(events.arrival(number))) }
        let dropped = said.withLock { $0.count }
        #expect((4...5).contains(dropped))
        isOpen.withLock { $0 = true }
        await output.end()
        let lines = USKeyboard(keys.withLock { $0 }).text.split(separator: "\n")
        #expect(lines.map { Int($0, radix: 16) } == Array(1...count - dropped))
    }
}

/// Texts that a hostile tag might carry, valid or not.
struct HostileTexts {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let parts: [[UInt8]] =
        [
            "a", "aa", "abc", "x", "12345678", "https://example.com/1", "SKU-1:2", " ", "",
            "~`|\\\"'",
            "\n", "\r\n", "\u{1B}[A", "\u{1B}[200~", "\u{1B}OM", "\u{8}\u{8}", "\u{3}", "\u{4}",
            "\0",
            "\t", "\u{7F}", "\n$(reboot)\n", "; rm -rf /\n", "\u{202E}dcba", "\u{200F}", "\u{FEFF}",
            "e\u{301}", "１２", "\u{1F600}", "\u{2028}", "\u{85}", "\u{A0}",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF5, 0x80],
        ]

    mutating func next() -> [UInt8] {
        switch Int.random(in: 0..<8, using: &generator) {
        // A text that looks harmless.
        case 0: return Array(String(Int.random(in: 0...99_999_999, using: &generator)).utf8)
        case 1:
            return [UInt8](
                repeating: UInt8(ascii: "a"),
                count: [1, 2, 255, 256, 257, 10_000].randomElement(using: &generator) ?? 1)
        case 2:
            let count = Int.random(in: 0...300, using: &generator)
            return (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
        case 3:
            let count = Int.random(in: 0...40, using: &generator)
            return (0..<count).map { _ in UInt8.random(in: 0...0xFF, using: &generator) }
        default:
            let count = Int.random(in: 1...5, using: &generator)
            return (0..<count).flatMap { _ in
                Self.parts.randomElement(using: &generator) ?? []
            }
        }
    }
}
