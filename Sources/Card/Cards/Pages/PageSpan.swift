import Tags

/// Reads a run of pages with as few FAST_READs as the reader's maximum response length allows.
struct PageSpan: Sendable {
    private var remaining: ClosedRange<UInt8>?
    private var pending: Type2Command?
    private let pagesAtOnce: Int
    private(set) var bytes: [UInt8] = []

    init(_ pages: ClosedRange<UInt8>?, maximumAnswerLength: Int) {
        remaining = pages
        // A response holds up to 62 pages on an ACR122, and up to 65 on a PN532.
        pagesAtOnce = max(1, maximumAnswerLength / 4)
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
        let command = Type2Command.fastRead(pages.lowerBound, UInt8(last))
        pending = command
        return command.frame
    }

    /// Adds the pages in a response. Returns `false` if its length is wrong.
    mutating func take(_ answer: [UInt8]) -> Bool {
        guard let pending, let data = try? pending.checked(answer) else { return false }
        bytes += data
        return true
    }
}
