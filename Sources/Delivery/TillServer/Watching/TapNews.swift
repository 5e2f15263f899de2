import Tags
import TapcardCore
import Verbs

/// Creates the tap events of one till. A tag that stays on the reader is reported only once, even
/// when an operation interrupts the watch.
struct TapNews {
    private var events: TapEvents
    /// The arrival event of the tag on the reader; nil if there is no tag.
    private(set) var present: TapEvent?

    init(_ events: TapEvents) { self.events = events }

    mutating func arrived(_ report: Station.WatchEvent) -> TapEvent? {
        noted(events.event(for: report))
    }

    /// Reports a tag that is not a card or, if `tag` is nil, only the problem.
    mutating func arrived(
        _ tag: (identity: TagIdentity, reading: TagReading?)?, _ problem: TapcardError
    ) -> TapEvent? {
        noted(
            tag.map { events.event(for: $0.identity, $0.reading, problem) }
                ?? events.event(for: .problem(problem)))
    }

    mutating func departed() -> TapEvent? {
        guard present != nil else { return nil }
        present = nil
        return events.event(for: .gone)
    }

    mutating func readerChanged(_ problem: TapcardError?) -> TapEvent? {
        events.event(for: problem.map { .problem($0) } ?? .readerReturned(name: ""))
    }

    /// Returns the arrival, or nil if the tag was already there and its trust has not increased.
    private mutating func noted(_ arrival: TapEvent?) -> TapEvent? {
        guard let arrival else { return nil }
        if let present, present.uid == arrival.uid {
            // New listeners must not receive a trust that the card has lost, such as when blocked.
            if arrival.trust != present.trust { self.present = arrival }
            guard (arrival.trust ?? .uid) > (present.trust ?? .uid) else { return nil }
        }
        present = arrival
        return arrival
    }
}
