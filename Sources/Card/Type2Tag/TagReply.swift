/// What comes back from a tag.
public enum TagReply: Hashable, Sendable {
    case data([UInt8])
    case ack
    case nak(UInt8)
    /// Nothing at all: the reader sees a time-out.
    case silence
}
