import Verbs
import WebServer

/// Checks that requests come from the till page's own origin or, for shared calls, from an origin
/// that the operator allows. `Authenticator` decides what they may do.
///
/// A page from another site in the same browser can send requests to this server, but it cannot
/// read a token, because browsers hide the responses from it. If the site points its own host name
/// at this server (DNS rebinding), that name is refused.
struct OriginCheck: Sendable {
    /// The names of this server, such as "127.0.0.1:40231" and "localhost:40231".
    let hosts: Set<String>
    let scheme: String
    /// The other origins that may make shared calls, in the form that browsers send.
    var allowed: Set<String> = []

    /// Returns the request's origin if it is an allowed other origin; nil for the till page and for
    /// programs. Throws for any other origin. Any site may link to the page's files, because it
    /// cannot read them.
    func otherOrigin(
        _ request: WebRequest, isFile: Bool, isShared: Bool = false
    ) throws(Problem) -> String? {
        guard let host = request.headers["Host"]?.lowercased(), hosts.contains(host) else {
            throw Problem(
                .forbiddenHost, "The name in the Host header is not one of this server's.",
                "Nothing was done.",
                NextWords(
                    "open-printed-address", "Use the address that tapcard serve prints."))
        }
        // The host is one of this server's names, so a foreign origin cannot match it.
        if let origin = request.headers["Origin"], origin.lowercased() != "\(scheme)://\(host)" {
            guard isShared, allowed.contains(origin) else { throw OriginCheck.foreign }
            return origin
        }
        // "none" means that the user opened the page directly, with a typed address or a bookmark.
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" {
            let isLink =
                isFile && request.method == "GET" && request.headers["Sec-Fetch-Mode"] == "navigate"
            guard isLink else { throw OriginCheck.foreign }
        }
        return nil
    }

    private static let foreign = Problem(
        .forbiddenOrigin, "Requests from other sites are refused.")
}
