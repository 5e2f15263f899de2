package import Tags

/// Reads a run of pages for a dump. Protected pages are `nil` in the result.
package struct ReadReadablePages: TagProcedure {
    private let identity: TagIdentity
    private let last: Int
    private let maximumPages: Int
    private var first: Int
    private var runLimit: Int
    private var pages: [Page?] = []

    package init(_ pages: ClosedRange<UInt8>, identity: TagIdentity, maximumAnswerLength: Int) {
        self.identity = identity
        first = Int(pages.lowerBound)
        last = Int(pages.upperBound)
        maximumPages = max(1, maximumAnswerLength / 4)
        runLimit = maximumPages
    }

    package mutating func next(after event: TagEvent) -> TagStep<[Page?]> {
        switch event {
        case .begin: break
        case .selected(let reselected):
            // A dump must not mix two tags.
            guard reselected.uid == identity.uid else {
                return .fail(CardStoreError(.otherTag, "a different tag is on the reader now"))
            }
        case .answer(let answer):
            guard answer.count == runLength * 4 else {
                return .fail(
                    CardStoreError(.garbled, "the tag's response has the wrong length"))
            }
            for start in stride(from: 0, to: answer.count, by: 4) {
                pages.append(Page(answer[start..<start + 4]))
            }
            first += runLength
        case .failure(.refused):
            // A refusal means only that at least one page in this run is protected, so the run is
            // halved until a single page is left.
            if runLength == 1 {
                pages.append(nil)
                first += 1
            } else {
                runLimit = runLength / 2
            }
            // The NAK deselected the tag, so it has to be selected again.
            return first > last ? .finish(pages) : .select
        case .failure(let kind):
            return .fail(CardStoreError(.reader(kind), "the tag was not read completely"))
        }
        guard first <= last, let from = UInt8(exactly: first),
            // Page numbers have one byte; a larger number means that nothing is left to read.
            let to = UInt8(exactly: first + runLength - 1)
        else { return .finish(pages) }
        return .exchange(Type2Command.fastRead(from, to).frame)
    }

    private var runLength: Int { min(runLimit, last - first + 1) }
}
