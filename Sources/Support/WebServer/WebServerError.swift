import Glibc

/// Why a server cannot be started.
public struct WebServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands in the way.
    public enum Kind: Sendable, Hashable {
        /// libmicrohttpd is not there, or is another one.
        case libraryMissing
        /// The address is none, is not this machine's, or the port is taken or not allowed.
        case cannotListen
        /// This process may not have as many files open as a server needs.
        case tooFewDescriptors
        /// The certificate, or its key, is none that can be used.
        case badCertificate
        /// The system has no more threads or descriptors.
        case noResources
    }

    public let kind: Kind
    /// What happened, in words.
    public let detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    static func noResources(_ what: String, _ number: CInt) -> WebServerError {
        let reason = unsafe String(cString: strerror(number))
        return WebServerError(.noResources, "The system has \(what) for a server: \(reason).")
    }

    public var description: String { detail }

    public static func == (one: WebServerError, other: WebServerError) -> Bool {
        one.kind == other.kind
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
    }
}
