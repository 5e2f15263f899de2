import Tags
import TapcardCore
import Verbs

/// What programs hear about one till's reader. A tag that stays on the reader is reported once,
/// even if operations for it end and begin the watch again.
struct TapNews {
    private var events: TapEvents
    /// The arrival of the tag that is on the reader; nil if the reader is empty.
    private(set) var present: TapEvent?

    init(_ events: TapEvents) { self.events = events }

    mutating func arrived(_ report: Station.WatchEvent) -> TapEvent? {
        noted(events.event(for: report))
    }

    /// A tag that is no card, if it is known, or a problem with whatever is on the reader.
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

    /// The arrival, unless the same tag was there before.
    private mutating func noted(_ arrival: TapEvent?) -> TapEvent? {
        guard let arrival, present == nil || present?.uid != arrival.uid else { return nil }
        present = arrival
        return arrival
    }
}
