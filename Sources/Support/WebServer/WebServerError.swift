import Glibc

/// Why a server cannot start or change its certificate.
public struct WebServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// libmicrohttpd is missing, or is a different release.
        case libraryMissing
        /// The address is invalid or does not belong to this machine, or the port is taken or not
        /// allowed.
        case cannotListen
        /// The limit on open files is too low for a server.
        case tooFewDescriptors
        /// The certificate or its key is unusable.
        case badCertificate
        /// The system has no more threads or descriptors.
        case noResources
    }

    public let kind: Kind
    /// A description of the failure.
    public let detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    static func noResources(_ what: String, _ number: CInt) -> WebServerError {
        let reason = unsafe String(cString: strerror(number))
        return WebServerError(
            .noResources,
            "The operating system could not provide \(what) for the server: \(reason).")
    }

    public var description: String { detail }

    public static func == (one: WebServerError, other: WebServerError) -> Bool {
        one.kind == other.kind
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
    }
}
