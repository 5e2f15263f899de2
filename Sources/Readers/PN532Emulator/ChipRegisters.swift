/// The registers of the contactless interface unit (CIU). Only the registers named here have an
/// effect; the others just keep the values written to them.
struct ChipRegisters {
    static let transmitMode: UInt16 = 0x6302
    static let receiveMode: UInt16 = 0x6303
    static let transmitControl: UInt16 = 0x6304
    static let manualReceive: UInt16 = 0x630D
    static let timerPrescaler: UInt16 = 0x631B
    static let timerHigh: UInt16 = 0x631E
    static let timerLow: UInt16 = 0x631F
    static let command: UInt16 = 0x6331
    static let fifoData: UInt16 = 0x6339
    static let fifoLevel: UInt16 = 0x633A
    static let control: UInt16 = 0x633C
    static let bitFraming: UInt16 = 0x633D

    private static let checksumEnabled: UInt8 = 0x80
    private static let framingMask: UInt8 = 0x03
    private static let speedMask: UInt8 = 0x70
    private static let parityDisabled: UInt8 = 0x10
    private static let driversOn: UInt8 = 0x03
    private static let lastBitsMask: UInt8 = 0x07
    private static let commandMask: UInt8 = 0x0F
    private static let transceive: UInt8 = 0x0C
    static let flush: UInt8 = 0x80
    static let startSending: UInt8 = 0x80
    /// The number of carrier cycles from the end of a request to the start of its response (ISO/IEC
    /// 14443-3), plus those until the unit has received five bits of the response.
    private static let responseCycles = 1_236 + 5 * 128

    private var values: [UInt16: UInt8] = [
        transmitMode: checksumEnabled, receiveMode: checksumEnabled, transmitControl: 0x80,
        control: 0x10,
    ]

    subscript(_ register: UInt16) -> UInt8 {
        get { values[register] ?? 0 }
        set { values[register] = newValue }
    }

    var sendsChecksum: Bool { self[Self.transmitMode] & Self.checksumEnabled != 0 }
    var checksChecksum: Bool { self[Self.receiveMode] & Self.checksumEnabled != 0 }
    var handlesParity: Bool { self[Self.manualReceive] & Self.parityDisabled == 0 }
    var transmitLastBits: UInt8 { self[Self.bitFraming] & Self.lastBitsMask }
    var speaksTypeA: Bool {
        self[Self.transmitMode] & (Self.framingMask | Self.speedMask) == 0
    }

    /// Sets how many bits are valid in the last byte of a response.
    mutating func setReceivedLastBits(_ count: UInt8) {
        self[Self.control] = self[Self.control] & ~Self.lastBitsMask | count & Self.lastBitsMask
    }

    /// Sets the registers as the firmware does before it selects a type A card.
    mutating func prepareTypeA() {
        self[Self.transmitMode] = Self.checksumEnabled
        self[Self.receiveMode] = Self.checksumEnabled
        self[Self.manualReceive] &= ~Self.parityDisabled
        self[Self.bitFraming] &= ~Self.lastBitsMask
    }

    /// Whether the unit, once started, will send its buffer and wait for a response.
    var isTransceiving: Bool { self[Self.command] & Self.commandMask == Self.transceive }

    /// Stops the unit's timer, which counts down from FFFFh; without a response, it reaches zero.
    mutating func stopTimer(hasAnswer: Bool) {
        // The timer ticks once every 2 * prescaler + 1 cycles.
        let step = 2 * Int(self[Self.timerPrescaler]) + 1
        let count = hasAnswer ? UInt16.max - UInt16(Self.responseCycles / step) : 0
        self[Self.timerHigh] = UInt8(count >> 8)
        self[Self.timerLow] = UInt8(truncatingIfNeeded: count)
    }

    /// Whether the antenna's drivers are on.
    var hasField: Bool {
        get { self[Self.transmitControl] & Self.driversOn != 0 }
        set {
            let others = self[Self.transmitControl] & ~Self.driversOn
            self[Self.transmitControl] = others | (newValue ? Self.driversOn : 0)
        }
    }
}
