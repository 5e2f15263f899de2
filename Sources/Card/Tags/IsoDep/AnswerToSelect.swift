/// A card's description of its protocol, which it gives when it is activated (ATS).
package struct AnswerToSelect: Hashable, Sendable {
    /// The longest frame that the card receives.
    package let frameSize: FrameSize
    /// The wait for an answer, as a power of two.
    package let waitExponent: UInt8
    /// The pause after activation, as a power of two; 0 for none.
    package let pauseExponent: UInt8
    /// The card's words about itself, in no fixed form.
    package let historicalBytes: [UInt8]

    /// The first byte of the reader's request (RATS).
    static let requestCode: UInt8 = 0xE0
    /// The wait of a card that does not say otherwise.
    private static let usualWaitExponent: UInt8 = 4
    private static let reservedExponent: UInt8 = 15
    /// 4096 periods of the carrier, 13.56 MHz.
    private static let unitInNanoseconds = 302_065
    /// The tolerance that the standard adds to every wait: 49,152 periods.
    private static let toleranceInNanoseconds = 3_624_779

    /// The request for it: the longest frame that the reader receives. The card gets identifier 0,
    /// by which blocks without an identifier reach it.
    package static func request(frameSize: FrameSize) -> [UInt8] {
        [requestCode, frameSize.rawValue << 4]
    }

    /// Reads an answer without checksum. Nil unless every byte is accounted for.
    package init?(frame: [UInt8]) {
        guard let length = frame.first, Int(length) == frame.count else { return nil }
        guard frame.count > 1 else {
            // The shortest answer leaves everything at what is usual.
            frameSize = .of32
            waitExponent = AnswerToSelect.usualWaitExponent
            (pauseExponent, historicalBytes) = (0, [])
            return
        }
        let format = frame[1]
        guard format & 0x80 == 0 else { return nil }
        var rest = frame.dropFirst(2)
        if format & 0x10 != 0, rest.popFirst() == nil { return nil }
        var timing = AnswerToSelect.usualWaitExponent << 4
        if format & 0x20 != 0 {
            guard let byte = rest.popFirst() else { return nil }
            timing = byte
        }
        if format & 0x40 != 0, rest.popFirst() == nil { return nil }
        frameSize = FrameSize(code: format & 0x0F)
        waitExponent = AnswerToSelect.exponent(timing >> 4) ?? AnswerToSelect.usualWaitExponent
        pauseExponent = AnswerToSelect.exponent(timing & 0x0F) ?? 0
        historicalBytes = Array(rest)
    }

    /// The value of a code; nil for the reserved one, which means what is usual.
    private static func exponent(_ code: UInt8) -> UInt8? {
        code == reservedExponent ? nil : code
    }

    /// The wait for the first bit of an answer (FWT).
    package var frameWait: Duration {
        .nanoseconds(AnswerToSelect.unitInNanoseconds << Int(waitExponent))
    }

    /// How long a reader waits for an answer, with the tolerance of the standard.
    package func wait(times multiplier: UInt8 = 1) -> Duration {
        frameWait * Int(multiplier) + .nanoseconds(AnswerToSelect.toleranceInNanoseconds)
    }

    /// The pause before the first block (SFGT).
    package var pause: Duration {
        pauseExponent == 0
            ? .zero : .nanoseconds(AnswerToSelect.unitInNanoseconds << Int(pauseExponent))
    }
}
