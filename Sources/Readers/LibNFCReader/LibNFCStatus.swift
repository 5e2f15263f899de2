package import Tags

/// The error number from a libnfc call. It is not an enumeration, because drivers also return
/// system error numbers that libnfc does not list.
package struct LibNFCStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let inputOutput = Self(rawValue: -1)
    package static let invalidArgument = Self(rawValue: -2)
    package static let notSupported = Self(rawValue: -3)
    package static let noSuchDevice = Self(rawValue: -4)
    package static let overflow = Self(rawValue: -5)
    package static let timeout = Self(rawValue: -6)
    package static let aborted = Self(rawValue: -7)
    package static let notImplemented = Self(rawValue: -8)
    package static let targetReleased = Self(rawValue: -10)
    package static let radio = Self(rawValue: -20)
    package static let authenticationFailed = Self(rawValue: -30)
    package static let software = Self(rawValue: -80)
    package static let chip = Self(rawValue: -90)

    /// Whether the reader can no longer be trusted and has to be closed.
    ///
    /// After a timeout, the response may still arrive, and a USB reader would return it for the
    /// next command. Any failure that is not clearly the tag's fault is attributed to the reader.
    package var endsConnection: Bool {
        ![.targetReleased, .radio, .authenticationFailed, .chip].contains(self)
    }

    /// The error to report to the caller. `doing` describes what was being done.
    package func error(_ doing: String) -> ReaderError {
        let detail = "\(doing): \(self)"
        switch self {
        case .timeout: return ReaderError(.timedOut, detail)
        case .aborted: return ReaderError(.cancelled, detail)
        case .targetReleased: return ReaderError(.tagLost, detail)
        case .radio, .authenticationFailed, .chip: return ReaderError(.garbled, detail)
        // As in `endsConnection`, anything else is attributed to the reader.
        default: return ReaderError(.readerLost, detail)
        }
    }
}

extension LibNFCStatus: CustomStringConvertible {
    package var description: String { "\(meaning) (libnfc \(rawValue))" }

    private var meaning: String {
        switch self {
        case .inputOutput: "the reader is gone, or its answer was damaged"
        case .invalidArgument: "the reader refused the command because of an invalid argument"
        case .notSupported: "the reader or libnfc does not support this function"
        case .noSuchDevice: "the reader was not found"
        // EIO, the system's input/output error, has the same number.
        case .overflow: "the reader's answer was too long or could not be read"
        case .timeout: "the reader did not respond in time"
        case .aborted: "the command was aborted"
        case .notImplemented: "the reader or libnfc does not support this function"
        case .targetReleased: "the tag was released"
        case .radio: "the tag's answer was missing or damaged"
        case .authenticationFailed: "the tag refused to authenticate"
        case .software: "libnfc ran out of memory or file descriptors"
        case .chip: "the reader's chip reported an error"
        default: "the system reported an error"
        }
    }
}
