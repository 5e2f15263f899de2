import CLinux

/// A key of a US keyboard that is pressed and released, alone or with the Shift key held down.
package struct KeyStroke: Hashable, Sendable {
    /// A key that goes down or up.
    package struct Event: Hashable, Sendable {
        package let code: UInt16
        package let isDown: Bool
    }

    private let code: UInt16
    private let isShifted: Bool

    package static let enter = KeyStroke(code: UInt16(linux_key_enter), isShifted: false)
    package static let tab = KeyStroke(code: UInt16(linux_key_tab), isShifted: false)

    /// What happens to the keys; no key stays down.
    package var events: [Event] {
        let shift = UInt16(linux_key_left_shift)
        let key = [Event(code: code, isDown: true), Event(code: code, isDown: false)]
        return isShifted
            ? [Event(code: shift, isDown: true)] + key + [Event(code: shift, isDown: false)] : key
    }

    /// The rows of keys: the code of the first key, and what the keys type without and with Shift.
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

    /// The strokes that type this text; nil if any of its characters is not printable ASCII.
    package static func typing(_ text: String) -> [KeyStroke]? {
        let strokes = text.unicodeScalars.compactMap { all[$0] }
        return strokes.count == text.unicodeScalars.count ? strokes : nil
    }
}
