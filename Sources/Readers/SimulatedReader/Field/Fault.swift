/// A one-time fault at a chosen frame. With faults, a test can remove a card at any moment.
public struct Fault: Hashable, Sendable {
    /// The frames that are counted.
    public enum Counted: String, Sendable, CaseIterable {
        /// Only the frames that write.
        case write
        /// All frames.
        case frame
    }

    /// The kinds of faults.
    public enum Kind: Hashable, Sendable {
        /// The card is gone before the frame reaches it.
        case lost
        /// The card loses power while the page is being programmed, and it is gone.
        case torn(TornPage)
        /// The page is written, but the ACK is lost, and the card is gone.
        case acknowledgeLost
        /// The page is written and acknowledged, and then the card is gone.
        case pulledAfter
        /// The response arrives with an incorrect checksum. The card stays.
        case garbled
        /// The card executes the command, but its response arrives after the reader has given up.
        /// The card stays.
        case late
        /// The card refuses the frame. It stays, but does not respond until it is selected again.
        case refused(UInt8)
        /// This process is killed before the frame is sent.
        case killedBefore
        /// This process is killed after the card has executed the frame.
        case killedAfter
    }

    /// The frames that are counted.
    public let counted: Counted
    /// The number of the counted frame at which the fault happens; 1 is the next one.
    public var countdown: Int
    /// The kind of fault.
    public let kind: Kind

    /// Creates a fault that happens when the countdown ends.
    public init(at countdown: Int, counting counted: Counted, _ kind: Kind) {
        self.counted = counted
        self.countdown = countdown
        self.kind = kind
    }
}
