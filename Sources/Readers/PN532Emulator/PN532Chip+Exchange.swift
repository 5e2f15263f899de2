import Tags

/// The commands that carry frames to a card.
extension PN532Chip {
    private static let moreInformation: UInt8 = 0x40
    private static let maximumTimeoutStep: UInt8 = 16
    private static let acknowledge: UInt8 = 0x0A

    /// InCommunicateThru: sends and receives bytes according to the registers.
    mutating func communicate(_ data: [UInt8]) -> [UInt8] {
        let (status, answer) = transmit(data)
        return [status] + answer
    }

    /// InDataExchange: sends bytes to a card whose protocol the firmware supports.
    mutating func exchange(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard let number = data.first else { return .syntaxError }
        let frame = Array(data.dropFirst())
        // The low bits are the target's number, starting at 1. Bit 6 is MI, more information (PN532
        // user manual, InDataExchange).
        let index = Int(number & 0x07) - 1
        let status = makeCurrent(index)
        guard status == ChipStatus.good else { return .answer([status]) }
        let (result, answer): (UInt8, [UInt8])
        let hasMore = number & PN532Chip.moreInformation != 0
        switch targets[index].kind {
        case .block(let target):
            (result, answer) = exchangeBlocks(frame, hasMore, target, index)
        // Only ISO/IEC 14443-4 cards and peers accept longer data in parts.
        case _ where hasMore: return .answer([ChipStatus.context])
        case .plain: (result, answer) = exchangePlain(frame)
        }
        return .answer([result] + answer)
    }

    private mutating func exchangePlain(_ frame: [UInt8]) -> (UInt8, [UInt8]) {
        switch (frame.first, frame.count) {
        // The firmware supports only the commands that MIFARE cards and Type 2 tags have in common:
        // READ, WRITE, and COMPATIBILITY_WRITE.
        case (0x30, 2): return transmit(frame)
        case (0xA2, 6): return transmitForACK(frame)
        case (0xA0, 18):
            // This takes two frames: the page number and, after an ACK, the sixteen bytes.
            let (status, _) = transmitForACK(Array(frame.prefix(2)))
            return status == ChipStatus.good
                ? transmitForACK(Array(frame.dropFirst(2))) : (status, [])
        case (0x60, 2...), (0x61, 2...):
            // Authentication always fails: the emulator has no keys, and Type 2 tags do not support
            // the command.
            _ = transmit(Array(frame.prefix(2)))
            return (ChipStatus.authentication, [])
        default:
            // The firmware does not send commands that it does not support.
            return (ChipStatus.context, [])
        }
    }

    /// Sends a frame to which a card responds with a four-bit ACK.
    private mutating func transmitForACK(_ frame: [UInt8]) -> (UInt8, [UInt8]) {
        let bytes = registers.sendsChecksum ? RadioCRC.appended(to: frame) : frame
        switch field.send(RadioFrame(bytes: bytes)) {
        case .silence: return (recordTimeout(), [])
        case .collision: return (ChipStatus.collision, [])
        case .frame(let answer):
            registers.setReceivedLastBits(answer.lastBits)
            let isGood = answer == RadioFrame(bytes: [PN532Chip.acknowledge], lastBits: 4)
            return (isGood ? ChipStatus.good : ChipStatus.checksum, [])
        }
    }

    /// Executes a command for an ISO/IEC 14443-4 card. The host may send the command in parts. It
    /// fetches the response part by part as long as the status says that more follows.
    private mutating func exchangeBlocks(
        _ data: [UInt8], _ hasMore: Bool, _ target: BlockTarget, _ index: Int
    ) -> (UInt8, [UInt8]) {
        var target = target
        defer { targets[index].kind = .block(target) }
        // An empty command without MI requests the next part of the response.
        if data.isEmpty, !hasMore, !target.answer.isEmpty { return nextPart(&target) }
        target.answer = []
        target.command += data
        guard target.command.count <= ReaderSide.maximumCommandLength else {
            target.command = []
            return (ChipStatus.bufferTooSmall, [])
        }
        if hasMore { return (ChipStatus.good, []) }
        guard var reader = target.reader else { return (ChipStatus.protocolError, []) }
        defer { target.reader = reader }
        var action = reader.begin(target.command)
        target.command = []
        while case .send(let frame, _) = action {
            let (status, answer) = transmit(frame)
            let event: ReaderSide.Event =
                switch status {
                case ChipStatus.good: .frame(answer)
                case ChipStatus.timeout: .silence
                default: .damaged
                }
            action = reader.receive(event)
        }
        switch action {
        case .finished(let answer):
            target.answer = answer[...]
            return nextPart(&target)
        case .failed(.silent): return (ChipStatus.timeout, [])
        default: return (ChipStatus.protocolError, [])
        }
    }

    private func nextPart(_ target: inout BlockTarget) -> (UInt8, [UInt8]) {
        // The firmware announced frames of 64 bytes in its RATS.
        let part = Array(target.answer.prefix(FrameSize.of64.payload))
        target.answer = target.answer.dropFirst(part.count)
        let more = target.answer.isEmpty ? 0 : PN532Chip.moreInformation
        return (ChipStatus.good | more, part)
    }

    /// The size of the contactless unit's buffer (FIFO).
    static let bufferSize = 64

    /// Sends a frame. Returns the chip's status and the response.
    mutating func transmit(_ data: [UInt8]) -> (UInt8, [UInt8]) {
        guard !data.isEmpty, field.isOn else { return (recordTimeout(), []) }
        guard registers.speaksTypeA, let frame = outgoing(data) else {
            return (recordTimeout(), [])
        }
        switch field.send(frame) {
        case .silence: return (recordTimeout(), [])
        case .collision: return (ChipStatus.collision, [])
        case .frame(let answer): return received(answer)
        }
    }

    /// The frame to send; `nil` if the parity bits provided by the host are wrong, because no card
    /// would respond to such a frame.
    private func outgoing(_ data: [UInt8]) -> RadioFrame? {
        let lastBits = registers.transmitLastBits
        if !registers.handlesParity {
            return ParityBits.unpack(RadioFrame(bytes: data, lastBits: lastBits))
        }
        guard lastBits == 0 else { return RadioFrame(bytes: data, lastBits: lastBits) }
        return RadioFrame(bytes: registers.sendsChecksum ? RadioCRC.appended(to: data) : data)
    }

    private mutating func received(_ answer: RadioFrame) -> (UInt8, [UInt8]) {
        if registers.checksChecksum {
            registers.setReceivedLastBits(answer.lastBits)
            // A four-bit response has no checksum, so the chip reports both an ACK and a NAK as
            // errors.
            guard answer.isWhole, let data = RadioCRC.stripped(from: answer.bytes) else {
                return (ChipStatus.checksum, [])
            }
            return checkLength(data)
        }
        let frame = registers.handlesParity ? answer : ParityBits.pack(answer)
        registers.setReceivedLastBits(frame.lastBits)
        return checkLength(frame.bytes)
    }

    private func checkLength(_ data: [UInt8]) -> (UInt8, [UInt8]) {
        // The status takes up one byte of the response.
        data.count < PN532Chip.maximumAnswerData
            ? (ChipStatus.good, data) : (ChipStatus.bufferTooSmall, [])
    }

    private mutating func recordTimeout() -> UInt8 {
        // The first step is 100 us, and each further step doubles the time. A step of 0 means no
        // timeout, which is not emulated.
        let steps = min(max(answerTimeout, 1), PN532Chip.maximumTimeoutStep)
        silenceNanoseconds += 100_000 << Int(steps - 1)
        return ChipStatus.timeout
    }
}
