import BlockingLane
import Bridge

/// A keyboard that records its key events.
final class RecordingKeyboard: KeyboardDevice {
    private let recorded: Guarded<[KeyStroke.Event]>
    /// The number of keys to press before failing with a key still down.
    private let strength: Guarded<Int>
    private let onDeinit: @Sendable () -> Void

    init(
        _ recorded: Guarded<[KeyStroke.Event]>, strength: Int = .max,
        onDeinit: @escaping @Sendable () -> Void = {}
    ) {
        (self.recorded, self.strength) = (recorded, Guarded(strength))
        self.onDeinit = onDeinit
    }

    deinit { onDeinit() }

    func press(_ stroke: KeyStroke) -> Bool {
        let isStrong = strength.withLock { strength in
            strength -= 1
            return strength >= 0
        }
        recorded.withLock { $0 += isStrong ? stroke.events : Array(stroke.events.prefix(1)) }
        return isStrong
    }
}

/// Decodes the input of a US keyboard, using the codes of linux/input-event-codes.h. It
/// deliberately does not share the layout of the product, which is under test.
struct USKeyboard {
    private static let characters: [UInt16: String] = [
        2: "1!", 3: "2@", 4: "3#", 5: "4$", 6: "5%", 7: "6^", 8: "7&", 9: "8*", 10: "9(", 11: "0)",
        12: "-_", 13: "=+", 15: "\t\t", 16: "qQ", 17: "wW", 18: "eE", 19: "rR", 20: "tT", 21: "yY",
        22: "uU", 23: "iI", 24: "oO", 25: "pP", 26: "[{", 27: "]}", 28: "\n\n", 30: "aA", 31: "sS",
        32: "dD", 33: "fF", 34: "gG", 35: "hH", 36: "jJ", 37: "kK", 38: "lL", 39: ";:", 40: "'\"",
        41: "`~", 43: "\\|", 44: "zZ", 45: "xX", 46: "cC", 47: "vV", 48: "bB", 49: "nN", 50: "mM",
        51: ",<", 52: ".>", 53: "/?", 57: "  ",
    ]

    private(set) var text = ""
    /// Mistakes: a key pressed twice, an unknown key, or a key left down.
    private(set) var faults: [String] = []

    init(_ events: [KeyStroke.Event]) {
        var down: Set<UInt16> = []
        for event in events {
            guard event.isDown != down.contains(event.code) else {
                faults.append("\(event)")
                continue
            }
            if !event.isDown {
                down.remove(event.code)
                continue
            }
            let isShifted = down.contains(42)
            if !down.subtracting([42]).isEmpty { faults.append("\(event) with \(down)") }
            down.insert(event.code)
            if event.code == 42 { continue }
            if let both = Self.characters[event.code] {
                text.append(isShifted ? both.last ?? "?" : both.first ?? "?")
            } else {
                faults.append("\(event)")
            }
        }
        if !down.isEmpty { faults.append("\(down) are down") }
    }
}
