package import TapcardCore
import TextCodecs
package import Verbs

/// Converts a server's events into watch events. Keeps its state when the connection is replaced.
/// Taps during an outage are lost. If a tag was removed during the outage, its departure is
/// reported after reconnecting.
package struct FeedState {
    private let stamp: @Sendable () -> TapEvent.Stamp
    /// The name of the reader; the name of the server until the reader is known.
    private var reader: String
    /// The arrival of the tag on the reader; nil if there is none.
    private var present: TapEvent?
    /// Whether the server has sent something over this connection.
    private var isHeard = false
    private var isLost = false

    /// Uses the name of the server for the reader until the server sends the real name.
    package init(_ server: String, _ stamp: @escaping @Sendable () -> TapEvent.Stamp) {
        (reader, self.stamp) = (server, stamp)
    }

    /// Returns the events to report for an event from the server.
    package mutating func heard(_ event: EventStreamParser.Event) -> [TapEvent] {
        var told: [TapEvent] = []
        let tap = event.name == TapFeed.tapEvent ? FeedState.tap(event.data) : nil
        if !isHeard {
            isHeard = true
            if isLost { told.append(.reader(reader, nil, stamp())) }
            isLost = false
            // A server first sends the tag that is on its reader. Anything else means that the tag
            // is gone.
            if let present, tap?.id != present.id, tap?.kind != .departed {
                told.append(present.departure(stamp()))
                self.present = nil
            }
        }
        // The server sends the present tag again over each new connection, with the same ID.
        guard let tap, tap.id != present?.id else { return told }
        reader = tap.reader ?? reader
        switch tap.kind {
        case .arrived: present = tap
        case .departed: present = nil
        case .reader, .gap: break
        }
        return told + [tap]
    }

    /// Returns the events to report for a lost connection. Repeated failures are reported only
    /// once.
    package mutating func lost(_ problem: TapcardError) -> [TapEvent] {
        isHeard = false
        if isLost { return [] }
        isLost = true
        return [.reader(reader, problem, stamp())]
    }

    private static func tap(_ data: [UInt8]) -> TapEvent? {
        (try? JSONValue.parsing(data)).flatMap { TapEvent(received: $0) }
    }
}
