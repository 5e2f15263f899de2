import BlockingLane
import CardCryptography
import Ledger
import RemoteServices
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// Forwards requests for tills whose readers are attached to other servers of the ledger.
///
/// A header with a seal under one of the issuer's keys states the client's address, so that limits
/// on failed logins still apply to the client and not to the server that forwards.
struct Forwarding: Sendable {
    private static let header = "Tapcard-Forwarded"
    private static let purpose = "forwarding"
    /// How long a seal is valid, in milliseconds.
    private static let validity: Int64 = 60_000
    private static let connecting = Duration.seconds(3)
    /// A payment can wait 30 seconds for a card.
    private static let whole = Duration.seconds(60)
    private static let bodyLimit = 64 << 20
    /// The request's headers that the other server needs.
    private static let passedOn = ["Authorization", "Cookie", "Accept", "Last-Event-ID"]
    /// Headers of a response that each server sets for its own connection.
    private static let connectionHeaders: Set = [
        "connection", "content-length", "date", "keep-alive", "strict-transport-security",
        "transfer-encoding", "x-content-type-options",
    ]

    /// The address at which other servers reach this one; nil if they cannot.
    let ownAddress: String?
    private let runner: TillRunner
    private let clients: ClientPool
    /// The addresses of the servers to which readers of tills are attached, by till.
    private let places = Guarded<[Int: String]>([:])

    init(_ runner: TillRunner, ownAddress: String?, authorities: String?) {
        (self.runner, self.ownAddress) = (runner, ownAddress)
        clients = ClientPool(
            options: HTTPClient.Options(version: Release.version, authorities: authorities))
    }

    /// Notes where the till's reader is attached.
    func note(_ till: EnrolledTill) {
        let place = till.attachment?.serverAddress
        places.withLock { $0[till.number] = place == ownAddress ? nil : place }
    }

    func forget(_ number: Int) { places.withLock { $0[number] = nil } }

    /// The address of the server to which the reader of this till is attached; nil if it is this
    /// server, if no reader is attached, or if the server cannot be reached by others.
    func place(of number: Int) -> String? { places.withLock { $0[number] } }

    // MARK: Receiving

    /// A request with the address of its original client, and whether another server forwarded it.
    func unwrapped(_ request: WebRequest) -> (request: WebRequest, isForwarded: Bool) {
        guard let header = request.headers[Forwarding.header] else { return (request, false) }
        let fields = header.split(separator: " ").map { String($0) }
        guard fields.count == 4, let id = UInt8(fields[0]), let time = Int64(fields[1]),
            abs(runner.now().milliseconds - time) <= Forwarding.validity,
            let entry = ((try? runner.keys()) ?? nil)?.entry(id), entry.status != .retired,
            let seal = Hexadecimal.decode(fields[3]),
            ConstantTime.equal(
                seal, Forwarding.seal(entry, request, client: fields[2], time: time))
        else { return (request, false) }
        return (
            WebRequest(
                method: request.method, path: request.path, query: request.query,
                headers: request.headers, body: request.body, from: fields[2]), true
        )
    }

    private static func seal(
        _ entry: KeyEntry, _ request: WebRequest, client: String, time: Int64
    ) -> [UInt8] {
        let text = "\(request.method) \(request.path) \(client) \(time)"
        return entry.masters.seal(of: Array(text.utf8), for: purpose)
    }

    // MARK: Sending

    /// The response of the server to which the till's reader is attached. Nil if no connection to
    /// that server could be made, so that the request was certainly not sent.
    func answer(
        to request: WebRequest, at number: Int, from place: String
    ) async -> WebResponse? {
        let whole = request.at(TillPath.of(number) + request.path)
        guard let forwarded = forwarded(whole, to: place) else { return Forwarding.lost }
        let client = await clients.take()
        if request.method == "GET" { return await streamed(forwarded, through: client) }
        let limits = HTTPLimits(connecting: Forwarding.connecting, whole: Forwarding.whole)
        let answer: WebResponse?
        do throws(ServiceError) {
            answer = Forwarding.response(try await client.send(forwarded, by: limits))
        } catch {
            answer = error.kind == .offline ? nil : Forwarding.lost
        }
        await clients.put(client)
        return answer
    }

    /// A response that may be an endless stream of events.
    private func streamed(
        _ request: HTTPRequest, through client: HTTPClient
    ) async -> WebResponse? {
        let (answers, answer) = AsyncStream<WebResponse?>.makeStream()
        let transfer = Guarded<Task<Void, Never>?>(nil)
        let events = WebStream(capacity: EventHub.capacity) {
            transfer.withLock { $0 }?.cancel()
        }
        // Only the first of several answers counts: the events, or the whole response.
        let task = Task { [clients] in
            do throws(ServiceError) {
                let whole = try await client.stream(
                    request, connecting: Forwarding.connecting, silence: Forwarding.whole
                ) { part in
                    answer.yield(.events(events))
                    events.send(part)
                }
                answer.yield(Forwarding.response(whole))
            } catch {
                answer.yield(error.kind == .offline ? nil : Forwarding.lost)
            }
            events.finish()
            answer.finish()
            await clients.put(client)
        }
        transfer.withLock { $0 = task }
        for await first in answers { return first }
        return nil
    }

    private func forwarded(_ request: WebRequest, to place: String) -> HTTPRequest? {
        let method: HTTPRequest.Method
        switch request.method {
        case "GET": method = .get
        case "POST": method = .post(body: request.body)
        case "DELETE": method = .delete
        default: return nil
        }
        guard let entry = ((try? runner.keys()) ?? nil)?.sealing else { return nil }
        let time = runner.now().milliseconds
        let seal = Forwarding.seal(entry, request, client: request.client, time: time)
        let header =
            "\(entry.id) \(time) \(request.client) \(Hexadecimal.encode(seal))"
        let fields = Forwarding.passedOn.flatMap { name in
            request.headers.all(name).map { (name, $0) }
        }
        let headers = (fields + [(Forwarding.header, header)]).compactMap {
            HTTPHeader($0.0, $0.1)
        }
        let query = request.query.map { field in
            Template.percentEncoded(field.name) + "=" + Template.percentEncoded(field.value)
        }
        let url =
            place + Template.percentEncoded(request.path, keeping: "/")
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        return HTTPRequest(method, url, headers: headers, bodyLimit: Forwarding.bodyLimit)
    }

    private static func response(_ answer: HTTPAnswer) -> WebResponse {
        WebResponse(
            answer.status,
            headers: answer.head.fields.filter { !connectionHeaders.contains($0.name) }.map {
                ($0.name, $0.value)
            }, body: .bytes(answer.body))
    }

    /// The page treats a response without a problem document as lost: what it asked for may have
    /// happened.
    private static let lost = WebResponse.text(
        "The server of this till did not respond.\n", status: 502)
}

/// HTTP clients, each of which handles one request at a time.
private actor ClientPool {
    private static let maximumIdle = 16

    private let options: HTTPClient.Options
    private var idle: [HTTPClient] = []

    init(options: HTTPClient.Options) { self.options = options }

    func take() -> HTTPClient { idle.popLast() ?? HTTPClient(options) }

    func put(_ client: HTTPClient) {
        if idle.count < ClientPool.maximumIdle { idle.append(client) }
    }
}
