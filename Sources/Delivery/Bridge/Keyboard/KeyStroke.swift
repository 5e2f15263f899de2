import CLinux

/// One press and release of a key on a US keyboard, with or without Shift.
package struct KeyStroke: Hashable, Sendable {
    /// A key being pressed or released.
    package struct Event: Hashable, Sendable {
        package let code: UInt16
        package let isDown: Bool
    }

    private let code: UInt16
    private let isShifted: Bool

    package static let enter = KeyStroke(code: UInt16(linux_key_enter), isShifted: false)
    package static let tab = KeyStroke(code: UInt16(linux_key_tab), isShifted: false)

    /// The key events of this stroke. Every key that is pressed is also released.
    package var events: [Event] {
        let shift = UInt16(linux_key_left_shift)
        let key = [Event(code: code, isDown: true), Event(code: code, isDown: false)]
        return isShifted
            ? [Event(code: shift, isDown: true)] + key + [Event(code: shift, isDown: false)] : key
    }

    /// The rows of the keyboard. Each has the code of its first key and the characters typed
    /// without and with Shift.
    private static let rows: [(first: UInt16, plain: String, shifted: String)] = [
        (2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"),
        (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"), (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
        (UInt16(linux_key_space), " ", ""),
    ]
    private static let all = Dictionary(
        uniqueKeysWithValues: rows.flatMap { row in
            [(row.plain, false), (row.shifted, true)].flatMap { characters, isShifted in
                zip(characters.unicodeScalars, row.first...).map { scalar, code in
                    (scalar, KeyStroke(code: code, isShifted: isShifted))
                }
            }
        })

    /// Returns the strokes that type this text, or nil if it contains anything but printable ASCII.
    package static func typing(_ text: String) -> [KeyStroke]? {
        let strokes = text.unicodeScalars.compactMap { all[$0] }
        return strokes.count == text.unicodeScalars.count ? strokes : nil
    }
}
