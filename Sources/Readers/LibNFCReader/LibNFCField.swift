import CLibNFC
import Glibc
import Tags

/// The reader's field and the tag in it. This type decides which commands to send and interprets
/// the responses.
@LibNFCLane
struct LibNFCField {
    private enum State: Equatable {
        case off
        /// The field is on, but it is not known which tags are in it.
        case on
        /// The tag with this UID is selected. The chip handles CRCs until the first frame is sent;
        /// after that, `ownCRC` is true.
        case selected([UInt8], ownCRC: Bool)
    }

    /// The minimum time without power after which a tag is certain to have reset (ISO/IEC 14443-3).
    private static let minimumPowerLoss = Duration.milliseconds(6)

    /// The exchange of blocks with the selected card, once it is activated.
    private var blockExchange: ReaderSide?
    /// The answer to select (ATS) of the most recently activated card.
    private(set) var answerToSelect: [UInt8] = []
    private var timeout = AnswerTimeout.standard
    private var state = State.off
    private var switchedOffAt = ContinuousClock.now
    /// The register values after a select. They are always the same, so they are read only once.
    private var afterSelecting: [UInt8] = []
    /// Whether the connection can no longer be trusted.
    private(set) var isBroken = false

    /// Searches for a tag once. Returns `nil` if none responds.
    ///
    /// In a field that was just switched on, the chip first looks for two tags at once. If there is
    /// only one, the search may leave it halted, in which case it responds only to a request with
    /// its UID. A tag that is still selected is selected again by its UID: it loses its
    /// authentication but keeps its power.
    mutating func select(
        _ device: LibNFCDevice, _ wait: UInt64, swapsBytes: Bool
    ) throws(ReaderError) -> TagIdentity? {
        func list(_ command: ChipCommand) throws(ReaderError) -> [TagIdentity] {
            let answer = try send(command, to: device, wait: wait, "selecting a tag")
            return try TagList(answer, swapsBytes: swapsBytes).tags
        }
        func select(_ uid: [UInt8]) throws(ReaderError) -> TagIdentity? {
            try list(.select(uid)).first { $0.uid == uid }
        }
        (blockExchange, answerToSelect) = (nil, [])
        if case .selected(let uid, _) = state {
            state = .on
            if let tag = try select(uid) { return found(tag) }
        }
        // No tag was selected, or the selected tag is gone or will not respond until it has been
        // without power.
        try switchOff(device)
        waitForPowerLoss()
        let tags = try list(.list(atMost: UInt8(TagList.maximumTags)))
        guard tags.count < 2 else {
            try switchOff(device)
            throw ReaderError(.severalTags)
        }
        if let uid = tags.first?.uid {
            if let tag = try select(uid) { return found(tag) }
            // Some chips do not wake a halted tag, so its power is cut to reset it.
            try switchOff(device)
            waitForPowerLoss()
            if let tag = try list(.list(atMost: 1)).first {
                // Phones and passports choose a new four-byte UID each time they are powered up, so
                // a different UID does not necessarily mean a different tag.
                if tag.uid == uid || TagIdentity(uid: tag.uid).hasRandomUID { return found(tag) }
                try switchOff(device)
                throw ReaderError(.severalTags)
            }
        }
        try switchOff(device)
        return nil
    }

    /// Sends one frame to the selected tag.
    mutating func exchange(
        _ frame: [UInt8], _ device: LibNFCDevice
    ) throws(ReaderError) -> TagAnswer {
        guard case .selected(let uid, let ownCRC) = state else {
            throw ReaderError(.tagLost, "no tag is selected")
        }
        if !ownCRC {
            try disableChipCRC(device)
            state = .selected(uid, ownCRC: true)
        }
        // An earlier card may have needed a longer timeout for its blocks.
        try setTimeout(.standard, device)
        let command = ChipCommand.communicate(frame + RadioCRC.bytes(of: frame))
        do throws(ReaderError) {
            let answer = try send(command, to: device, "sending a frame")
            guard answer.first == ChipStatus.noError.rawValue else {
                throw ReaderError(.garbled, "the answer has no status byte")
            }
            return try TagAnswer(answer.dropFirst())
        } catch {
            // The tag is gone, and the next one to respond may be a different tag.
            if error.kind == .tagLost { state = .on }
            throw error
        }
    }

    /// Sends one command to the selected card in ISO/IEC 14443-4 blocks, and returns its response.
    mutating func exchange(
        command: [UInt8], _ device: LibNFCDevice
    ) throws(ReaderError) -> [UInt8] {
        var reader: ReaderSide
        if let blockExchange { reader = blockExchange } else { reader = try activate(device) }
        // The exchange is restored only on success. After any failure, the card has to be selected
        // again.
        blockExchange = nil
        var action = reader.begin(command)
        while case .send(let frame, let wait) = action {
            action = reader.receive(try exchangeBlock(frame, wait, device))
        }
        switch action {
        case .finished(let answer):
            blockExchange = reader
            return answer
        case .failed(.silent):
            state = .on
            throw ReaderError(.tagLost, IsoDepError(.silent).description)
        case .failed(let kind): throw ReaderError(.garbled, IsoDepError(kind).description)
        // This is never reached, because the loop above handles every `.send`.
        case .send: throw ReaderError(.garbled)
        }
    }

    /// Activates the card and reads the parameters for its blocks. If the first request gets no
    /// valid response, it is repeated once.
    private mutating func activate(_ device: LibNFCDevice) throws(ReaderError) -> ReaderSide {
        let request = AnswerToSelect.request(frameSize: .of256)
        var event = try exchangeBlock(request, .zero, device)
        if case .frame = event {} else { event = try exchangeBlock(request, .zero, device) }
        guard case .frame(let frame) = event else {
            state = .on
            throw ReaderError(.tagLost, IsoDepError(.silent).description)
        }
        guard let answer = AnswerToSelect(frame: frame) else {
            throw ReaderError(.garbled, IsoDepError(.unsupportedProtocol).description)
        }
        answerToSelect = frame
        // The card may require a pause before its first block.
        let pause = answer.pause / .microseconds(1)
        if pause > 0 { usleep(UInt32(pause.rounded(.up))) }
        return ReaderSide(answer)
    }

    /// Sets the chip's timeout for subsequent responses.
    private mutating func setTimeout(
        _ needed: AnswerTimeout, _ device: LibNFCDevice
    ) throws(ReaderError) {
        guard needed != timeout else { return }
        _ = try send(.answerTimeout(needed), to: device, "setting the answer timeout")
        timeout = needed
    }

    /// Sends one block and returns the result.
    private mutating func exchangeBlock(
        _ block: [UInt8], _ wait: Duration, _ device: LibNFCDevice
    ) throws(ReaderError) -> ReaderSide.Event {
        guard case .selected(let uid, let ownCRC) = state else {
            throw ReaderError(.tagLost, "no tag is selected")
        }
        if !ownCRC {
            try disableChipCRC(device)
            state = .selected(uid, ownCRC: true)
        }
        try setTimeout(AnswerTimeout(atLeast: wait), device)
        let command = ChipCommand.communicate(block + RadioCRC.bytes(of: block))
        do throws(ReaderError) {
            let answer = try send(command, to: device, "sending a block")
            guard answer.first == ChipStatus.noError.rawValue,
                let frame = RadioCRC.stripped(from: Array(answer.dropFirst()))
            else { return .damaged }
            return .frame(frame)
        } catch {
            // If the reader itself failed, the caller must not repeat the block; only radio faults
            // are worth a retry.
            guard !isBroken else { throw error }
            switch error.kind {
            case .tagLost: return .silence
            case .garbled: return .damaged
            default: throw error
            }
        }
    }

    /// Waits until every tag in the field has lost power. The next search switches the field back
    /// on.
    private mutating func waitForPowerLoss() {
        guard state == .off else { return }
        let pause = ContinuousClock.now.duration(to: switchedOffAt + Self.minimumPowerLoss)
        if pause > .zero {
            usleep(UInt32(pause / .microseconds(1)))
        }
        state = .on
    }

    mutating func switchOff(_ device: LibNFCDevice) throws(ReaderError) {
        blockExchange = nil
        guard state != .off else { return }
        if let status = device.set(NP_ACTIVATE_FIELD, false) {
            isBroken = true
            throw status.error("switching off the field")
        }
        state = .off
        // The power loss begins now, so a search that starts later waits only for the rest of it.
        switchedOffAt = .now
    }

    private mutating func found(_ tag: TagIdentity) -> TagIdentity {
        state = .selected(tag.uid, ownCRC: false)
        return tag
    }

    /// Turns off CRC handling in the chip. libnfc's own property is not used, because a select
    /// turns CRC handling on without libnfc noticing. libnfc still assumes that it is on, and the
    /// next select makes that true again.
    private mutating func disableChipCRC(_ device: LibNFCDevice) throws(ReaderError) {
        let registers = ChipRegister.allCases
        if afterSelecting.isEmpty { afterSelecting = try registerValues(registers, device) }
        let changed = zip(registers, afterSelecting).map { ($0, $1 & ~ChipRegister.crcBit) }
        _ = try send(.writeRegisters(changed), to: device, "writing registers")
    }

    private mutating func registerValues(
        _ registers: [ChipRegister], _ device: LibNFCDevice
    ) throws(ReaderError) -> [UInt8] {
        let answer = try send(.readRegisters(registers), to: device, "reading registers")
        guard let values = ChipRegister.values(answer, count: registers.count) else {
            throw ReaderError(
                .garbled, "the chip sent \(answer.count) bytes for \(registers.count) registers")
        }
        return values
    }

    private mutating func send(
        _ command: ChipCommand, to device: LibNFCDevice, wait: UInt64? = nil, _ doing: String
    ) throws(ReaderError) -> [UInt8] {
        switch device.send(command, wait: wait) {
        case .answer(let answer): return answer
        case .failure(let status, let chip):
            isBroken = status.endsConnection
            // For these two statuses, the chip's own status is more specific than libnfc's.
            guard status == .radio || status == .chip else { throw status.error(doing) }
            throw ReaderError(
                chip.error.kind, "\(chip.error.detail) (libnfc \(status.rawValue))")
        }
    }
}
