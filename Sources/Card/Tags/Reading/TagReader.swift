/// The result of an operation, which a reader can signal with its lights and buzzer.
public enum TagSignal: UInt8, Sendable, CaseIterable {
    /// The operation was successful.
    case done = 1
    /// The operation was refused, and nothing was changed.
    case refused = 2
}

/// The interface through which tapcard communicates with a tag. It works with frames and responses,
/// not pages.
///
/// A driver does not depend on the chip in the field. It adds and checks the CRC, and turns the
/// field on and off. It never resends a frame or selects a tag on its own: a caller that sends a
/// WRITE must be sure that it goes to the tag that was checked, and that the tag has not lost power
/// in between.
public protocol TagReader: Sendable {
    /// The name of this reader, for messages.
    var name: String { get async }

    /// The maximum number of data bytes that this reader can return in one response. Callers read
    /// this property after selecting a tag, because the reader may have been replaced with a
    /// different one.
    var maximumAnswerLength: Int { get async }

    /// Waits until a tag is in the field and selects it. A tag that is already selected is selected
    /// again, which ends its authentication but does not cut its power.
    ///
    /// Throws `.noTag` if no tag appears within the time limit, and `.cancelled` if the task is
    /// canceled. After `.readerLost` or `.timedOut`, reopens the reader first, and throws
    /// `.noReader` if that fails.
    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity

    /// Sends one frame and returns the response, both without the CRC. An ACK is returned as an
    /// empty response; a NAK is thrown as `.refused`.
    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8]

    /// Sends one command (an APDU) to a card that uses ISO/IEC 14443-4, and returns its response
    /// with the status. The driver splits the command into blocks, or lets the reader do that. A
    /// lost block can be repeated safely, because its number shows whether the card has already
    /// received it.
    ///
    /// After any failure, the card may or may not have executed the command, and the caller must
    /// not send anything more until the card is selected again.
    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8]

    /// Sends several frames or commands in order, and stops at the first failure or unexpected
    /// response. With a reader on another machine, this takes only one round trip.
    func exchange(_ batch: [BatchItem]) async -> BatchReport

    /// The selected card's answer to select (ATS), if the reader reports it. Empty before the first
    /// command, and for a card that has no ATS.
    var answerToSelect: [UInt8] { get async }

    /// Waits until a tag has been removed, or another one has taken its place.
    ///
    /// - Parameters:
    ///   - uid: The tag's UID; if nil, waits for the removal of the first tag found.
    ///   - sawSeveral: Whether several tags were on the reader at the same time.
    ///   - pause: Waits between two checks.
    /// - Returns: An error if the reader cannot be used; otherwise nil.
    func waitForRemoval(
        of uid: [UInt8]?, sawSeveral: Bool, pause: @Sendable () async throws -> Void
    ) async -> ReaderError?

    /// Turns the field off, which cuts the tag's power. Never fails, and can be called at any time.
    ///
    /// By the time a tag is selected again, it has been without power long enough to lose all
    /// volatile state, so changed settings take effect.
    func release() async

    /// Releases the tag and signals the result, if the reader has lights or a buzzer. Ignores a
    /// signal that fails.
    func release(signaling signal: TagSignal?) async
}

extension TagReader {
    /// Releases the tag without a signal, for readers that have neither lights nor a buzzer.
    public func release(signaling signal: TagSignal?) async { await release() }

    /// Empty, for a reader that does not report the ATS.
    public var answerToSelect: [UInt8] { get async { [] } }

    /// Throws `.unsupported` without sending anything, for a reader that can send only frames.
    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        throw ReaderError(.unsupported)
    }
}
