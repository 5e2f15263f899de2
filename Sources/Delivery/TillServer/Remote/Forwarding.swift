import BlockingLane
import CardCryptography
import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// Forwards requests for tills whose readers were last attached to other servers of the ledger.
///
/// A header with a seal under one of the issuer's keys states the client's address, so that limits
/// on failed logins still apply to the client and not to the server that forwards.
struct Forwarding: Sendable {
    private static let header = "Tapcard-Forwarded"
    private static let purpose = "forwarding"
    private static let addressPurpose = "peer address"
    /// How long a seal is valid, in milliseconds.
    private static let validity: Int64 = 60_000
    /// The request's headers that the other server needs.
    private static let passedOn = [
        "Authorization", "Cookie", "Accept", "Last-Event-ID", "Forwarded", "X-Forwarded-For",
    ]
    static let methods: Set = ["GET", "POST", "DELETE"]
    fileprivate static let maximumTransfers = 128
    fileprivate static let maximumTransfersPerTill = 16
    /// Headers of a response that each server sets for its own connection.
    private static let connectionHeaders: Set = [
        "connection", "content-length", "date", "keep-alive", "strict-transport-security",
        "transfer-encoding", "x-content-type-options",
    ]

    /// The outcome of a request for a till at another server.
    enum Outcome: String, CaseIterable {
        /// The other server responded.
        case done
        /// The other server may have received the request.
        case lost
        /// No connection could be made.
        case notSent = "not-sent"
        /// This server refused the request, because too many others were waiting.
        case busy
    }

    /// The address at which other servers reach this one; nil if they cannot.
    let ownAddress: String?
    private let runner: TillRunner
    private let peers: (any PeerLine)?
    /// The addresses of the servers to which tills' readers were last attached, by till.
    private let peerAddresses = Guarded<[Int: String]>([:])
    /// The requests that are being forwarded.
    private let transfers = Guarded(Transfers())
    private let outcomes = Guarded<[Outcome: Int]>([:])

    init(_ runner: TillRunner, _ peers: (any PeerLine)?, ownAddress: String?) {
        (self.runner, self.peers, self.ownAddress) = (runner, peers, ownAddress)
    }

    /// Notes the server to which the till's reader was last attached.
    func note(_ till: EnrolledTill) {
        let address = till.attachment?.serverAddress.flatMap { self.address(in: $0) }
        set(till.number, address == ownAddress ? nil : address)
    }

    func forget(_ number: Int) { set(number, nil) }

    /// The number of requests with each outcome.
    var counts: [Outcome: Int] { outcomes.withLock { $0 } }

    private func set(_ number: Int, _ address: String?) {
        let before = peerAddresses.withLock { addresses in
            let before = addresses[number]
            addresses[number] = address
            return before
        }
        // The earlier server may never respond, and its events are no longer those of the till.
        if before != address { transfers.withLock { $0.cancel(at: number) } }
    }

    /// The address of the server to which this till's reader was last attached; nil if it is this
    /// server, if no reader was attached yet, or if others cannot reach that server.
    func peerAddress(of number: Int) -> String? {
        peers == nil ? nil : peerAddresses.withLock { $0[number] }
    }

    // MARK: Addresses

    /// This server's address for the ledger, with a seal under an issuer's key. Without the seal,
    /// anyone who can write to the ledger could have requests, and passwords, sent elsewhere.
    var sealedAddress: String? {
        guard let ownAddress, let entry = runner.usableKeys?.sealing else { return nil }
        return "\(ownAddress) \(entry.id) "
            + Hexadecimal.encode(
                entry.masters.seal(of: Array(ownAddress.utf8), for: Forwarding.addressPurpose))
    }

    /// The address in a text from the ledger; nil without a valid seal.
    private func address(in text: String) -> String? {
        let fields = text.split(separator: " ").map { String($0) }
        guard fields.count == 3, let id = UInt8(fields[1]),
            let seal = Hexadecimal.decode(fields[2]),
            let entry = runner.usableKeys?.entry(id), entry.status != .retired,
            ConstantTime.equal(
                seal,
                entry.masters.seal(of: Array(fields[0].utf8), for: Forwarding.addressPurpose))
        else { return nil }
        return fields[0]
    }

    // MARK: Receiving

    /// A request with the address of its original client, and whether another server forwarded it.
    /// Without a valid seal, the client is the sender, but the request is never forwarded again.
    func unwrapped(_ request: WebRequest) -> (request: WebRequest, isForwarded: Bool) {
        guard let header = request.headers[Forwarding.header] else { return (request, false) }
        guard let ownAddress else { return (request, true) }
        let fields = header.split(separator: " ").map { String($0) }
        guard fields.count == 4, let id = UInt8(fields[0]), let time = Int64(fields[1]),
            abs(runner.now().milliseconds - time) <= Forwarding.validity,
            let entry = runner.usableKeys?.entry(id), entry.status != .retired,
            let seal = Hexadecimal.decode(fields[3]),
            ConstantTime.equal(
                seal, Forwarding.seal(entry, request, to: ownAddress, client: fields[2], time: time)
            )
        else { return (request, true) }
        return (
            WebRequest(
                method: request.method, path: request.path, query: request.query,
                headers: request.headers, body: request.body, from: fields[2]), true
        )
    }

    private static func seal(
        _ entry: KeyEntry, _ request: WebRequest, to address: String, client: String, time: Int64
    ) -> [UInt8] {
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let text = "\(request.method) \(address) \(client) \(time) \(request.path)?\(query)\n"
        return entry.masters.seal(of: Array(text.utf8) + request.body, for: purpose)
    }

    // MARK: Sending

    /// The response of the server to which the till's reader is attached; nil if no connection to
    /// that server could be made, so the request was certainly not sent.
    func answer(
        to request: WebRequest, at number: Int, from address: String
    ) async -> WebResponse? {
        let atTill = request.at(TillPath.of(number) + request.path)
        guard let peers, let forwarded = forwarded(atTill, to: address) else { return nil }
        let (outcome, response) = await send(forwarded, over: peers, at: number, to: address)
        outcomes.withLock { $0[outcome, default: 0] += 1 }
        return response
    }

    private func send(
        _ request: PeerRequest, over peers: any PeerLine, at number: Int, to address: String
    ) async -> (Outcome, WebResponse?) {
        let (answers, answer) = AsyncStream<(Outcome, WebResponse?)>.makeStream()
        guard let transfer = transfers.withLock({ $0.begin(at: number) }) else {
            return (.busy, Forwarding.busy)
        }
        // The till may have moved before the transfer was known.
        guard peerAddress(of: number) == address else {
            transfers.withLock { $0.end(transfer) }
            return (.lost, Forwarding.lost)
        }
        let events = WebStream(capacity: EventHub.capacity) { [transfers] in
            transfers.withLock { $0.cancel(transfer) }
        }
        // Only the first of several answers counts: the events, or the whole response.
        let task = Task { [transfers] in
            defer { transfers.withLock { $0.end(transfer) } }
            do throws(PeerError) {
                let response = try await peers.send(request) { part in
                    answer.yield((.done, .events(events)))
                    events.send(part)
                }
                answer.yield((.done, Forwarding.response(response)))
            } catch {
                answer.yield(error == .notSent ? (.notSent, nil) : (.lost, Forwarding.lost))
            }
            events.finish()
            answer.finish()
        }
        transfers.withLock { $0.note(task, as: transfer) }
        for await first in answers { return first }
        return (.lost, Forwarding.lost)
    }

    private func forwarded(_ request: WebRequest, to address: String) -> PeerRequest? {
        guard let entry = runner.usableKeys?.sealing else { return nil }
        let time = runner.now().milliseconds
        let seal = Forwarding.seal(
            entry, request, to: address, client: request.client, time: time)
        let header =
            "\(entry.id) \(time) \(request.client) \(Hexadecimal.encode(seal))"
        // An allowed origin of another site is checked there, too.
        let names = Forwarding.passedOn + (request.apiToken == nil ? [] : ["Origin"])
        let fields = names.flatMap { name in
            request.headers.all(name).map { WebField(name, $0) }
        }
        let query = request.query.map { field in
            Template.percentEncoded(field.name) + "=" + Template.percentEncoded(field.value)
        }
        let url =
            address + Template.percentEncoded(request.path, keeping: "/")
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        return PeerRequest(
            method: request.method, url: url,
            headers: fields + [WebField(Forwarding.header, header)], body: request.body)
    }

    private static func response(_ answer: PeerResponse) -> WebResponse {
        WebResponse(
            answer.status,
            headers: answer.headers.filter { !connectionHeaders.contains($0.name) }.map {
                ($0.name, $0.value)
            }, body: .bytes(answer.body))
    }

    /// The page treats a response without a problem document as lost: what it asked for may have
    /// happened.
    private static let lost = WebResponse.text(
        "The server of this till did not respond.\n", status: 502)
    /// Each forwarded request needs a thread.
    private static let busy = WebResponse.text(
        "Too many requests for this till are waiting.\n", status: 503)
}

/// The tasks that forward requests.
private struct Transfers {
    private var count = 0
    /// The tasks by number, each with its till. A task is nil until it is known.
    private var tasks: [Int: (till: Int, task: Task<Void, Never>?)] = [:]

    /// The number of a new transfer; nil if there are too many.
    mutating func begin(at till: Int) -> Int? {
        guard tasks.count < Forwarding.maximumTransfers,
            tasks.values.count(where: { $0.till == till }) < Forwarding.maximumTransfersPerTill
        else { return nil }
        count += 1
        tasks[count] = (till, nil)
        return count
    }

    mutating func note(_ task: Task<Void, Never>, as number: Int) {
        // The task may have ended already, or its till may have moved.
        guard tasks[number] != nil else { return task.cancel() }
        tasks[number]?.task = task
    }

    mutating func end(_ number: Int) { tasks[number] = nil }

    mutating func cancel(_ number: Int) { tasks.removeValue(forKey: number)?.task?.cancel() }

    mutating func cancel(at till: Int) {
        for (number, transfer) in tasks where transfer.till == till { cancel(number) }
    }
}
