import StationFiles
import WebServer

/// A call that API tokens can authorize. Other origins can make only these calls.
enum SharedCall: String, CaseIterable {
    case taps
    case readTag = "tag/read"
    case writeTag = "tag/write"
    case display = "display/events"

    init?(path: String) {
        guard path.hasPrefix(CallRoutes.base) else { return nil }
        self.init(rawValue: String(path.dropFirst(CallRoutes.base.count)))
    }

    var right: APIToken.Right {
        switch self {
        case .taps: .watch
        case .readTag, .writeTag: .tags
        case .display: .display
        }
    }
    private var method: String { right == .tags ? "POST" : "GET" }

    /// How long browsers may cache a preflight response, in seconds.
    private static let preflightSeconds = 600

    /// The CORS headers that let this origin read a response. They never allow cookies.
    static func headers(for origin: String) -> [(String, String)] {
        [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]
    }

    /// The response to a CORS preflight request from an allowed origin.
    ///
    /// Older browsers implement Private Network Access, which needs an extra header. Its successor,
    /// Local Network Access, asks the user instead.
    func preflight(_ request: WebRequest) -> WebResponse {
        let isPrivate = request.headers["Access-Control-Request-Private-Network"] == "true"
        return WebResponse(
            204,
            headers: [
                ("Access-Control-Allow-Methods", method),
                ("Access-Control-Allow-Headers", "authorization, content-type"),
                ("Access-Control-Max-Age", String(SharedCall.preflightSeconds)),
            ] + (isPrivate ? [("Access-Control-Allow-Private-Network", "true")] : []))
    }
}

extension WebRequest {
    /// Whether there is an `Authorization` header, even one without a token.
    var hasAuthorization: Bool { headers["Authorization"]?.isEmpty == false }

    /// The token in the `Authorization` header. Tokens are not accepted anywhere else.
    var bearerToken: String? {
        let scheme = "bearer "
        // Scheme names in HTTP are case-insensitive.
        guard let header = headers["Authorization"],
            header.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        return String(header.dropFirst(scheme.count))
    }

    /// Whether the request comes from this machine, and no proxy says that it forwarded it.
    var isFromMachine: Bool {
        (client.hasPrefix("127.") || client == "::1")
            && headers["X-Forwarded-For"] == nil && headers["Forwarded"] == nil
    }

    /// The API token; nil if the request has no token or a session token.
    var apiToken: String? { bearerToken.flatMap { APIToken.isToken($0) ? $0 : nil } }
}
