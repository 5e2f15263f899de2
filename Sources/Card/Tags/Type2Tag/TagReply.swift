/// A tag's reply.
public enum TagReply: Hashable, Sendable {
    /// An answer with data.
    case data([UInt8])
    /// The tag has executed the command.
    case ack
    /// The tag refuses, with this four-bit code.
    case nak(UInt8)
    /// No reply: the reader sees a timeout.
    case silence
}
