import BlockingLane
import RemoteServices
import TapcardDomain
import TillServer
import WebServer

/// Sends requests to other servers with libcurl. Each client handles one request at a time, so a
/// stream of events has a client of its own.
struct HTTPPeerLine: PeerLine {
    private static let connecting = Duration.seconds(3)
    /// A payment can wait 30 seconds for a card.
    private static let responding = Duration.seconds(60)
    private static let bodyLimit = 64 << 20
    private static let maximumIdle = 16

    private let options: HTTPClient.Options
    private let idle = Guarded<[HTTPClient]>([])

    init(_ options: HTTPClient.Options) { self.options = options }

    func send(
        _ request: PeerRequest, _ take: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(PeerError) -> PeerResponse {
        let method: HTTPRequest.Method =
            switch request.method {
            case "GET": .get
            case "DELETE": .delete
            default: .post(body: request.body)
            }
        let outgoing = HTTPRequest(
            method, request.url,
            headers: request.headers.compactMap { HTTPHeader($0.name, $0.value) },
            bodyLimit: HTTPPeerLine.bodyLimit)
        let client = idle.withLock { $0.popLast() } ?? HTTPClient(options)
        defer {
            idle.withLock { if $0.count < HTTPPeerLine.maximumIdle { $0.append(client) } }
        }
        let answer = try await translating(
            awaiting: request.method == "GET"
                ? try await client.stream(
                    outgoing, connecting: HTTPPeerLine.connecting, silence: HTTPPeerLine.responding,
                    take)
                : try await client.send(
                    outgoing,
                    by: HTTPLimits(
                        connecting: HTTPPeerLine.connecting, whole: HTTPPeerLine.responding))
        ) { (error: ServiceError) in error.isUnsent ? PeerError.notSent : .lost }
        return PeerResponse(
            status: answer.status,
            headers: answer.head.fields.map { WebField($0.name, $0.value) }, body: answer.body)
    }
}
