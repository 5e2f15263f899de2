/// The port through which tapcard talks to a tag: frames and answers, not pages.
///
/// A driver knows nothing of the chip in the field. It adds and checks the CRC, turns the field on
/// and off, and never repeats or selects anything on its own: the sender of a WRITE has to know
/// that it went to the tag that was checked, in the same field period.
public protocol TagReader: Sendable {
    /// The name of this reader in messages.
    var name: String { get async }

    /// The most data bytes that one answer can carry through this reader. Callers ask after
    /// selecting a tag, because the reader may have been replaced by another.
    var longestAnswer: Int { get async }

    /// Waits until one tag is in the field and selects it. A selected tag is selected again: it
    /// loses its authentication, but not its power.
    ///
    /// Throws `.noTag` when the limit has passed, `.cancelled` when the task was canceled. After
    /// `.readerLost` or `.timedOut` it first opens the reader again, and throws `.noReader` if that
    /// fails.
    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity

    /// Sends one frame, without CRC, and returns the answer, without CRC. An ACK is an empty
    /// answer; a NAK is thrown as `.refused`.
    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8]

    /// Sends one command (an APDU) to a card that speaks ISO/IEC 14443-4, and returns its answer
    /// with its status. The driver cuts it into blocks, or lets the reader do that; a block that
    /// is lost on its way is repeated, as its number shows whether the card has it already.
    ///
    /// Any failure means that the card has carried the command out or has not: nothing more may be
    /// sent before it is selected again.
    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8]

    /// The selected card's answer to select (ATS), if the reader knows it; empty before the first
    /// command and for a card without one.
    var answerToSelect: [UInt8] { get async }

    /// Switches the field off: the tag loses its power. Never fails, may be called at any time.
    ///
    /// A tag that is selected after this has been without power for long enough to have lost
    /// everything volatile: that is how changed settings take effect.
    func release() async
}

extension TagReader {
    /// Empty, for a reader that does not know it.
    public var answerToSelect: [UInt8] { get async { [] } }

    /// A reader that passes on only frames refuses a command. Nothing was sent.
    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        throw ReaderError(.unsupported)
    }
}
