package import Tags

/// Reads a run of pages with FAST_READ. For a known card, one command is enough.
package struct ReadPages: TagProcedure {
    private var span: PageSpan

    package init(_ pages: ClosedRange<UInt8>, maximumAnswerLength: Int) {
        span = PageSpan(pages, maximumAnswerLength: maximumAnswerLength)
    }

    package mutating func next(after event: TagEvent) -> TagStep<[UInt8]> {
        switch event {
        case .begin, .selected: break
        case .answer(let answer):
            guard span.take(answer) else {
                return .fail(
                    CardStoreError(.garbled, "the tag's response has the wrong length"))
            }
        case .failure(let kind):
            return .fail(CardStoreError(.reader(kind), "the tag was not read completely"))
        }
        return span.nextFrame().map(TagStep.exchange) ?? .finish(span.bytes)
    }

    package func expectation(of frame: [UInt8]) -> BatchItem.Expectation? {
        .length(span.expectedCount)
    }
}
