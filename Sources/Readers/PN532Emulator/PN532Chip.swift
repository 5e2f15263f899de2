import SimulatedReader

/// A PN532 without its serial line: accepts commands and returns responses.
package struct PN532Chip {
    /// An operation that continues until a card appears.
    enum Wait: Hashable {
        case list(ListRequest)
        case poll([UInt8])
        /// A wait that never ends here: for another reader, or for the end of a test.
        case forever
    }

    /// A PN532 (32h) with firmware 1.6, which supports ISO/IEC 14443 A and B, and 18092.
    static let firmware: [UInt8] = [0x32, 0x01, 0x06, 0x07]
    /// The speeds that SetSerialBaudRate supports, in bits per second, in the order of their codes.
    static let speeds = [
        9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_288_000,
    ]
    /// The maximum number of bytes in a response, not counting the direction and command bytes.
    static let maximumAnswerData = HostFrame.maximumDataLength - 2

    package var field: RadioField
    var registers = ChipRegisters()
    /// The bytes in the contactless unit's buffer, which a host can fill and send directly.
    var buffer: [UInt8] = []
    var targets: [ChipTarget] = []
    /// The index of the target that receives frames, starting at 0.
    var current: Int?
    private(set) var wait: Wait?
    /// Whether the host has sent PowerDown; reset when the chip falls asleep.
    var isPoweredDown = false
    /// The index of the speed that takes effect when the host acknowledges the change.
    var nextSpeed: Int?
    /// Whether an ISO/IEC 14443-4 card is activated as soon as it is found.
    var activatesBlocks = true
    /// How many times a search for cards is repeated; FFh, the chip's default, means forever.
    var activationRetries: UInt8 = 0xFF
    /// The timeout for a response, as a power of two.
    var answerTimeout: UInt8 = 0x0A
    var silenceNanoseconds = 0
    var ports: [UInt8] = [0xFF, 0xFF, 0x01]

    /// Whether a request that contains a halted card's UID wakes that card.
    let wakesHaltedCards: Bool

    init(_ simulation: Simulation, wakesHaltedCards: Bool = true) {
        field = RadioField(simulation)
        self.wakesHaltedCards = wakesHaltedCards
    }

    /// Executes a command. This ends a pending wait.
    mutating func run(_ code: UInt8, _ data: [UInt8]) -> ChipResult {
        wait = nil
        guard let command = PN532Command(rawValue: code) else { return .syntaxError }
        let result = run(command, data[...])
        // The command may have switched the field on or off, which a host can see in a register.
        registers.hasField = field.isOn
        return result
    }

    /// Cancels the pending wait at the host's request.
    mutating func abort() { wait = nil }

    /// The response that ends the pending wait, if a card has appeared.
    mutating func readAgain() -> (command: UInt8, data: [UInt8])? {
        let found: (PN532Command, [UInt8]?)
        switch wait {
        case .list(let request): found = (.listPassiveTarget, list(request))
        case .poll(let types): found = (.autoPoll, poll(types))
        case .forever, nil: return nil
        }
        guard let data = found.1 else { return nil }
        wait = nil
        registers.hasField = field.isOn
        return (found.0.rawValue, data)
    }

    mutating func keepWaiting(_ newWait: Wait) -> ChipResult {
        wait = newWait
        return .waiting
    }

    mutating func setField(_ isOn: Bool) {
        field.setPower(isOn)
        registers.hasField = isOn
        if !isOn { forgetTargets() }
    }

    mutating func forgetTargets() {
        targets = []
        current = nil
    }

    private mutating func run(_ command: PN532Command, _ data: ArraySlice<UInt8>) -> ChipResult {
        switch command {
        case .diagnose: diagnose(data)
        case .getFirmwareVersion: data.isEmpty ? .answer(PN532Chip.firmware) : .syntaxError
        case .getGeneralStatus: data.isEmpty ? .answer(generalStatus()) : .syntaxError
        case .readRegister: readRegisters(Array(data))
        case .writeRegister: writeRegisters(Array(data))
        case .readGPIO: data.isEmpty ? .answer(ports) : .syntaxError
        case .writeGPIO: writePorts(Array(data))
        case .setSerialBaudRate: setSpeed(data)
        case .setParameters: setParameters(data)
        case .configureSecurity: configureSecurity(data)
        case .powerDown: powerDown(data)
        case .configureRadio: configureRadio(data)
        case .exchangeData: exchange(data)
        case .communicateThrough: .answer(communicate(Array(data)))
        case .deselect: deselect(data)
        case .release: release(data)
        case .select: select(data)
        case .listPassiveTarget: listPassiveTarget(data)
        case .autoPoll: autoPoll(data)
        case .jumpForExchange, .jumpForParameters:
            // There is never a peer in this field, so the search for one times out.
            data.count >= 3 ? .answer([ChipStatus.timeout]) : .syntaxError
        // These commands need a peer or target mode, neither of which is emulated.
        case .attributes, .selectParameters, .getTargetData, .getInitiatorCommand, .setTargetData,
            .answerInitiator, .setGeneralBytes, .setMetaData:
            .answer([ChipStatus.context])
        case .getTargetStatus: data.isEmpty ? .answer([0x00, 0x00]) : .syntaxError
        case .becomeTarget, .regulationTest: keepWaiting(.forever)
        }
    }
}
