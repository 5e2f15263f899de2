/// Decodes keys from the bytes that a terminal sends for them, in portions of any size.
///
/// A lone escape byte is a key, but also the beginning of most others: the next byte, or a pause,
/// decides.
package struct KeyDecoder: Sendable {
    /// The longest sequence; longer ones are invalid.
    private static let longestSequence = 16
    /// The longest text answer of a terminal.
    private static let longestAnswer = 4_096
    private static let escape: UInt8 = 0x1B
    private static let bell: UInt8 = 0x07
    /// The bytes that begin a text answer after an escape: OSC, DCS, SOS, PM and APC.
    private static let answerBeginnings = Array("]PX^_".utf8)

    /// The prefix with which the Linux console sends F1 to F5, followed by a letter.
    private static let consoleBeginning = [escape] + Array("[[".utf8)

    private var pending: [UInt8] = []

    package init() {}

    /// Whether more bytes are needed to identify the key.
    package var isWaiting: Bool { !pending.isEmpty }

    package mutating func take(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
        var keys: [TerminalKey] = []
        for byte in bytes { keys += take(byte) }
        return keys
    }

    /// Decodes the pending bytes after a pause, without waiting for more.
    package mutating func finish() -> [TerminalKey] {
        let rest = pending
        pending = []
        guard rest.first == KeyDecoder.escape else { return [] }
        switch rest.count {
        case 1: return [.escape]
        // The user pressed both keys.
        case 2 where KeyDecoder.answerBeginnings.contains(rest[1]):
            return [.escape] + begin(rest[1])
        default: return []
        }
    }

    private mutating func take(_ byte: UInt8) -> [TerminalKey] {
        guard let first = pending.first else { return begin(byte) }
        if first == KeyDecoder.escape { return continueSequence(byte) }
        guard byte & 0xC0 == 0x80 else {
            // The character is incomplete, so the new byte starts a key of its own.
            pending = []
            return begin(byte)
        }
        pending.append(byte)
        return character()
    }

    private mutating func begin(_ byte: UInt8) -> [TerminalKey] {
        switch byte {
        case 0x0D, 0x0A: return [.enter]
        case 0x09: return [.tab]
        case 0x7F, 0x08: return [.backspace]
        case KeyDecoder.escape, 0xC2...0xF4:
            pending = [byte]
            return []
        case 0x01...0x1A: return [.control(Character(Unicode.Scalar(byte + 0x60)))]
        case 0x20...0x7E: return [.character(Character(Unicode.Scalar(byte)))]
        default: return []
        }
    }

    /// Decodes a character beyond ASCII, whose first byte states its length.
    private mutating func character() -> [TerminalKey] {
        let count = pending[0] < 0xE0 ? 2 : pending[0] < 0xF0 ? 3 : 4
        guard pending.count == count else { return [] }
        defer { pending = [] }
        guard let text = String(validating: pending, as: UTF8.self), let character = text.first
        else { return [] }
        return [.character(character)]
    }

    private mutating func continueSequence(_ byte: UInt8) -> [TerminalKey] {
        if pending.count > 1, KeyDecoder.answerBeginnings.contains(pending[1]) {
            return continueAnswer(byte)
        }
        if byte == KeyDecoder.escape {
            let isLone = pending.count == 1
            pending = [byte]
            return isLone ? [.escape] : []
        }
        if pending.count == 1 {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")
                || KeyDecoder.answerBeginnings.contains(byte)
            {
                pending.append(byte)
                return []
            }
            // Escape, and another key after it.
            pending = []
            return [.escape] + begin(byte)
        }
        pending.append(byte)
        if pending == KeyDecoder.consoleBeginning { return [] }
        guard (0x40...0x7E).contains(byte) else {
            if pending.count >= KeyDecoder.longestSequence || byte < 0x20 { pending = [] }
            return []
        }
        defer { pending = [] }
        if pending == [KeyDecoder.escape, UInt8(ascii: "O"), UInt8(ascii: "M")] { return [.enter] }
        return KeyDecoder.key(of: pending.dropFirst(2)).map { [$0] } ?? []
    }

    /// Skips an answer of the terminal up to its end: a bell, or an escape and a backslash.
    private mutating func continueAnswer(_ byte: UInt8) -> [TerminalKey] {
        if pending.last == KeyDecoder.escape {
            pending = []
            guard byte != UInt8(ascii: "\\") else { return [] }
            // The answer was interrupted, and something else begins.
            pending = [KeyDecoder.escape]
            return continueSequence(byte)
        }
        guard byte >= 0x20 || byte == KeyDecoder.escape else {
            pending = []
            return byte == KeyDecoder.bell ? [] : begin(byte)
        }
        pending.append(byte)
        if pending.count >= KeyDecoder.longestAnswer { pending = [] }
        return []
    }

    /// The key for the bytes after the two that begin a sequence. A modifier such as ";5" comes
    /// before the last byte and is ignored.
    private static func key(of sequence: ArraySlice<UInt8>) -> TerminalKey? {
        guard let last = sequence.last, sequence.first != UInt8(ascii: "[") else { return nil }
        switch last {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "~"): break
        default: return nil
        }
        let number = String(
            decoding: sequence.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        switch number {
        case "1", "7": return .home
        case "4", "8": return .end
        case "3": return .delete
        case "5": return .pageUp
        case "6": return .pageDown
        default: return nil
        }
    }
}
