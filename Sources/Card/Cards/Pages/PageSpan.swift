import Tags

/// Reads a run of pages with as few FAST_READs as the reader's maximum response length allows, or
/// with READs if the chip has no FAST_READ.
struct PageSpan: Sendable {
    private var remaining: ClosedRange<UInt8>?
    private var pending: Type2Command?
    /// How many bytes of the next response belong to the run.
    private var count = 0
    private let pagesAtOnce: Int
    private let usesFastRead: Bool
    private(set) var bytes: [UInt8] = []

    init(_ pages: ClosedRange<UInt8>?, maximumAnswerLength: Int, usesFastRead: Bool = true) {
        remaining = pages
        self.usesFastRead = usesFastRead
        // A response holds up to 62 pages on an ACR122, and up to 65 on a PN532. READ always
        // returns four.
        pagesAtOnce = usesFastRead ? max(1, maximumAnswerLength / 4) : 4
    }

    /// The next frame to send; `nil` when all pages have been read.
    mutating func nextFrame() -> [UInt8]? {
        guard let pages = remaining else {
            pending = nil
            return nil
        }
        // Computed as `Int`, because the sum can exceed the range of a page number.
        let last = min(Int(pages.upperBound), Int(pages.lowerBound) + pagesAtOnce - 1)
        remaining = last < Int(pages.upperBound) ? UInt8(last + 1)...pages.upperBound : nil
        count = (last - Int(pages.lowerBound) + 1) * Page.size
        let command =
            usesFastRead
            ? Type2Command.fastRead(pages.lowerBound, UInt8(last)) : .read(pages.lowerBound)
        pending = command
        return command.frame
    }

    /// The length of the next response.
    var expectedCount: Int { usesFastRead ? count : 4 * Page.size }

    /// Adds the pages in a response. Returns `false` if its length is wrong.
    mutating func take(_ answer: [UInt8]) -> Bool {
        guard let pending, let data = try? pending.checked(answer) else { return false }
        bytes += data.prefix(count)
        return true
    }
}
