import CPCSC

/// An exclusive connection to a card. When it ends, the card loses its power.
///
/// It is exclusive because a call that meets another program's transaction waits without limit and
/// cannot be cancelled, while an exclusive connection is refused at once.
struct PCSCCard: ~Copyable {
    /// The most bytes of an answer: 256 of data and two of status.
    private static let longestAnswer = 258

    private let handle: SCARDHANDLE
    private var transmission: UInt32
    /// Whether the card was removed. Otherwise pcscd would notice it when cutting the power, record
    /// an empty reader, and miss a card that returns before it looks again.
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

    /// Connects to a card that was removed during a reset. pcscd counts it as mute or without power
    /// even when it is back, because to pcscd it never left. Connecting to the reader itself gets
    /// around that.
    private static func revive(
        _ reader: String, in context: borrowing PCSCContext
    ) throws(PCSCStatus) -> PCSCCard {
        var handle = SCARDHANDLE()
        try PCSCStatus(
            rawValue: unsafe tapcard_scard_connect_directly(context.handle, reader, &handle)
        ).check()
        // Made before the next call can throw, so that the handle is always closed.
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
        // Fails if the card or pcscd is gone, but then there is no power to cut.
        _ = hasLeft ? tapcard_scard_leave(handle) : tapcard_scard_power_down(handle)
    }

    /// Sends one command and returns its answer. libpcsclite has no timeout here; the reader's
    /// driver has one.
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
