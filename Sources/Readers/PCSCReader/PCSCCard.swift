import CPCSC

/// An exclusive connection to a card. When it ends, the card loses its power.
///
/// It is exclusive because a call that runs into another program's transaction waits indefinitely
/// and cannot be canceled, while an exclusive connection is refused immediately.
struct PCSCCard: ~Copyable {
    /// The maximum number of bytes in an answer: 256 bytes of data and two of status.
    private static let longestAnswer = 258

    private let handle: SCARDHANDLE
    private var transmission: UInt32
    /// Whether the card was removed. Otherwise, pcscd would notice that only when cutting the
    /// power, record an empty reader, and miss a card that is put back before it checks again.
    var hasLeft = false

    static func connect(
        to reader: String, in context: borrowing PCSCContext
    ) throws(PCSCStatus) -> PCSCCard {
        var handle = SCARDHANDLE()
        var transmission: UInt32 = 0
        let status = PCSCStatus(
            rawValue: unsafe tapcard_scard_connect(
                context.handle, reader, &handle, &transmission))
        if status == .unresponsiveCard || status == .unpoweredCard {
            return try revive(reader, in: context)
        }
        try status.check()
        return PCSCCard(handle: handle, transmission: transmission)
    }

    /// Connects to a card that was removed during a reset. pcscd treats it as mute or unpowered
    /// even after it is put back, because as far as pcscd can tell it was never removed. Connecting
    /// to the reader itself gets around that.
    private static func revive(
        _ reader: String, in context: borrowing PCSCContext
    ) throws(PCSCStatus) -> PCSCCard {
        var handle = SCARDHANDLE()
        try PCSCStatus(
            rawValue: unsafe tapcard_scard_connect_directly(context.handle, reader, &handle)
        ).check()
        // Created before the next call can throw, so that the handle is always closed.
        var card = PCSCCard(handle: handle, transmission: 0)
        try PCSCStatus(
            rawValue: unsafe tapcard_scard_revive(handle, &card.transmission)
        ).check()
        return card
    }

    private init(handle: SCARDHANDLE, transmission: UInt32) {
        self.handle = handle
        self.transmission = transmission
    }

    deinit {
        // Fails if the card or pcscd is gone, but in that case there is no power to cut.
        _ = hasLeft ? tapcard_scard_leave(handle) : tapcard_scard_power_down(handle)
    }

    /// Sends one command and returns its answer. libpcsclite has no timeout here; the reader's
    /// driver does.
    func transmit(_ command: [UInt8]) throws(PCSCStatus) -> [UInt8] {
        var answer = [UInt8](repeating: 0, count: PCSCCard.longestAnswer)
        var length = UInt32(answer.count)
        try PCSCStatus(
            rawValue: unsafe tapcard_scard_transmit(
                handle, transmission, command, UInt32(command.count), &answer, &length)
        ).check()
        return Array(answer.prefix(Int(length)))
    }

    /// Makes the reader detect the card again.
    mutating func reset() throws(PCSCStatus) {
        try PCSCStatus(rawValue: unsafe tapcard_scard_reset(handle, &transmission)).check()
    }
}
