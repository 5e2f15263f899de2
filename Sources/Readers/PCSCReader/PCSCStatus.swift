package import Tags

/// The result of a PC/SC call. It is not an enumeration, because drivers and later versions may
/// return other values, which error messages have to show.
package struct PCSCStatus: Error, RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let success = PCSCStatus(rawValue: 0)
    package static let cancelled = PCSCStatus(rawValue: 0x8010_0002)
    package static let invalidHandle = PCSCStatus(rawValue: 0x8010_0003)
    package static let insufficientBuffer = PCSCStatus(rawValue: 0x8010_0008)
    package static let unknownReader = PCSCStatus(rawValue: 0x8010_0009)
    package static let timeout = PCSCStatus(rawValue: 0x8010_000A)
    package static let sharingViolation = PCSCStatus(rawValue: 0x8010_000B)
    package static let noSmartcard = PCSCStatus(rawValue: 0x8010_000C)
    package static let protocolMismatch = PCSCStatus(rawValue: 0x8010_000F)
    package static let communicationError = PCSCStatus(rawValue: 0x8010_0013)
    package static let notTransacted = PCSCStatus(rawValue: 0x8010_0016)
    package static let readerUnavailable = PCSCStatus(rawValue: 0x8010_0017)
    package static let shutdown = PCSCStatus(rawValue: 0x8010_0018)
    package static let noService = PCSCStatus(rawValue: 0x8010_001D)
    package static let serviceStopped = PCSCStatus(rawValue: 0x8010_001E)
    package static let noAccess = PCSCStatus(rawValue: 0x8010_0027)
    package static let noReadersAvailable = PCSCStatus(rawValue: 0x8010_002E)
    package static let unresponsiveCard = PCSCStatus(rawValue: 0x8010_0066)
    package static let unpoweredCard = PCSCStatus(rawValue: 0x8010_0067)
    package static let resetCard = PCSCStatus(rawValue: 0x8010_0068)
    package static let removedCard = PCSCStatus(rawValue: 0x8010_0069)
    package static let securityViolation = PCSCStatus(rawValue: 0x8010_006A)

    /// The error to report to callers, which do not interpret statuses themselves.
    package var readerError: ReaderError {
        switch self {
        case .noSmartcard, .unresponsiveCard, .unpoweredCard, .resetCard, .removedCard:
            ReaderError(.tagLost, description)
        // "Not transacted" means that no response arrived; a WRITE may have reached the tag anyway.
        case .notTransacted, .timeout: ReaderError(.timedOut, description)
        case .sharingViolation:
            ReaderError(.busy, "another program is using the card through pcscd")
        case .cancelled: ReaderError(.cancelled, description)
        case .insufficientBuffer, .protocolMismatch: ReaderError(.garbled, description)
        case .noReadersAvailable: ReaderError(.noReader, "pcscd lists no reader")
        case .noAccess, .securityViolation:
            ReaderError(
                .noReader,
                "pcscd denies access to this user; its polkit rule decides who has access")
        case .noService, .serviceStopped, .shutdown, .communicationError, .invalidHandle:
            ReaderError(.readerLost, "pcscd stopped: \(description)")
        case .unknownReader, .readerUnavailable:
            ReaderError(.readerLost, "pcscd no longer lists this reader")
        default: ReaderError(.readerLost, description)
        }
    }

    /// What this status means for a user whom pcscd has already accepted. When pcscd exits, it
    /// resets connections with a request in flight, and libpcsclite reports every reset connection
    /// as a security violation.
    package var afterAdmission: PCSCStatus { self == .securityViolation ? .serviceStopped : self }

    /// Whether pcscd itself is gone, so that there is nothing left to release.
    var isServiceGone: Bool {
        switch self {
        case .noService, .serviceStopped, .shutdown, .communicationError, .invalidHandle: true
        default: false
        }
    }
}

extension PCSCStatus: CustomStringConvertible {
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "PC/SC status " + String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Throws any status except success.
    func check() throws(PCSCStatus) {
        guard self == .success else { throw self }
    }
}
