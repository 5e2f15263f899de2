/// A fault that happens once, at a chosen frame, so that a card can be pulled away at every
/// possible moment.
public struct Fault: Hashable, Sendable {
    /// The frames that are counted.
    public enum Counted: String, Sendable, CaseIterable {
        /// Counts the frames that write a page.
        case write
        /// Counts all frames.
        case frame
    }

    /// The kinds of fault.
    public enum Kind: Hashable, Sendable {
        /// The card is gone before the frame reaches it.
        case lost
        /// The card loses power while the page is being programmed, and is gone.
        case torn(TornPage)
        /// The page is written, but the ACK is lost and the card is gone.
        case acknowledgeLost
        /// The page is written and acknowledged, and then the card is gone.
        case pulledAfter
        /// The answer arrives with a wrong checksum; the card stays.
        case garbled
        /// The card does what it is told, but its answer arrives after the reader has given up; the
        /// card stays.
        case late
        /// The card refuses the frame; it stays, but does not answer until it is selected again.
        case refused(UInt8)
        /// This process dies before the frame is sent.
        case killedBefore
        /// This process dies after the frame has been carried out.
        case killedAfter
    }

    /// The frames that are counted.
    public let counted: Counted
    /// Which counted frame will cause the fault: 1 is the next one.
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
