/// The PN532 commands that are emulated.
enum PN532Command: UInt8 {
    case diagnose = 0x00
    case getFirmwareVersion = 0x02
    case getGeneralStatus = 0x04
    case readRegister = 0x06
    case writeRegister = 0x08
    case readGPIO = 0x0C
    case writeGPIO = 0x0E
    case setSerialBaudRate = 0x10
    case setParameters = 0x12
    case configureSecurity = 0x14
    case powerDown = 0x16
    case configureRadio = 0x32
    case exchangeData = 0x40
    case communicateThrough = 0x42
    case deselect = 0x44
    case jumpForParameters = 0x46
    case listPassiveTarget = 0x4A
    case selectParameters = 0x4E
    case attributes = 0x50
    case release = 0x52
    case select = 0x54
    case jumpForExchange = 0x56
    case regulationTest = 0x58
    case autoPoll = 0x60
    case getTargetData = 0x86
    case getInitiatorCommand = 0x88
    case getTargetStatus = 0x8A
    case becomeTarget = 0x8C
    case setTargetData = 0x8E
    case answerInitiator = 0x90
    case setGeneralBytes = 0x92
    case setMetaData = 0x94

    /// Whether the command carries a frame for a tag.
    var isData: Bool { self == .exchangeData || self == .communicateThrough }
}

/// The status byte of a response.
enum ChipStatus {
    static let good: UInt8 = 0x00
    static let timeout: UInt8 = 0x01
    static let checksum: UInt8 = 0x02
    static let parity: UInt8 = 0x03
    static let collision: UInt8 = 0x06
    static let bufferTooSmall: UInt8 = 0x07
    static let protocolError: UInt8 = 0x0B
    static let authentication: UInt8 = 0x14
    /// The command is not allowed in this state or for this target.
    static let context: UInt8 = 0x27
}

/// The result of a command.
enum ChipResult: Hashable {
    /// The data in the response, after its command byte.
    case answer([UInt8])
    case syntaxError
    /// There is no response yet, because the chip is waiting for a card or for another reader.
    case waiting
}
