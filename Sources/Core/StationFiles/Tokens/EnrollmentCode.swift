import CardCryptography
import TextCodecs

/// The code with which an agent enrolls for a till: 60 random bits, written in letters and digits
/// that are hard to confuse.
package enum EnrollmentCode {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 12
    private static let groupLength = 4

    /// The number of random bytes that ``text(_:)`` needs.
    package static let randomBytes = length

    /// Formats random bytes as a code. Only the low five bits of each byte are used.
    package static func text(_ random: [UInt8]) -> String {
        let letters = random.prefix(length).map { alphabet[Int($0 & 31)] }
        return stride(from: 0, to: letters.count, by: groupLength).map { start in
            String(letters[start..<min(start + groupLength, letters.count)])
        }.joined(separator: "-")
    }

    /// The parts of a code as it was printed: the code itself, and the pins of the servers that may
    /// receive it, each after a dot. Nil if a pin is incomplete.
    package static func parts(of text: String) -> (code: String, pins: [ServerPin])? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let pins = parts.dropFirst().compactMap { ServerPin($0) }
        return pins.count == parts.count - 1 ? (String(parts[0]), pins) : nil
    }

    /// The hash of a code, as the ledger stores it. Case, spaces, and hyphens do not matter.
    package static func hash(of text: String) -> [UInt8] {
        let letters = text.uppercased().filter { $0.isLetter || $0.isNumber }
        return SHA256.digest(Array(letters.utf8))
    }
}

/// The secret with which an agent authenticates. The ledger stores only its hash.
package enum AgentToken {
    package static let randomBytes = 32
    private static let prefix = "tapcard_till_"

    package static func text(_ random: [UInt8]) -> String { prefix + Base64URL.encode(random) }
    package static func isToken(_ text: String) -> Bool { text.hasPrefix(prefix) }
    package static func hash(of text: String) -> [UInt8] { SHA256.digest(Array(text.utf8)) }
}
