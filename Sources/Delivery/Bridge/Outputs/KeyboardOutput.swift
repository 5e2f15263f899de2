import TapcardCore
package import Verbs

/// Types the UID of each tag that arrives, as a keyboard would.
///
/// With a pattern, it types the text on the tag instead, if the pattern matches all of it. Anybody
/// can write a tag, so only what the pattern describes may reach the program that has the keyboard.
package actor KeyboardOutput: EventOutput {
    /// The key that is pressed after the text.
    package enum End: String, CaseIterable, Sendable {
        case enter, tab, none

        fileprivate var strokes: [KeyStroke] {
            switch self {
            case .enter: [.enter]
            case .tab: [.tab]
            case .none: []
            }
        }
    }

    /// The longest text that is typed.
    package static let maximumLength = 256
    /// How many texts wait while one is typed.
    package static let maximumWaiting = 64
    /// The time between two keys. The kernel drops events if it is too short for a program.
    private static let pause = Duration.milliseconds(5)

    private var device: (any KeyboardDevice)?
    private let pattern: TextPattern?
    private let end: End
    private let sleep: @Sendable (Duration) async throws -> Void
    private let say: @Sendable (String) -> Void
    private var typing: Task<Void, Never>?
    private var waitingCount = 0

    package init(
        _ device: any KeyboardDevice, typing pattern: TextPattern?, then end: End,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.device, self.pattern, self.end) = (device, pattern, end)
        (self.sleep, self.say) = (sleep, say)
    }

    package func take(_ event: TapEvent) -> Bool {
        if event.kind == .arrived, let strokes = strokes(for: event) { begin(strokes) }
        return device != nil
    }

    private func begin(_ strokes: [KeyStroke]) {
        guard waitingCount < KeyboardOutput.maximumWaiting else {
            say("A tag was not typed, because too many arrived at once.")
            return
        }
        waitingCount += 1
        typing = Task { [typing] in
            await typing?.value
            waitingCount -= 1
            await type(strokes + end.strokes)
        }
    }

    /// Returns when all tags that arrived have been typed.
    package func end() async { await typing?.value }

    private func type(_ strokes: [KeyStroke]) async {
        for stroke in strokes {
            guard device?.press(stroke) == true else {
                if device != nil { say("The keyboard failed, so the watch ends.") }
                // Without the device, no key stays down.
                device = nil
                return
            }
            // A text is typed to its end, even without pauses.
            try? await sleep(KeyboardOutput.pause)
        }
    }

    /// The keys for an event; nil if nothing is to be typed.
    private func strokes(for event: TapEvent) -> [KeyStroke]? {
        guard let pattern else { return event.uid.flatMap(KeyStroke.typing) }
        guard let text = event.text, (1...KeyboardOutput.maximumLength).contains(text.utf8.count),
            let strokes = KeyStroke.typing(text), pattern.matches(text)
        else {
            say("Tag \(event.uid ?? "without a UID") was not typed: its text does not match.")
            return nil
        }
        return strokes
    }
}
