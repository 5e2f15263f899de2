/// A request that has been received completely.
public struct WebRequest: Sendable, Hashable {
    /// The method as sent, except that HEAD becomes GET and the server leaves out the body.
    public let method: String
    /// The percent-decoded path without the query. It begins with "/" and has no "." or ".." parts.
    public let path: String
    /// The parts of the query, percent-decoded, in order.
    public let query: [WebField]
    public let headers: WebHeaders
    public let body: [UInt8]
    /// The client's address in numeric form. Empty if it is not known.
    public let client: String

    public init(
        method: String, path: String, query: [WebField] = [], headers: WebHeaders = WebHeaders(),
        body: [UInt8] = [], from client: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.client = client
    }

    /// This request with a different path.
    public func at(_ path: String) -> WebRequest {
        WebRequest(
            method: method, path: path, query: query, headers: headers, body: body, from: client)
    }

    /// The value of the first query part with this name.
    public func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
