import Tags

/// The card's side of the selection of a type A card (ISO/IEC 14443-3): a state machine that
/// accepts frames and returns responses until the card's own commands begin.
package struct TypeACardSelection {
    enum State: Hashable {
        case idle
        case halted
        /// The card has responded to a request, and the reader has selected this many parts of its
        /// UID.
        case ready(level: Int)
        case active
        /// The card uses ISO/IEC 14443-4 and ignores everything else.
        case block
    }

    enum Reaction: Hashable {
        case silent
        case answer(RadioFrame)
        /// The frame is for the card itself.
        case pass
    }

    // REQA and WUPA are frames of seven bits.
    static let request = RadioFrame(bytes: [0x26], lastBits: 7)
    static let wakeUp = RadioFrame(bytes: [0x52], lastBits: 7)
    static let selectCodes: [UInt8] = [0x93, 0x95, 0x97]
    static let wholeNumber: UInt8 = 0x70
    static let noBits: UInt8 = 0x20
    private static let cascadeTag: UInt8 = 0x88
    private static let moreToCome: UInt8 = 0x04

    /// The card's UID: 4, 7, or 10 bytes.
    let uid: [UInt8]
    /// The ATQA, in transmission order.
    let answerToRequest: [UInt8]
    let selectAcknowledge: UInt8
    private(set) var state = State.idle
    /// Whether the card returns to the HALT state instead of the IDLE state.
    private var wasHalted = false

    init(uid: [UInt8], answerToRequest: [UInt8], selectAcknowledge: UInt8) {
        self.uid = uid
        self.answerToRequest = answerToRequest
        self.selectAcknowledge = selectAcknowledge
    }

    /// The UID in parts of four bytes, as sent over the air.
    package static func cascade(_ uid: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = uid[...]
        while rest.count > 4, parts.count < selectCodes.count - 1 {
            // In every part except the last, the cascade tag takes the place of the first byte.
            parts.append([cascadeTag] + rest.prefix(3))
            rest = rest.dropFirst(3)
        }
        return parts + [Array(rest)]
    }

    mutating func receive(_ frame: RadioFrame) -> Reaction {
        if state == .block { return .pass }
        if frame == TypeACardSelection.request || frame == TypeACardSelection.wakeUp {
            let isExpected =
                state == .idle || (state == .halted && frame == TypeACardSelection.wakeUp)
            // In any other state, a REQA or WUPA is an error, and the card returns to IDLE or
            // HALT (ISO/IEC 14443-3).
            guard isExpected else {
                endSelection()
                return .silent
            }
            wasHalted = state == .halted
            state = .ready(level: 0)
            return .answer(RadioFrame(bytes: answerToRequest))
        }
        switch state {
        case .idle, .halted, .block: return .silent
        case .active:
            guard frame.isWhole else {
                endSelection()
                return .silent
            }
            return .pass
        case .ready(let level): return processSelection(frame, level)
        }
    }

    /// Ends the card's selection, after an error or because another card was selected.
    mutating func endSelection() {
        if state != .halted { state = wasHalted ? .halted : .idle }
    }

    mutating func halt() { state = .halted }

    mutating func enterBlocks() { state = .block }

    private mutating func processSelection(_ frame: RadioFrame, _ level: Int) -> Reaction {
        let parts = TypeACardSelection.cascade(uid)
        let part = parts[level]
        let expected = part + [part.reduce(0, ^)]
        guard frame.isWhole, frame.bytes.first == TypeACardSelection.selectCodes[level],
            frame.bytes.count >= 2
        else {
            endSelection()
            return .silent
        }
        if frame.bytes[1] == TypeACardSelection.wholeNumber,
            RadioCRC.stripped(from: frame.bytes).map({ Array($0.dropFirst(2)) == expected }) == true
        {
            let isLast = level == parts.count - 1
            state = isLast ? .active : .ready(level: level + 1)
            let acknowledge = isLast ? selectAcknowledge : TypeACardSelection.moreToCome
            return .answer(RadioFrame(bytes: RadioCRC.appended(to: [acknowledge])))
        }
        // Only whole bytes of the UID are supported. A reader sends single bits only after a
        // collision, and the emulated chip resolves collisions without them.
        let given = frame.bytes.dropFirst(2)
        // The high nibble of NVB is the number of bytes in the frame, including NVB itself and the
        // code before it.
        guard frame.bytes[1] == UInt8(0x10 * (2 + given.count % 8)), given.count < expected.count,
            expected.starts(with: given)
        else {
            endSelection()
            return .silent
        }
        return .answer(RadioFrame(bytes: Array(expected.dropFirst(given.count))))
    }
}
