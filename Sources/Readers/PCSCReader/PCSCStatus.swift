public import TagReading

/// The result of a PC/SC call. It is not an enumeration, because drivers and later versions return
/// other values, which must be kept so that they can be looked up.
public struct PCSCStatus: Error, RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let success = PCSCStatus(rawValue: 0)
    public static let cancelled = PCSCStatus(rawValue: 0x8010_0002)
    public static let invalidHandle = PCSCStatus(rawValue: 0x8010_0003)
    public static let insufficientBuffer = PCSCStatus(rawValue: 0x8010_0008)
    public static let unknownReader = PCSCStatus(rawValue: 0x8010_0009)
    public static let timeout = PCSCStatus(rawValue: 0x8010_000A)
    public static let sharingViolation = PCSCStatus(rawValue: 0x8010_000B)
    public static let noSmartcard = PCSCStatus(rawValue: 0x8010_000C)
    public static let protocolMismatch = PCSCStatus(rawValue: 0x8010_000F)
    public static let communicationError = PCSCStatus(rawValue: 0x8010_0013)
    public static let notTransacted = PCSCStatus(rawValue: 0x8010_0016)
    public static let readerUnavailable = PCSCStatus(rawValue: 0x8010_0017)
    public static let shutdown = PCSCStatus(rawValue: 0x8010_0018)
    public static let noService = PCSCStatus(rawValue: 0x8010_001D)
    public static let serviceStopped = PCSCStatus(rawValue: 0x8010_001E)
    public static let noAccess = PCSCStatus(rawValue: 0x8010_0027)
    public static let noReadersAvailable = PCSCStatus(rawValue: 0x8010_002E)
    public static let unresponsiveCard = PCSCStatus(rawValue: 0x8010_0066)
    public static let unpoweredCard = PCSCStatus(rawValue: 0x8010_0067)
    public static let resetCard = PCSCStatus(rawValue: 0x8010_0068)
    public static let removedCard = PCSCStatus(rawValue: 0x8010_0069)
    public static let securityViolation = PCSCStatus(rawValue: 0x8010_006A)

    /// The error for callers: the one place where a status becomes something to act on.
    public var readerError: ReaderError {
        switch self {
        case .noSmartcard, .unresponsiveCard, .unpoweredCard, .resetCard, .removedCard:
            ReaderError(.tagLost, description)
        case .notTransacted, .timeout: ReaderError(.timedOut, description)
        case .sharingViolation:
            ReaderError(.busy, "another program works with the card in it through pcscd")
        case .cancelled: ReaderError(.cancelled, description)
        case .insufficientBuffer, .protocolMismatch: ReaderError(.garbled, description)
        case .noReadersAvailable: ReaderError(.noReader, "pcscd sees no reader")
        case .noAccess, .securityViolation:
            ReaderError(.noReader, "pcscd does not let this user in; its polkit rule decides that")
        case .noService, .serviceStopped, .shutdown, .communicationError, .invalidHandle:
            ReaderError(.readerLost, "pcscd has stopped, \(description)")
        case .unknownReader, .readerUnavailable:
            ReaderError(.readerLost, "pcscd does not see it any more")
        default: ReaderError(.readerLost, description)
        }
    }

    /// The meaning of this status for a user whom pcscd has accepted before. libpcsclite reports
    /// every connection that is reset as "access denied"; a pcscd that ends resets those with a
    /// request in flight.
    package var onceLetIn: PCSCStatus { self == .securityViolation ? .serviceStopped : self }

    /// Whether pcscd itself is gone, so that nothing is left to release.
    var isServiceGone: Bool {
        switch self {
        case .noService, .serviceStopped, .shutdown, .communicationError, .invalidHandle: true
        default: false
        }
    }
}

extension PCSCStatus: CustomStringConvertible {
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "PC/SC status " + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Throws every status except success.
    func check() throws(PCSCStatus) {
        guard self == .success else { throw self }
    }
}
