import StationFiles
import WebServer

/// The calls that API tokens allow. Pages of other origins can make no other calls.
enum SharedCall: String, CaseIterable {
    case taps
    case readTag = "tag/read"
    case writeTag = "tag/write"

    init?(path: String) {
        guard path.hasPrefix(CallRoutes.base) else { return nil }
        self.init(rawValue: String(path.dropFirst(CallRoutes.base.count)))
    }

    var right: APIToken.Right { self == .taps ? .watch : .tags }
    private var method: String { self == .taps ? "GET" : "POST" }

    /// For this long, a browser need not ask again before it makes a call, in seconds.
    private static let preflightSeconds = 600

    /// The headers that let a page of this origin read a response. Cookies are never allowed.
    static func headers(for origin: String) -> [(String, String)] {
        [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]
    }

    /// The response to a browser that asks whether a page of an allowed origin may make the call.
    ///
    /// Browsers that guard private networks by permission (Local Network Access) ask only the user.
    /// Those that asked servers (Private Network Access) need one more header.
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
    /// The token in the header `Authorization`, the only place where tokens are accepted.
    var bearerToken: String? {
        let scheme = "bearer "
        // HTTP ignores the case of the scheme's name.
        guard let header = headers["Authorization"],
            header.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        return String(header.dropFirst(scheme.count))
    }

    /// The API token, if there is one; nil for a token of the till page.
    var apiToken: String? { bearerToken.flatMap { APIToken.isToken($0) ? $0 : nil } }
}
