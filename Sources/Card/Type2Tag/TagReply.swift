/// The reply of a tag.
public enum TagReply: Hashable, Sendable {
    case data([UInt8])
    case ack
    case nak(UInt8)
    /// No reply: the reader sees a timeout.
    case silence
}
