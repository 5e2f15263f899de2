/// A tag's reply.
public enum TagReply: Hashable, Sendable {
    /// A reply with data.
    case data([UInt8])
    /// The tag executed the command.
    case ack
    /// The tag refused the command with this four-bit code.
    case nak(UInt8)
    /// No reply: the reader sees a timeout.
    case silence
}
