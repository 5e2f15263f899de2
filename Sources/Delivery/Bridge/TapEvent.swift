package import TapcardDomain
package import TextCodecs

/// One event of a watch, as every output of `tapcard watch` gets it.
package struct TapEvent: Sendable, Hashable {
    /// What happened.
    package enum Kind: String, Sendable, CaseIterable {
        /// A tag was put on a reader.
        case arrived
        /// The tag that arrived last at this reader is gone.
        case departed
        /// A reader was lost or works again.
        case reader
        /// Events were dropped, because an output could not take them in time.
        case gap
    }

    /// How far the UID can be trusted.
    package enum Trust: String, Sendable, CaseIterable {
        /// Anybody can make a tag with this UID.
        case uid
        /// A card whose seal is valid. A chip that imitates another one could still carry it.
        case sealed
        /// An NTAG 424 that has proved that it knows this card's key.
        case proved
    }

    package let kind: Kind
    /// The ID of the event; a repeated delivery has the same one.
    package let id: String
    package let at: Timestamp
    /// The UID in upper-case hexadecimal; nil unless the event is about a tag.
    package let uid: String?
    /// The first text on the tag; nil if there is none.
    package let text: String?
    /// Nil unless a tag arrived.
    package let trust: Trust?
    /// The event as all outputs send it, in one line.
    package let document: JSONValue

    package init(
        _ kind: Kind, id: String, at: Timestamp, uid: String? = nil, text: String? = nil,
        trust: Trust? = nil, document: JSONValue
    ) {
        (self.kind, self.id, self.at) = (kind, id, at)
        (self.uid, self.text, self.trust, self.document) = (uid, text, trust, document)
    }
}

/// Takes the events of a watch, in order. An output that has to wait for something keeps events in
/// a queue of its own, so that it never delays the reader.
package protocol EventOutput: Sendable {
    /// Takes an event. Returns false if the output can never take another one, so that the watch
    /// ends.
    func take(_ event: TapEvent) async -> Bool
    /// Ends the output once the watch is over. What a durable queue still holds stays there.
    func end() async
}
