package import Verbs

/// Receives the events of a watch in order. An output that may have to wait queues events itself,
/// so that it never delays the reader.
package protocol EventOutput: Sendable {
    /// Takes an event. Returns false if the output has failed for good, which ends the watch.
    func take(_ event: TapEvent) async -> Bool
    /// Ends the output after the watch. Events in a durable queue stay there.
    func end() async
}
