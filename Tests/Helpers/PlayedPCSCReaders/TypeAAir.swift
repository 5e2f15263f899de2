import Tags

/// The air between a reader and a Type 2 tag with all its bits: waking up, UIDs, CRC.
struct TypeAAir: Sendable {
    struct Received {
        let bytes: [UInt8]
        /// Four bits and no CRC.
        let isAcknowledge: Bool
    }

    private enum State { case idle, ready1, ready2, active }
    private var state = State.idle

    var isSelected: Bool {
        get { state == .active }
        set { state = newValue ? .active : .idle }
    }

    /// The answer to a frame whose last byte has this many bits, 0 for all.
    mutating func answer(
        _ frame: [UInt8], bits: UInt8, _ field: inout PlayedField
    ) -> Received? {
        guard let uid = field.tag?.uid, uid.count == 7 else {
            state = .idle
            return nil
        }
        let levels: [[UInt8]] = [[0x88] + uid.prefix(3), Array(uid.suffix(4))]
        switch (state, frame, bits) {
        case (.idle, [0x52], 7), (.idle, [0x26], 7):
            state = .ready1
            return Received(bytes: [0x44, 0x00], isAcknowledge: false)
        case (.ready1, [0x93, 0x20], 0): return number(levels[0])
        case (.ready2, [0x95, 0x20], 0): return number(levels[1])
        case (.ready1, select(0x93, levels[0]), 0):
            state = .ready2
            return acknowledge(0x04)
        case (.ready2, select(0x95, levels[1]), 0):
            guard field.select() != nil else { return nil }
            state = .active
            return acknowledge(0x00)
        case (.active, _, 0) where frame.count > 2:
            return pass(frame, &field)
        default:
            // Anything out of turn makes the tag fall back.
            state = .idle
            return nil
        }
    }

    private func number(_ level: [UInt8]) -> Received {
        Received(bytes: level + [level.reduce(0, ^)], isAcknowledge: false)
    }

    private func select(_ code: UInt8, _ level: [UInt8]) -> [UInt8] {
        let frame = [code, 0x70] + level + [level.reduce(0, ^)]
        return frame + checkBytes(frame)
    }

    private func acknowledge(_ sak: UInt8) -> Received {
        Received(bytes: [sak] + checkBytes([sak]), isAcknowledge: false)
    }

    private mutating func pass(_ frame: [UInt8], _ field: inout PlayedField) -> Received? {
        let data = Array(frame.dropLast(2))
        guard Array(frame.suffix(2)) == checkBytes(data) else {
            state = .idle
            return Received(bytes: [0x01], isAcknowledge: true)
        }
        switch field.answer(data) {
        case .data(let answer):
            return Received(bytes: answer + checkBytes(answer), isAcknowledge: false)
        case .ack: return Received(bytes: [0x0A], isAcknowledge: true)
        case .nak(let code):
            state = .idle
            return Received(bytes: [code], isAcknowledge: true)
        case .silence: return nil
        }
    }
}
