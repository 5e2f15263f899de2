/// A PN532 on its serial line: accepts bytes from the host and returns bytes for the host. It does
/// no I/O and never waits; the caller transfers the bytes.
package struct SerialChip {
    /// Bytes for the host, and how long a real chip would take to produce them.
    package struct Output: Hashable {
        package var bytes: [UInt8]
        var nanoseconds: Int = 0
        /// Whether to drop pending output, because the host has sent something.
        var isCancelling = false
    }

    /// The number of rising edges on the line that it takes to wake a sleeping chip.
    private static let edgesToWake = 5
    /// The maximum number of bytes that a stalled chip keeps for later; any more are lost.
    static let stalledLimit = 65_536
    /// A start bit, eight data bits, and a stop bit.
    private static let bitsPerByte = 10
    private static let initialSpeed = 115_200

    package var chip: PN532Chip
    var fault: LinkFault?
    private(set) var isStalled = false
    /// Whether a fault is about to unplug the reader.
    private(set) var isUnplugging = false
    package private(set) var speed = initialSpeed
    private var parser = HostFrameParser()
    private var isAsleep = true
    private var edges = 0
    /// The bytes received while the chip was stalled.
    private var stalledBytes: [UInt8] = []
    private var lastResponse: [UInt8]?
    /// A response delayed by a fault. `isFirst` says whether it is sent before the next command's
    /// ACK.
    private var delayed: (answer: [UInt8], isFirst: Bool)?
    private var counted = EmulatorCounters()
    private var output: [Output] = []

    init(_ chip: PN532Chip) { self.chip = chip }

    package var counters: EmulatorCounters {
        var all = counted
        all.damagedFrames = parser.damagedCount - damagedBefore
        all.radioFrames = chip.field.radioFrames
        all.writes = chip.field.writes
        all.powerUps = chip.field.powerUps
        all.airNanoseconds = chip.field.airNanoseconds
        all.silenceNanoseconds = chip.silenceNanoseconds
        return all
    }

    /// The parser's count of damaged frames when the counters were last reset.
    private var damagedBefore = 0

    package mutating func resetCounters() {
        counted = EmulatorCounters()
        damagedBefore = parser.damagedCount
        chip.field.resetCounters()
        chip.silenceNanoseconds = 0
    }

    package mutating func receive(_ bytes: [UInt8]) -> [Output] {
        if isStalled {
            stalledBytes += bytes.prefix(SerialChip.stalledLimit - stalledBytes.count)
            return []
        }
        for (index, byte) in bytes.enumerated() {
            count(received: 1)
            take(byte)
            // If a fault has just stalled the chip, the remaining bytes are kept for later.
            if isStalled {
                stalledBytes += bytes.dropFirst(index + 1).prefix(SerialChip.stalledLimit)
                break
            }
        }
        return flush()
    }

    /// Checks whether a card that was put into the field ends a pending wait.
    mutating func fieldChanged() -> [Output] {
        guard !isStalled, let found = chip.readAgain() else { return [] }
        // A fault for this command was already counted when the command arrived.
        answer(found.command, found.data, fault: nil)
        return flush()
    }

    mutating func stall() { isStalled = true }

    /// Sends the delayed response, and processes the bytes received in the meantime.
    mutating func resume() -> [Output] {
        guard isStalled else { return [] }
        isStalled = false
        if let delayed {
            self.delayed = nil
            emit(delayed.answer)
        }
        let bytes = stalledBytes
        stalledBytes = []
        output += receive(bytes)
        return flush() + fieldChanged()
    }

    /// Resets everything except the cards and the counters, as if the reader had been unplugged.
    mutating func restart() {
        var fresh = PN532Chip(
            chip.field.simulation, wakesHaltedCards: chip.wakesHaltedCards)
        chip.field.setPower(false)
        // The field holds the cards and most of the counters.
        fresh.field = chip.field
        fresh.silenceNanoseconds = chip.silenceNanoseconds
        chip = fresh
        isStalled = false
        isUnplugging = false
        speed = SerialChip.initialSpeed
        parser.reset()
        isAsleep = true
        edges = 0
        stalledBytes = []
        lastResponse = nil
        delayed = nil
        output = []
    }

    private mutating func flush() -> [Output] {
        defer { output = [] }
        return output
    }

    private mutating func take(_ byte: UInt8) {
        if isAsleep {
            // The start bit is low, and the stop bit is high; the bits in between may add edges.
            let levels = [false] + (0..<8).map { byte >> $0 & 1 != 0 } + [true]
            edges += zip(levels, levels.dropFirst()).count { !$0 && $1 }
            if edges >= SerialChip.edgesToWake { isAsleep = false }
            return
        }
        guard let event = parser.take(byte) else { return }
        counted.framesFromHost += 1
        switch event {
        case .acknowledge: handleACK()
        case .refuse:
            // With a NACK, the host requests the last response again.
            if let lastResponse { emit(lastResponse) }
        case .information(let data): run(data)
        }
    }

    /// Handles an ACK: the host has received the response, or no longer wants one.
    private mutating func handleACK() {
        chip.abort()
        output.append(Output(bytes: [], isCancelling: true))
        // The host's ACK still arrived at the old speed (PN532 user manual, SetSerialBaudRate).
        if let next = chip.nextSpeed {
            chip.nextSpeed = nil
            speed = PN532Chip.speeds[next]
        }
    }

    private mutating func enterSleep() {
        chip.isPoweredDown = false
        isAsleep = true
        edges = 0
        parser.reset()
    }

    private mutating func run(_ data: [UInt8]) {
        counted.hostCommands += 1
        let code = data.count >= 2 ? data[1] : nil
        let isData = code.flatMap(PN532Command.init(rawValue:))?.isData == true
        if isData { counted.dataCommands += 1 }
        let fault = dueFault(isData: isData)
        // A response delayed by `late-reply` is sent before this command's ACK; one delayed by
        // `stale-reply` is sent after it.
        if let delayed, delayed.isFirst {
            self.delayed = nil
            emit(delayed.answer)
        }
        output.append(Output(bytes: [], isCancelling: true))
        if fault != .loseAcknowledge { emit(HostFrame.acknowledge) }
        guard let code, data[0] == HostFrame.hostToChip else {
            chip.abort()
            emit(HostFrame.syntaxError)
            return
        }
        let before = chip.field.airNanoseconds + chip.silenceNanoseconds
        let result = chip.run(code, Array(data.dropFirst(2)))
        let elapsed = chip.field.airNanoseconds + chip.silenceNanoseconds - before
        switch result {
        case .answer(let answerData): answer(code, answerData, fault: fault, elapsed)
        case .syntaxError: emit(HostFrame.syntaxError, elapsed)
        case .waiting: break
        }
        if fault == .stall { isStalled = true }
        if fault == .unplug { isUnplugging = true }
        // Like a real chip, this one responds before it falls asleep.
        if chip.isPoweredDown { enterSleep() }
    }

    private mutating func answer(
        _ code: UInt8, _ data: [UInt8], fault: LinkFault.Kind?, _ nanoseconds: Int = 0
    ) {
        var data = data
        switch fault {
        case .shorter: data = data.dropLast()
        case .longer: data.append(0x00)
        case .status(let value): if !data.isEmpty { data[0] = value }
        default: break
        }
        var frame = HostFrame.information([HostFrame.chipToHost, code &+ 1] + data)
        // The data checksum comes just before the last byte, the postamble.
        if fault == .corrupt { frame[frame.count - 2] ^= 0x55 }
        if let delayed, !delayed.isFirst {
            self.delayed = nil
            emit(delayed.answer)
        }
        switch fault {
        // With a NACK, the host can still request the lost response.
        case .loseReply, .unplug: lastResponse = frame
        case .lateReply: delayed = (frame, true)
        case .staleReply, .stall: delayed = (frame, false)
        default:
            lastResponse = frame
            emit(frame, nanoseconds)
        }
    }

    private mutating func dueFault(isData: Bool) -> LinkFault.Kind? {
        guard var due = fault, isData || due.counted == .command else { return nil }
        due.countdown -= 1
        fault = due.countdown > 0 ? due : nil
        return due.countdown > 0 ? nil : due.kind
    }

    private mutating func emit(_ bytes: [UInt8], _ nanoseconds: Int = 0) {
        counted.framesToHost += 1
        counted.bytesToHost += bytes.count
        counted.linkNanoseconds += linkTime(bytes.count)
        output.append(
            Output(bytes: bytes, nanoseconds: nanoseconds + linkTime(bytes.count)))
    }

    private mutating func count(received bytes: Int) {
        counted.bytesFromHost += bytes
        counted.linkNanoseconds += linkTime(bytes)
    }

    private func linkTime(_ bytes: Int) -> Int {
        bytes * SerialChip.bitsPerByte * 1_000_000_000 / speed
    }
}
