import Tags
package import TapcardCore
package import TapcardDomain
package import TextCodecs

/// An event that `tapcard watch` sends to its outputs.
package struct TapEvent: Sendable {
    /// What happened.
    package enum Kind: String, DocumentedWord {
        /// A tag was put on a reader.
        case arrived
        /// The tag that arrived last at this reader is gone.
        case departed
        /// A reader was lost or works again.
        case reader
        /// Events were dropped because an output was too slow or could not deliver them.
        case gap
    }

    /// How far the UID can be trusted.
    package enum Trust: String, DocumentedWord, Comparable {
        /// Anyone can make a tag with this UID.
        case uid
        /// A card of this station with a valid seal. The content is genuine, but the tag may be a
        /// copy.
        case sealed
        /// An NTAG 424 of this station that has proved that it knows its key.
        case proved

        package static func < (left: Trust, right: Trust) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    package let kind: Kind
    /// The ID of the event. It stays the same if the event is delivered again.
    package let id: String
    package let at: Timestamp
    /// The reader's name; nil for a gap.
    package fileprivate(set) var reader: String?
    /// The UID in uppercase hexadecimal; nil if there is none or it could not be read.
    package fileprivate(set) var uid: String?
    /// The name of the chip or of the kind of tag.
    package fileprivate(set) var chip: String?
    /// Nil unless a tag arrived.
    package fileprivate(set) var trust: Trust?
    /// How the card compares with the ledger; nil if the tag is not a card.
    fileprivate var standing: CardSummary.Standing?
    /// The content of the tag; nil for a card or an unreadable tag.
    fileprivate var content: TagReading?
    /// The card, if the watch shows cards.
    fileprivate var card: CardSummary?
    /// What is wrong with the tag or the reader; nil if nothing is.
    fileprivate var problem: TapcardError?
    /// Whether the reader works.
    fileprivate var isReady = false
    /// How many events were dropped.
    fileprivate var missed = 0
    /// The original document of an event from another tapcard.
    private var received: JSONValue?

    fileprivate init(_ kind: Kind, _ stamp: Stamp) {
        (self.kind, id, at) = (kind, stamp.id, stamp.at)
    }

    /// The ID and the time of a new event.
    package struct Stamp: Sendable {
        package let id: String
        package let at: Timestamp

        package init(_ dependencies: Station.Dependencies) {
            (id, at) = (dependencies.newID().description, dependencies.now())
        }

        /// Recreates the stamp of a stored event.
        package init(id: String, at: Timestamp) { (self.id, self.at) = (id, at) }
    }

    /// Returns an event that replaces `missed` dropped events.
    package static func gap(_ missed: Int, _ stamp: Stamp) -> TapEvent {
        var event = TapEvent(.gap, stamp)
        event.missed = missed
        return event
    }

    /// Parses an event from another tapcard. Returns nil if it is invalid or a gap.
    package init?(received document: JSONValue) {
        func text(_ name: String) -> String? { document[name]?.string }
        guard let kind = text("event").flatMap(Kind.init), kind != .gap,
            let id = text("id").flatMap(UniqueID.init),
            let at = text("at").flatMap(LocalTime.time(iso:)),
            let reader = text("reader")
        else { return nil }
        (self.kind, self.id, self.at, self.reader) = (kind, id.description, at, reader)
        uid = text("uid").flatMap(Hexadecimal.decode).map(Hexadecimal.encode)
        trust = kind == .arrived ? text("trust").flatMap(Trust.init) ?? .uid : nil
        (chip, received) = (text("kind"), document)
    }

    /// Returns the event for the removal of the tag that arrived with this event.
    package func departure(_ stamp: Stamp) -> TapEvent {
        var event = TapEvent(.departed, stamp)
        (event.reader, event.uid) = (reader, uid)
        return event
    }

    /// Returns the event for a reader that was lost. If `problem` is nil, the reader works again.
    package static func reader(
        _ name: String, _ problem: TapcardError?, _ stamp: Stamp
    ) -> TapEvent {
        var event = TapEvent(.reader, stamp)
        (event.reader, event.isReady, event.problem) = (name, problem == nil, problem)
        return event
    }

    /// The error code for the problem with the tag or reader; nil if there is no problem.
    package var error: String? { problem?.kind.word ?? received?["error"]?.string }

    /// A sentence that describes the problem with the tag or reader.
    package var message: String? { problem?.message ?? received?["message"]?.string }

    /// The first text on the tag.
    package var text: String? {
        if let received { return received["text"]?.string }
        return content?.records.lazy.compactMap {
            if case .text(let text) = $0 { text.text } else { nil }
        }
        .first
    }

    /// The first address on the tag.
    package var url: String? {
        if let received { return received["url"]?.string }
        return content?.records.lazy.compactMap { record in
            switch record {
            case .uri(let uri): uri
            case .smartPoster(let poster): poster.uri
            default: nil
            }
        }.first
    }

    /// The event as JSON. It never contains Wi-Fi passwords.
    package var document: JSONValue { received ?? members.object }
}

extension TapEvent: DocumentedObject {
    static let fields: Fields<TapEvent> = [
        "event": .of(\.kind), "id": .of(\.id), "at": .of(\.at),
        "reader": .ifAny(\.reader), "uid": .ifAny(\.uid), "kind": .ifAny(\.chip),
        "trust": .ifAny(\.trust), "ledger": .ifAny(\.standing), "text": .ifAny(\.text),
        "url": .ifAny(\.url),
        "records": .ifAny { event in
            event.content.map { $0.records.map { ShownRecord($0, showsSecrets: false) } }
        },
        "card": .ifAny { $0.card.map(CardInEvent.init) },
        "error": .ifAny(\.error), "message": .ifAny(\.message),
        "ready": .ifAny { $0.kind == .reader ? $0.isReady : nil },
        "missed": .ifAny { $0.kind == .gap ? $0.missed : nil },
    ]
}

/// A card's holder and balance.
private struct CardInEvent: DocumentedObject {
    let card: CardSummary

    static let fields: Fields<CardInEvent> = [
        "id": .of { $0.card.holder.id.map { String($0.number) } },
        "name": .of { $0.card.holder.name }, "balance": .of { $0.card.balance },
        "currency": .of { $0.card.balance?.currency.code },
    ]

    init(_ card: CardSummary) { self.card = card }
}

/// Turns the reports about one reader into events.
package struct TapEvents: Sendable {
    /// The reader's name in the events.
    package var reader: String
    private let showsCards: Bool
    private let dependencies: Station.Dependencies
    /// The arrival of the tag that is on the reader; nil if there is no tag.
    private var present: TapEvent?

    package init(
        at reader: String, showingCards showsCards: Bool, _ dependencies: Station.Dependencies
    ) {
        (self.reader, self.showsCards, self.dependencies) = (reader, showsCards, dependencies)
    }

    /// Returns the event for a report, or nil if there is nothing to report.
    package mutating func event(for report: Station.WatchEvent) -> TapEvent? {
        switch report {
        case .card(let summary):
            var event = arrival(summary.uid.description, summary.problem)
            event.chip = summary.chip.name
            (event.trust, event.standing) = (summary.trust, summary.ledger)
            if showsCards { event.card = summary }
            return event
        case .problem(let error) where error.result == .noReader:
            return .reader(reader, error.withoutMoney, stamp)
        case .problem(let error): return arrival(error.uid?.description, error.withoutMoney)
        case .gone: return departure()
        case .readerReturned: return .reader(reader, nil, stamp)
        case .empty: return nil
        }
    }

    /// Returns the event for a tag that is not a card of this station. An ordinary tag that can be
    /// read is not a problem.
    package mutating func event(
        for tag: TagIdentity, _ reading: TagReading?, _ error: TapcardError
    ) -> TapEvent {
        let isOrdinary =
            reading != nil && [.notACard, .blankTag, .unsupportedTag].contains(error.kind)
        var event = arrival(Hexadecimal.encode(tag.uid), isOrdinary ? nil : error)
        event.chip = reading?.kind ?? tag.kind
        event.content = reading
        return event
    }

    private var stamp: TapEvent.Stamp { TapEvent.Stamp(dependencies) }

    private mutating func arrival(_ uid: String?, _ problem: TapcardError?) -> TapEvent {
        var event = TapEvent(.arrived, stamp)
        (event.reader, event.uid, event.trust, event.problem) = (reader, uid, .uid, problem)
        present = event
        return event
    }

    private mutating func departure() -> TapEvent? {
        defer { present = nil }
        return present?.departure(stamp)
    }
}

extension CardSummary {
    /// How far this card's UID can be trusted.
    fileprivate var trust: TapEvent.Trust {
        // A blocked, closed, or replaced card must not open anything.
        guard problem == nil, seal == .valid, ledger == .known else { return .uid }
        // The records of an NTAG 424 can be read only after it has proved that it knows its key.
        return chip == .ntag424 ? .proved : .sealed
    }
}
