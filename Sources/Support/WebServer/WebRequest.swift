/// A request that has been received whole.
public struct WebRequest: Sendable, Hashable {
    /// As it was sent, but for HEAD: that is asked as GET, and the server leaves the body out.
    public let method: String
    /// Begins with "/", percent-decoded, without the query, without "." and ".." as its parts.
    public let path: String
    /// Percent-decoded, in the order in which it came.
    public let query: [WebField]
    public let headers: WebHeaders
    public let body: [UInt8]
    /// The address that it came from, in digits; empty where that is not known.
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

    /// The value of the first part of the query with this name.
    public func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
