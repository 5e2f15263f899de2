package import Verbs

/// Takes the events of a watch, in order. An output that has to wait for something keeps events in
/// a queue of its own, so that it never delays the reader.
package protocol EventOutput: Sendable {
    /// Takes an event. Returns false if the output can never take another one, so that the watch
    /// ends.
    func take(_ event: TapEvent) async -> Bool
    /// Ends the output once the watch is over. What a durable queue still holds stays there.
    func end() async
}
