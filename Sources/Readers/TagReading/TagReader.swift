/// The port through which tapcard talks to a tag: frames and answers, not pages.
///
/// A driver knows nothing of the chip in the field. It adds and checks the CRC, turns the field on
/// and off, and never repeats or selects anything on its own: whoever sends a WRITE has to know
/// that it went to the tag that was looked at, in the field period in which it was looked at.
public protocol TagReader: Sendable {
    /// What people call this reader, for messages.
    var name: String { get async }

    /// The most data bytes that one answer can carry through this reader. Asked for after a tag was
    /// selected: a reader that was unplugged may have come back as another one.
    var longestAnswer: Int { get async }

    /// Waits until one tag is in the field and selects it. A tag that is already selected is
    /// selected afresh: it loses its authentication, but not its power.
    ///
    /// Throws `.noTag` when the limit has passed, `.cancelled` when the task was cancelled. After
    /// `.readerLost` or `.timedOut` it begins with opening the reader again, and throws `.noReader`
    /// where that does not work.
    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity

    /// Sends one frame, without CRC, and returns the answer, without CRC. An ACK is an empty
    /// answer; a NAK is thrown as `.refused`.
    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8]

    /// Switches the field off: the tag loses its power. Never fails, may be called at any time.
    ///
    /// A tag that is selected after this has been without power for long enough to have lost
    /// everything volatile: that is how changed settings come into force.
    func release() async
}
