/// A setting for the whole chip. Only the failure counter's settings can be undone.
package enum NTAG424Configuration: Hashable, Sendable {
    /// Makes the chip return a random UID at each selection instead of its own.
    case randomUID
    /// Forbids protected WriteData in more than one block, because such a write could be left half
    /// done.
    case noChainedWriting
    /// Switches the chip from AES to its other protocol (LRP).
    case leakageResilience
    /// Counts wrong keys up to a limit. Each success subtracts `decrement`.
    case failureCounter(limit: UInt16, decrement: UInt16)
    case noFailureCounter

    var option: UInt8 {
        switch self {
        case .randomUID: 0x00
        case .noChainedWriting: 0x04
        case .leakageResilience: 0x05
        case .failureCounter, .noFailureCounter: 0x0A
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .randomUID: [0x02]
        case .noChainedWriting: [0x04, 0x00]
        // In capability byte PDCap2.1, bit 1 turns LRP on.
        case .leakageResilience: [0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0]
        case .failureCounter(let limit, let decrement):
            [0x01]
                + [limit, decrement].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .noFailureCounter: [0, 0, 0, 0, 0]
        }
    }

    /// `nil` for anything that `bytes` would not produce, and for a limit of 0.
    init?(option: UInt8, _ bytes: [UInt8]) {
        let fixed: [NTAG424Configuration] = [
            .randomUID, .noChainedWriting, .leakageResilience, .noFailureCounter,
        ]
        if let known = fixed.first(where: { $0.option == option && $0.bytes == bytes }) {
            self = known
            return
        }
        // A first byte of 1 turns counting on; the limit and the decrement follow, low byte first.
        guard option == 0x0A, bytes.count == 5, bytes[0] == 1 else { return nil }
        let limit = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
        guard limit > 0 else { return nil }
        self = .failureCounter(
            limit: limit, decrement: UInt16(bytes[3]) | UInt16(bytes[4]) << 8)
    }
}
