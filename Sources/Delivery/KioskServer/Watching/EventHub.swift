import TapcardDomain
import TextCodecs
import WebServer

/// Those who follow the counter, each with a stream of server-sent events. One that does not read is
/// dropped by its stream, and keeps nobody waiting.
struct EventHub {
    /// What may wait for one listener: far more than anybody who reads lets lie.
    private static let capacity = 64 << 10
    static let mostListeners = 2_048
    /// How many there may be now.
    let most: Int

    private struct Listener {
        let client: OperationID?
        let stream: WebStream
        let isWelcome: @Sendable () -> Bool
    }

    private var listeners: [UInt64: Listener] = [:]
    private var count: UInt64 = 0

    init(most: Int) { self.most = most }

    var listenerCount: Int { listeners.count }

    /// A new listener, whose first event is this; nil where there are too many.
    mutating func add(
        _ client: OperationID?, first: [UInt8], while isWelcome: @escaping @Sendable () -> Bool,
        onGone: @escaping @Sendable (UInt64) -> Void
    ) -> WebStream? {
        guard listeners.count < most else { return nil }
        count += 1
        let number = count
        let stream = WebStream(capacity: EventHub.capacity) { onGone(number) }
        stream.send(first)
        listeners[number] = Listener(client: client, stream: stream, isWelcome: isWelcome)
        return stream
    }

    /// The client that has no stream any more, where it was this one's last.
    mutating func remove(_ number: UInt64) -> OperationID? {
        guard let client = listeners.removeValue(forKey: number)?.client else { return nil }
        return listeners.values.contains { $0.client == client } ? nil : client
    }

    func publish(_ event: String, _ data: JSONValue) {
        send(EventHub.bytes(event, data))
    }

    /// Ends the streams of those who are not welcome any more. Each client of one has left.
    mutating func dismissUnwelcome() -> [OperationID?] {
        let unwelcome = listeners.filter { !$0.value.isWelcome() }
        return unwelcome.map { number, listener in
            listener.stream.finish()
            return remove(number)
        }
    }

    /// Keeps what lies between from closing connections on which nothing happens, and finds out
    /// who has gone without a word.
    func keepAlive() { send(Array(": \n\n".utf8)) }

    func finish() {
        for listener in listeners.values { listener.stream.finish() }
    }

    private func send(_ bytes: [UInt8]) {
        for listener in listeners.values { listener.stream.send(bytes) }
    }

    /// JSON has no line breaks of its own, so that it is one line of data.
    static func bytes(_ event: String, _ data: JSONValue) -> [UInt8] {
        Array("event: \(event)\ndata: \(data.text)\n\n".utf8)
    }
}
