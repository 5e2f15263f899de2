import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The listeners of one till: pages, and programs that hear only taps.
extension OperationQueue {
    /// Starts an event stream: the current state, then each change, until permission is lost.
    func listen(
        _ client: OperationID?, while isAuthorized: @escaping @Sendable () -> Bool
    ) throws(Problem) -> WebStream {
        try listen(to: .till, client, first: EventHub.bytes("state", state), while: isAuthorized)
    }

    /// Starts an event stream of taps: the tag on the reader, if there is one, then each change.
    func listenToTaps(
        while isAuthorized: @escaping @Sendable () -> Bool
    ) throws(Problem) -> WebStream {
        let present = taps.present.map { EventHub.bytes("tap", $0.document) }
        return try listen(to: .taps, nil, first: present ?? [], while: isAuthorized)
    }

    private func listen(
        to channel: EventHub.Channel, _ client: OperationID?, first: [UInt8],
        while isAuthorized: @escaping @Sendable () -> Bool
    ) throws(Problem) -> WebStream {
        if isClosing { throw .closing(.nothing) }
        let stream = hub.add(to: channel, client, first: first, while: isAuthorized) {
            [weak self] number in
            Task { await self?.listenerLeft(number) }
        }
        guard let stream else { throw .tooManyListeners }
        return stream
    }

    private func listenerLeft(_ number: UInt64) { stopWaiting(for: hub.remove(number)) }

    /// Ends the streams of listeners that have lost permission.
    func endUnauthorizedStreams() {
        for client in hub.endUnauthorizedStreams() { stopWaiting(for: client) }
    }

    /// Stops a disconnected client's operations, except those that have begun work on a card.
    private func stopWaiting(for client: OperationID?) {
        guard let client else { return }
        for operation in running.values where operation.client == client { _ = operation.stop() }
    }

    func publish(_ event: String, _ data: JSONValue) {
        endUnauthorizedStreams()
        hub.publish(event, data)
    }

    func publish(_ tap: TapEvent?) {
        guard let tap else { return }
        endUnauthorizedStreams()
        hub.publish("tap", tap.document, to: .taps)
    }
}
