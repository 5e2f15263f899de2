import TapcardCore
package import Verbs

/// Types the UID of each arriving tag on a virtual keyboard.
///
/// With a pattern, types the text on the tag instead, if the pattern matches all of it. Anyone can
/// write to a tag, so the pattern limits what can reach the focused program.
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

    /// The maximum length of a typed text.
    package static let maximumLength = 256
    /// The maximum number of texts waiting to be typed.
    package static let maximumWaiting = 64
    /// The pause after each key. Without it, a slow program would lose keys.
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
            say("A tag was not typed because too many arrived at once.")
            return
        }
        waitingCount += 1
        typing = Task { [typing] in
            await typing?.value
            waitingCount -= 1
            await type(strokes + end.strokes)
        }
    }

    /// Waits until the text of every tag that arrived has been typed.
    package func end() async { await typing?.value }

    private func type(_ strokes: [KeyStroke]) async {
        for stroke in strokes {
            guard device?.press(stroke) == true else {
                if device != nil { say("The virtual keyboard failed. The watch has stopped.") }
                // Destroying the device releases its keys.
                device = nil
                return
            }
            // Even if canceled, finishes the text, without pauses.
            try? await sleep(KeyboardOutput.pause)
        }
    }

    /// Returns the keys to type for an event, or nil if there is nothing to type.
    private func strokes(for event: TapEvent) -> [KeyStroke]? {
        guard let pattern else { return event.uid.flatMap(KeyStroke.typing) }
        guard let text = event.text, (1...KeyboardOutput.maximumLength).contains(text.utf8.count),
            let strokes = KeyStroke.typing(text), pattern.matches(text)
        else {
            say(
                "Tag \(event.uid ?? "without a UID") was not typed: "
                    + "its text does not match the pattern."
            )
            return nil
        }
        return strokes
    }
}
