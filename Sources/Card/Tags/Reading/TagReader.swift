/// The port through which tapcard talks to a tag: frames and answers, not pages.
///
/// A driver knows nothing about the chip in the field. It adds and checks the CRC, turns the field
/// on and off, and never repeats or selects anything on its own: the caller that sends a WRITE has
/// to know that it went to the tag that was checked, without a loss of power in between.
public protocol TagReader: Sendable {
    /// The name of this reader, for messages.
    var name: String { get async }

    /// The maximum number of data bytes that this reader can return in one answer. Callers ask
    /// after selecting a tag, because the reader may have been replaced with another one.
    var maximumAnswerLength: Int { get async }

    /// Waits until a tag is in the field and selects it. A tag that is already selected is selected
    /// again, which ends its authentication but does not cut its power.
    ///
    /// Throws `.noTag` when the time limit has passed, and `.cancelled` when the task was canceled.
    /// After `.readerLost` or `.timedOut`, it reopens the reader first, and throws `.noReader` if
    /// that fails.
    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity

    /// Sends one frame and returns the answer, both without the CRC. An ACK is an empty answer; a
    /// NAK is thrown as `.refused`.
    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8]

    /// Sends one command (an APDU) to a card that uses ISO/IEC 14443-4, and returns its answer with
    /// the status. The driver splits the command into blocks, or lets the reader do that; a lost
    /// block is repeated, since its number shows whether the card has already received it.
    ///
    /// After any failure, the card may or may not have executed the command, and nothing more may
    /// be sent until the card is selected again.
    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8]

    /// The selected card's answer to select (ATS), if the reader knows it; empty before the first
    /// command, and for a card without one.
    var answerToSelect: [UInt8] { get async }

    /// Switches the field off, so the tag loses its power. It never fails, and may be called at any
    /// time.
    ///
    /// By the time a tag is selected again, it has been without power long enough to lose all
    /// volatile state, so changed settings take effect.
    func release() async
}

extension TagReader {
    /// Empty, for a reader that does not know the ATS.
    public var answerToSelect: [UInt8] { get async { [] } }

    /// Throws `.unsupported`, for a reader that can only send frames. Nothing was sent.
    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        throw ReaderError(.unsupported)
    }
}
