import TextCodecs

/// The ASCII mirror of an NTAG21x. Reads return the chip's UID, its counter, or both in place of
/// some bytes of its memory.
package struct ASCIIMirror: Hashable, Sendable {
    /// What the mirror shows.
    package enum Content: String, Hashable, Sendable, CaseIterable {
        case uid, counter, both

        /// Returns `nil` for 0, which means that the mirror is off.
        fileprivate init?(configuration: UInt8) {
            guard let content = Content.allCases.first(where: { $0.configuration == configuration })
            else { return nil }
            self = content
        }

        /// The value of MIRROR_CONF.
        fileprivate var configuration: UInt8 {
            switch self {
            case .uid: 1
            case .counter: 2
            case .both: 3
            }
        }

        /// Returns 14 hex digits for the UID, 6 for the counter, or both with an x between them.
        package func digits(uid: [UInt8], counter: UInt32) -> [UInt8] {
            let count = (0..<3).map { UInt8(truncatingIfNeeded: counter >> (16 - 8 * $0)) }
            return switch self {
            case .uid: Array(Hexadecimal.encode(uid).utf8)
            case .counter: Array(Hexadecimal.encode(count).utf8)
            case .both: Array((Hexadecimal.encode(uid) + "x" + Hexadecimal.encode(count)).utf8)
            }
        }

        /// The number of mirrored bytes for a seven-byte UID.
        package var byteCount: Int {
            switch self {
            case .uid: 14
            case .counter: 6
            case .both: 21
            }
        }

        /// The digits of the counter within the mirrored bytes; nil if there are none.
        package var counterRange: Range<Int>? {
            usesCounter ? byteCount - 6..<byteCount : nil
        }

        /// Whether the mirror needs the chip's counter.
        package var usesCounter: Bool { self != .uid }
    }

    package let content: Content
    /// The position of the first mirrored byte, counted from the start of page 0.
    package let start: Int

    package init(_ content: Content, start: Int) {
        (self.content, self.start) = (content, start)
    }

    /// Returns `nil` if CFG0 turns the mirror off, or if its page comes before the user memory.
    init?(cfg0: Page) {
        guard let content = Content(configuration: cfg0[0] >> 6),
            cfg0[2] >= ASCIIMirror.firstPage
        else { return nil }
        self.content = content
        start = Int(cfg0[2]) * Page.size + Int(cfg0[0] >> 4 & 0x03)
    }

    /// The positions of the mirrored bytes, counted from the start of page 0.
    package var range: Range<Int> { start..<start + content.byteCount }

    /// The first page of user memory. The chip ignores a mirror that starts before it.
    private static let firstPage: UInt8 = 4
}

extension ASCIIMirror? {
    /// Returns CFG0 with this mirror, or with none. Keeps all other settings.
    package func cfg0(replacing page: Page) -> Page {
        var cfg0 = page
        // Clear MIRROR_CONF and MIRROR_BYTE.
        cfg0[0] &= 0x0F
        cfg0[2] = 0
        if let mirror = self {
            cfg0[0] |=
                mirror.content.configuration << 6
                | UInt8(truncatingIfNeeded: mirror.start % Page.size) << 4
            cfg0[2] = UInt8(truncatingIfNeeded: mirror.start / Page.size)
        }
        return cfg0
    }
}
