package import TapcardCore
import TextCodecs
package import Verbs

/// Makes the events of a watch from what a server sends over one connection after another. What
/// happened while there was no connection is not known, but a tag that has left by the next one is
/// reported as gone.
package struct FeedState {
    private let stamp: @Sendable () -> TapEvent.Stamp
    /// The name of the reader at the server, as far as it is known.
    private var reader: String
    /// The arrival of the tag on the reader; nil if there is none.
    private var present: TapEvent?
    /// Whether the server has sent something over this connection.
    private var isHeard = false
    private var isLost = false

    /// `server` stands for the reader until the server has named it.
    package init(_ server: String, _ stamp: @escaping @Sendable () -> TapEvent.Stamp) {
        (reader, self.stamp) = (server, stamp)
    }

    /// The events to report for one that the server has sent.
    package mutating func heard(_ event: EventStreamParser.Event) -> [TapEvent] {
        var told: [TapEvent] = []
        let tap = event.name == TapFeed.tapEvent ? FeedState.tap(event.data) : nil
        if !isHeard {
            isHeard = true
            if isLost { told.append(.reader(reader, nil, stamp())) }
            isLost = false
            // A server begins with the tag that is on the reader.
            if let present, tap?.id != present.id, tap?.kind != .departed {
                told.append(present.departure(stamp()))
                self.present = nil
            }
        }
        // It is sent again over each connection, with the same ID.
        guard let tap, tap.id != present?.id else { return told }
        reader = tap.reader ?? reader
        switch tap.kind {
        case .arrived: present = tap
        case .departed: present = nil
        case .reader, .gap: break
        }
        return told + [tap]
    }

    /// The events to report when the connection is lost. Only the first loss in a row is one.
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
