import Verbs
import WebServer

/// Who may ask: this page's own origin. What they may ask for, the authenticator says.
///
/// A page of somebody else's that runs in the same browser can send requests here. It cannot read a
/// token, as it may not read answers; and under a name of its own that it has pointed here (DNS
/// rebinding) the name is refused.
struct OriginCheck: Sendable {
    /// "127.0.0.1:40231", "localhost:40231" and what else is this server's name.
    let hosts: Set<String>
    let scheme: String

    /// Throws where a request is none of this page's own. To a page for people a link may lead from
    /// another site: what that sees of it is nothing.
    func requireOwn(_ request: WebRequest, isFile: Bool) throws(Problem) {
        guard let host = request.headers["Host"]?.lowercased(), hosts.contains(host) else {
            throw Problem(
                403, "forbidden-host", "This is not a name of this server.", "Nothing was done.",
                NextWords(
                    "open-printed-address", "Open the address that tapcard serve has printed."))
        }
        if let origin = request.headers["Origin"], origin.lowercased() != "\(scheme)://\(host)" {
            throw OriginCheck.foreign
        }
        if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" {
            let isLink =
                isFile && request.method == "GET" && request.headers["Sec-Fetch-Mode"] == "navigate"
            guard isLink else { throw OriginCheck.foreign }
        }
    }

    private static let foreign = Problem(
        403, "forbidden-origin", "Another site's page has sent this request.")
}
