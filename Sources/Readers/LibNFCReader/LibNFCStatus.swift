import TagReading

/// What a libnfc call returns when it fails: the number itself, as drivers also return numbers
/// of the system that no list of libnfc's knows.
struct LibNFCStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    static let inputOutput = Self(rawValue: -1)
    static let invalidArgument = Self(rawValue: -2)
    static let notSupported = Self(rawValue: -3)
    static let noSuchDevice = Self(rawValue: -4)
    static let overflow = Self(rawValue: -5)
    static let timeout = Self(rawValue: -6)
    static let aborted = Self(rawValue: -7)
    static let notImplemented = Self(rawValue: -8)
    static let targetReleased = Self(rawValue: -10)
    static let radio = Self(rawValue: -20)
    static let authenticationFailed = Self(rawValue: -30)
    static let software = Self(rawValue: -80)
    static let chip = Self(rawValue: -90)

    /// Whether nothing that the reader says from now on can be trusted, so that it is closed.
    ///
    /// After a time-out the answer may still come, and a reader on USB hands it to the next
    /// command; everything that is not plainly about the tag is about the reader.
    var endsConnection: Bool {
        ![.targetReleased, .radio, .authenticationFailed, .chip].contains(self)
    }

    /// The error for the caller of a frame, with the number in it.
    func error(_ doing: String) -> ReaderError {
        let detail = "\(doing): \(self)"
        switch self {
        case .timeout: return ReaderError(.timedOut, detail)
        case .aborted: return ReaderError(.cancelled, detail)
        case .targetReleased: return ReaderError(.tagLost, detail)
        case .radio, .authenticationFailed, .chip: return ReaderError(.garbled, detail)
        default: return ReaderError(.readerLost, detail)
        }
    }
}

extension LibNFCStatus: CustomStringConvertible {
    var description: String { "\(meaning) (libnfc \(rawValue))" }

    private var meaning: String {
        switch self {
        case .inputOutput: "the reader is gone or its answer was damaged"
        case .invalidArgument: "the reader refused the command"
        case .notSupported: "the reader cannot do this"
        case .noSuchDevice: "there is no such reader"
        // Also what a system's "input/output error" looks like.
        case .overflow: "the reader's answer was too long or could not be read"
        case .timeout: "the reader did not answer in time"
        case .aborted: "the command was aborted"
        case .notImplemented: "libnfc cannot do this"
        case .targetReleased: "the tag was released"
        case .radio: "no answer, or a damaged one, over the radio"
        case .authenticationFailed: "the tag refused to authenticate"
        case .software: "libnfc ran out of memory or descriptors"
        case .chip: "the reader's chip reported an error"
        default: "the system reported an error"
        }
    }
}
