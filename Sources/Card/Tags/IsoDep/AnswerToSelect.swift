/// A card's description of its protocol, sent when it is activated (ATS).
package struct AnswerToSelect: Hashable, Sendable {
    /// The size of the longest frame that the card can receive.
    package let frameSize: FrameSize
    /// The time to wait for a response, as a power of two.
    package let waitExponent: UInt8
    /// The pause after activation, as a power of two; 0 for none.
    package let pauseExponent: UInt8
    /// The card's free-form description of itself.
    package let historicalBytes: [UInt8]

    /// The first byte of the reader's request (RATS).
    static let requestCode: UInt8 = 0xE0
    /// FWI for a card that sends none: 4, about 4.8 ms (ISO/IEC 14443-4).
    private static let defaultWaitExponent: UInt8 = 4
    private static let reservedExponent: UInt8 = 15
    /// 4096 periods of the 13.56 MHz carrier.
    private static let unitInNanoseconds = 302_065
    /// The tolerance that the standard adds to every wait: 49,152 carrier periods.
    private static let toleranceInNanoseconds = 3_624_779

    /// The request for the ATS (RATS). It specifies the longest frame that the reader can receive,
    /// and assigns identifier 0 to the card, so that the card accepts blocks without an identifier.
    package static func request(frameSize: FrameSize) -> [UInt8] {
        [requestCode, frameSize.rawValue << 4]
    }

    /// Reads an ATS, without its checksum. `nil` unless every byte is accounted for.
    package init?(frame: [UInt8]) {
        guard let length = frame.first, Int(length) == frame.count else { return nil }
        guard frame.count > 1 else {
            // Without a format byte T0, all values are the defaults: frames of 32 bytes, FWI 4.
            frameSize = .of32
            waitExponent = AnswerToSelect.defaultWaitExponent
            (pauseExponent, historicalBytes) = (0, [])
            return
        }
        let format = frame[1]
        // In T0, bit 8 is reserved, and bits 5 to 7 indicate which of TA, TB, and TC follow, in
        // this order.
        guard format & 0x80 == 0 else { return nil }
        var rest = frame.dropFirst(2)
        // TA, the bit rates, is skipped, because tapcard stays at 106 kbit/s.
        if format & 0x10 != 0, rest.popFirst() == nil { return nil }
        var timing = AnswerToSelect.defaultWaitExponent << 4
        // TB, the timing, has FWI in the high nibble and SFGI in the low one.
        if format & 0x20 != 0 {
            guard let byte = rest.popFirst() else { return nil }
            timing = byte
        }
        // TC, support for identifiers and node addresses, is skipped, because neither is used.
        if format & 0x40 != 0, rest.popFirst() == nil { return nil }
        frameSize = FrameSize(code: format & 0x0F)
        waitExponent = AnswerToSelect.exponent(timing >> 4) ?? AnswerToSelect.defaultWaitExponent
        pauseExponent = AnswerToSelect.exponent(timing & 0x0F) ?? 0
        historicalBytes = Array(rest)
    }

    /// The value of a code; `nil` for the reserved code, which means the default.
    private static func exponent(_ code: UInt8) -> UInt8? {
        code == reservedExponent ? nil : code
    }

    /// The maximum wait for the start of a response (FWT).
    package var frameWait: Duration {
        .nanoseconds(AnswerToSelect.unitInNanoseconds << Int(waitExponent))
    }

    /// How long a reader waits for a response, including the standard's tolerance.
    package func wait(times multiplier: UInt8 = 1) -> Duration {
        frameWait * Int(multiplier) + .nanoseconds(AnswerToSelect.toleranceInNanoseconds)
    }

    /// The pause before the first block (SFGT).
    package var pause: Duration {
        pauseExponent == 0
            ? .zero : .nanoseconds(AnswerToSelect.unitInNanoseconds << Int(pauseExponent))
    }
}
