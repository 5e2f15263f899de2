package import Tags

/// An operation on a tag, as a state machine without I/O: it takes an event and returns the next
/// step, so every sequence of responses and faults can be tested without a reader.
package protocol TagProcedure: Sendable {
    associatedtype Outcome: Sendable

    mutating func next(after event: TagEvent) -> TagStep<Outcome>

    /// What the response to this frame has to be, if the procedure's next step is then the same
    /// whatever else the response says; nil if the step depends on the response.
    func expectation(of frame: [UInt8]) -> BatchItem.Expectation?
}

extension TagProcedure {
    package func expectation(of frame: [UInt8]) -> BatchItem.Expectation? { nil }

    /// The frames that follow each other as long as every response is as expected, beginning with
    /// this one.
    fileprivate func batch(from frame: [UInt8]) -> [BatchItem] {
        var copy = self
        var frame = frame
        var items: [BatchItem] = []
        while let expectation = copy.expectation(of: frame), items.count < BatchItem.maximumCount {
            guard case .exchange(let following) = copy.next(after: .answer(expectation.sample))
            else { break }
            items.append(BatchItem(.frame(frame), expecting: expectation))
            frame = following
        }
        return items + [BatchItem(.frame(frame))]
    }
}

extension BatchItem {
    /// The most items that are sent before any of their responses is looked at.
    fileprivate static let maximumCount = 64
}

/// An event for a procedure.
package enum TagEvent: Sendable, Hashable {
    case begin
    case answer([UInt8])
    case failure(ReaderError.Kind)
    case selected(TagIdentity)
}

/// The next step of a procedure.
package enum TagStep<Outcome: Sendable>: Sendable {
    case exchange([UInt8])
    /// Select the tag again: after a NAK, it does not respond until it is selected.
    case select
    /// Cut the tag's power and select it again, because a changed configuration takes effect only
    /// then.
    case powerCycle
    case finish(Outcome)
    case fail(CardStoreError)
}

/// Why a procedure failed. Errors of the same kind are equal.
package struct CardStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The reader or the tag failed during a read.
        case reader(ReaderError.Kind)
        /// The reader or the tag failed during a write: the tag's content is now unknown.
        case interrupted(ReaderError.Kind)
        /// The content that was read back differs from what was written.
        case differs
        /// A different tag is on the reader now.
        case otherTag
        /// The tag reports a different chip than before.
        case otherChip
        /// The tag's response is malformed.
        case garbled
        /// The tag rejected the password, or returned the wrong PACK.
        case wrongPassword
        /// The tag counts wrong passwords, so no password is tried on it.
        case limitsPasswords
        /// The tag's settings are permanently locked.
        case lockedSettings
        /// The tag accepts a WRITE without the password, even though its settings forbid it.
        case ignoresPassword
    }

    package let kind: Kind
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    package var description: String { detail }
}

extension TagReader {
    /// Runs a procedure to completion on this reader.
    package func perform<Procedure: TagProcedure>(
        _ procedure: Procedure
    ) async throws(CardStoreError) -> Procedure.Outcome {
        var procedure = procedure
        var event = TagEvent.begin
        while true {
            switch procedure.next(after: event) {
            case .exchange(let frame):
                event = await exchange(procedure.batch(from: frame), in: &procedure)
            case .select:
                do {
                    event = .selected(try await select(within: reselectLimit))
                } catch {
                    event = .failure(error.kind)
                }
            case .powerCycle:
                // The chip keeps its old configuration until its power has been cut.
                await release()
                do {
                    event = .selected(try await select(within: powerCycleLimit))
                } catch {
                    event = .failure(error.kind)
                }
            case .finish(let outcome): return outcome
            case .fail(let error): throw error
            }
        }
    }
}

extension TagReader {
    /// Sends a batch and passes all events except the last to the procedure. Returns the last
    /// event, which is a response or a failure, for the caller to handle.
    private func exchange<Procedure: TagProcedure>(
        _ batch: [BatchItem], in procedure: inout Procedure
    ) async -> TagEvent {
        let report = await exchange(batch)
        var events = report.answers.map(TagEvent.answer)
        // A failure is also an event: only the procedure knows whether a NAK is expected.
        if let failure = report.failure { events.append(.failure(failure.kind)) }
        for (event, item) in zip(events.dropLast(), batch.dropFirst()) {
            // The procedure must now ask for exactly what the batch already sent. If it does not,
            // the reader's report is wrong.
            guard case .exchange(let frame) = procedure.next(after: event),
                item.message == .frame(frame)
            else { return .failure(.garbled) }
        }
        return events.last ?? .failure(.garbled)
    }
}

/// The time limit for reselecting a tag that has just responded.
private let reselectLimit = Duration.milliseconds(300)
/// The time limit for selecting a tag after a power cycle. It is longer, because under pcscd the
/// reader has to detect the tag again.
private let powerCycleLimit = Duration.seconds(1)
