import CPCSC

/// An exclusive connection to a card. When the connection ends, the card is powered down unless it
/// was removed.
///
/// If another program has a transaction with the card, a call on a shared connection waits
/// indefinitely and cannot be canceled. A request for an exclusive connection fails immediately
/// instead.
struct PCSCCard: ~Copyable {
    /// The maximum number of bytes in a response: 256 bytes of data and two of status.
    private static let maximumAnswerLength = 258

    private let handle: SCARDHANDLE
    private var transmission: UInt32
    /// Whether the card was removed, in which case it must not be powered down: pcscd would notice
    /// that the reader is empty, and it would then miss a card that is put back before pcscd's next
    /// check.
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

    /// Connects to a card that was removed during a reset. pcscd does not notice that such a card
    /// was removed, so it keeps treating the card as mute or unpowered after the card is put back.
    /// Connecting to the reader itself gets around that.
    private static func revive(
        _ reader: String, in context: borrowing PCSCContext
    ) throws(PCSCStatus) -> PCSCCard {
        var handle = SCARDHANDLE()
        try PCSCStatus(
            rawValue: unsafe tapcard_scard_connect_directly(context.handle, reader, &handle)
        ).check()
        // The card is created before the next call, which may throw, so that the handle is always
        // closed.
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
        // This fails if the card or pcscd is gone, but in that case there is no power to cut.
        _ = hasLeft ? tapcard_scard_leave(handle) : tapcard_scard_power_down(handle)
    }

    /// Sends one command and returns the response. libpcsclite has no timeout for this, but the
    /// reader's driver does.
    func transmit(_ command: [UInt8]) throws(PCSCStatus) -> [UInt8] {
        var answer = [UInt8](repeating: 0, count: PCSCCard.maximumAnswerLength)
        var length = UInt32(answer.count)
        try PCSCStatus(
            rawValue: unsafe tapcard_scard_transmit(
                handle, transmission, command, UInt32(command.count), &answer, &length)
        ).check()
        return Array(answer.prefix(Int(length)))
    }

    /// Sends an escape command, which goes to the reader instead of the card.
    func escape(_ command: [UInt8]) throws(PCSCStatus) {
        try PCSCStatus(
            rawValue: unsafe tapcard_scard_escape(handle, command, UInt32(command.count))
        ).check()
    }

    /// Resets the card, so that the reader selects it again.
    mutating func reset() throws(PCSCStatus) {
        try PCSCStatus(rawValue: unsafe tapcard_scard_reset(handle, &transmission)).check()
    }
}
