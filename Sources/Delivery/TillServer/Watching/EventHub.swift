import TapcardDomain
import TextCodecs
import WebServer

/// The till's listeners, each with a stream of server-sent events. If a listener stops reading, its
/// stream drops it, so that other listeners are not delayed.
struct EventHub {
    /// The events that a listener receives in addition to keep-alives.
    enum Channel: Sendable {
        /// Everything that the till page shows.
        case till
        /// Only tap events.
        case taps
        /// Only what the customer may see.
        case display
    }

    /// The size of a listener's buffer. A client that keeps reading never comes close to
    /// filling it.
    static let capacity = 64 << 10
    static let maximumListeners = 2_048
    /// The maximum number of listeners for taps, and of displays, so that till pages can always
    /// connect.
    private static let maximumPrograms = 64
    /// The maximum number of listeners at this till.
    let limit: Int

    private struct Listener {
        let channel: Channel
        let client: OperationID?
        let stream: WebStream
        let isAuthorized: @Sendable () -> Bool
    }

    private var listeners: [UInt64: Listener] = [:]
    private var count: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var listenerCount: Int { listeners.count }

    /// Adds a listener and sends its first event. Returns nil if there are too many listeners.
    mutating func add(
        to channel: Channel = .till, _ client: OperationID?, first: [UInt8],
        while isAuthorized: @escaping @Sendable () -> Bool,
        onGone: @escaping @Sendable (UInt64) -> Void
    ) -> WebStream? {
        let programs = listeners.values.count { $0.channel == channel }
        guard listeners.count < limit, channel == .till || programs < EventHub.maximumPrograms
        else { return nil }
        count += 1
        let number = count
        let stream = WebStream(capacity: EventHub.capacity) { onGone(number) }
        stream.send(first)
        listeners[number] = Listener(
            channel: channel, client: client, stream: stream, isAuthorized: isAuthorized)
        return stream
    }

    /// Removes a listener. Returns its client if that was the client's last stream.
    mutating func remove(_ number: UInt64) -> OperationID? {
        guard let client = listeners.removeValue(forKey: number)?.client else { return nil }
        return listeners.values.contains { $0.client == client } ? nil : client
    }

    func hasListener(_ client: OperationID) -> Bool {
        listeners.values.contains { $0.client == client }
    }

    func publish(_ event: String, _ data: JSONValue, to channel: Channel = .till) {
        let bytes = EventHub.bytes(event, data)
        for listener in listeners.values where listener.channel == channel {
            listener.stream.send(bytes)
        }
    }

    /// Ends the streams of listeners that have lost permission. Returns the clients that have no
    /// stream left.
    mutating func endUnauthorizedStreams() -> [OperationID?] {
        let unauthorized = listeners.filter { !$0.value.isAuthorized() }
        return unauthorized.map { number, listener in
            listener.stream.finish()
            return remove(number)
        }
    }

    /// Tells pages that the server is running, keeps proxies from closing idle connections, and
    /// detects clients that have disappeared.
    func keepAlive() {
        for channel in [Channel.till, .taps, .display] { publish("alive", [:], to: channel) }
    }

    func finish() {
        for listener in listeners.values { listener.stream.finish() }
    }

    /// An event in the stream's format. The JSON text contains no line breaks, so one line of data
    /// is enough.
    static func bytes(_ event: String, _ data: JSONValue) -> [UInt8] {
        Array("event: \(event)\ndata: \(data.text)\n\n".utf8)
    }
}
