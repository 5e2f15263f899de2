package import WebServer

/// Sends requests to other servers of the ledger.
package protocol PeerLine: Sendable {
    /// Sends a request and returns the whole response. Events are not part of it: they are passed
    /// to `take` as they arrive, until the response ends.
    func send(
        _ request: PeerRequest, _ take: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(PeerError) -> PeerResponse
}

/// A request to another server.
package struct PeerRequest: Sendable {
    package let method: String
    package let url: String
    package let headers: [WebField]
    package let body: [UInt8]
}

/// The response of another server. The names of the headers are in lower case.
package struct PeerResponse: Sendable {
    package let status: Int
    package let headers: [WebField]
    package let body: [UInt8]

    package init(status: Int, headers: [WebField], body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Why there is no response from another server.
package enum PeerError: Error, Hashable, Sendable {
    /// No connection could be made, so the server did not get the request.
    case notSent
    /// The server may have received the request, and may have carried it out.
    case lost
}
