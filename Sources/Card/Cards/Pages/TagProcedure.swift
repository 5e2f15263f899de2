package import Tags

/// An operation on a tag, as a state machine without I/O: it takes an event and returns the next
/// step, so every order of answers and faults can be tested without a reader.
package protocol TagProcedure: Sendable {
    associatedtype Outcome: Sendable

    mutating func next(after event: TagEvent) -> TagStep<Outcome>
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
    /// Select the tag again: after a NAK it is silent until then.
    case select
    /// Cut the tag's power and select it again: only then does a changed configuration take effect.
    case powerCycle
    case finish(Outcome)
    case fail(CardStoreError)
}

/// The reason why a procedure failed. Equal when their kinds are.
package struct CardStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The reader or the tag failed during a read.
        case reader(ReaderError.Kind)
        /// The reader or the tag failed during a write: the content of the tag is now unknown.
        case interrupted(ReaderError.Kind)
        /// The content read back differs from the content written.
        case differs
        /// Another tag is on the reader now.
        case otherTag
        /// The tag reports another chip than before.
        case otherChip
        /// The tag gave an answer of the wrong form.
        case garbled
        /// The tag refuses the password, or its answer is not that of our cards.
        case wrongPassword
        /// The tag counts wrong passwords, so none is tried on it.
        case limitsPasswords
        /// The tag's settings are locked forever.
        case lockedSettings
        /// The tag accepts a plain WRITE though its settings forbid it.
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
    /// Runs a procedure to its end on this reader.
    package func perform<Procedure: TagProcedure>(
        _ procedure: Procedure
    ) async throws(CardStoreError) -> Procedure.Outcome {
        var procedure = procedure
        var event = TagEvent.begin
        while true {
            switch procedure.next(after: event) {
            case .exchange(let frame):
                do {
                    event = .answer(try await exchange(frame))
                } catch {
                    event = .failure(error.kind)
                }
            case .select:
                do {
                    event = .selected(try await select(within: reselectLimit))
                } catch {
                    event = .failure(error.kind)
                }
            case .powerCycle:
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

/// The limit for reselecting a tag that has just answered.
private let reselectLimit = Duration.milliseconds(300)
/// The limit for selecting a tag after a power cycle: under pcscd, the reader has to detect it
/// again.
private let powerCycleLimit = Duration.seconds(1)
