import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// Event streams of one till: everything for till pages, and only taps for API clients.
extension OperationQueue {
    /// Starts a stream that sends the current state with the listener's permissions, then every
    /// change, until permission is lost.
    func listen(
        _ client: OperationID?, _ permissions: Members,
        while isAuthorized: @escaping @Sendable () -> Bool
    ) throws(Problem) -> WebStream {
        let first = EventHub.bytes("state", state.with(permissions))
        return try listen(to: .till, client, first: first, while: isAuthorized)
    }

    /// Starts a stream of taps. If a tag is on the reader, its arrival comes first.
    func listenToTaps(
        while isAuthorized: @escaping @Sendable () -> Bool
    ) throws(Problem) -> WebStream {
        let present = taps.present.map { EventHub.bytes("tap", $0.document) }
        return try listen(to: .taps, nil, first: present ?? [], while: isAuthorized)
    }

    func listen(
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

    /// Ends streams whose listeners have lost permission.
    func endUnauthorizedStreams() {
        for client in hub.endUnauthorizedStreams() { stopWaiting(for: client) }
    }

    /// Stops a disconnected client's operations unless they are already working on a card.
    private func stopWaiting(for client: OperationID?) {
        guard let client else { return }
        if arming.leave(client) { disarmed(.pageLeft) }
        for operation in running.values where operation.client == client { _ = operation.stop() }
    }

    func publish(_ event: String, _ data: JSONValue) {
        endUnauthorizedStreams()
        hub.publish(event, data)
        if customerDisplay.follow(event, data) { publishDisplay() }
    }

    func publish(_ tap: TapEvent?) {
        guard let tap else { return }
        endUnauthorizedStreams()
        hub.publish("tap", tap.document, to: .taps)
    }
}
