package import Tags
import TapcardDomain

/// One page and its new content.
package struct PageWrite: Hashable, Sendable {
    package let page: UInt8
    package let content: Page

    package init(_ page: UInt8, _ content: Page) {
        self.page = page
        self.content = content
    }
}

/// Writes pages in order, waiting for each acknowledgment, then reads back everything from the
/// lowest to the highest page and compares it with what was written.
///
/// It never continues after a fault: the result of a failed WRITE is *unknown*, and the tag may
/// have been on another reader in the meantime. The caller has to select and read the tag again,
/// and then decide what to do.
package struct WritePages: TagProcedure {
    private enum State {
        case authenticating, writing, readingBack
    }

    private let writes: [PageWrite]
    private let password: TagPassword?
    private var state = State.writing
    private var written = 0
    private var span: PageSpan
    private let firstReadBack: UInt8

    package init(
        _ writes: [PageWrite], maximumAnswerLength: Int, password: TagPassword? = nil,
        usesFastRead: Bool = true
    ) {
        self.writes = writes
        self.password = password
        let pages = writes.map(\.page)
        let first = pages.min() ?? 0
        firstReadBack = first
        span = PageSpan(
            pages.max().map { first...$0 }, maximumAnswerLength: maximumAnswerLength,
            usesFastRead: usesFastRead)
    }

    package mutating func next(after event: TagEvent) -> TagStep<[UInt8]> {
        switch (state, event) {
        case (_, .begin):
            guard let password else { return write() }
            state = .authenticating
            return .exchange(Type2Command.authenticate(password.password).frame)
        case (.authenticating, .answer(let pack)):
            // A tag that accepts the password but returns the wrong PACK may be a copy, so no
            // record is written to it.
            guard password?.isAnswered(by: pack) == true else { return .fail(.wrongPassword) }
            state = .writing
            return write()
        case (.authenticating, .failure(.refused(NAK.invalidArgument))),
            (.authenticating, .failure(.refused(NAK.authenticationLimit))):
            return .fail(.wrongPassword)
        case (.writing, .answer(let answer)):
            // `TagReader` returns an ACK as an empty response.
            guard answer.isEmpty else {
                return .fail(CardStoreError(.garbled, "the tag did not acknowledge a WRITE"))
            }
            written += 1
            return write()
        case (.readingBack, .answer(let answer)):
            guard span.take(answer) else {
                return .fail(
                    CardStoreError(.garbled, "the tag's response has the wrong length"))
            }
            return readBack()
        // Only for testing rule 7: continuing after a fault is exactly what must not happen.
        case (.writing, .failure(.tagLost)) where SafetyRule.readAgain.isDisabled:
            return .select
        case (.writing, .selected) where SafetyRule.readAgain.isDisabled:
            return write()
        case (_, .failure(let kind)):
            return .fail(
                CardStoreError(
                    .interrupted(kind), "\(written) of \(writes.count) pages written"))
        case (_, .selected):
            return .fail(CardStoreError(.garbled, "the tag sent an unexpected response"))
        }
    }

    package func expectation(of frame: [UInt8]) -> BatchItem.Expectation? {
        switch state {
        case .authenticating: password?.expectation
        // `TagReader` returns an ACK as an empty response.
        case .writing: .bytes([])
        case .readingBack: .length(span.expectedCount)
        }
    }

    private mutating func write() -> TagStep<[UInt8]> {
        guard written < writes.count else {
            state = .readingBack
            return readBack()
        }
        let next = writes[written]
        return .exchange(Type2Command.write(next.page, next.content).frame)
    }

    private mutating func readBack() -> TagStep<[UInt8]> {
        if let frame = span.nextFrame() { return .exchange(frame) }
        var expected: [UInt8: Page] = [:]
        // A refresh writes page 04h twice: only the final content counts.
        for write in writes { expected[write.page] = write.content }
        let isCorrect = expected.allSatisfy { page, content in
            let start = (Int(page) - Int(firstReadBack)) * 4
            return span.bytes.indices.contains(start + 3)
                && Array(span.bytes[start..<start + 4]) == content.bytes
        }
        guard isCorrect else {
            return .fail(
                CardStoreError(
                    .differs, "the content that was read back differs from what was written"))
        }
        return .finish(span.bytes)
    }
}
