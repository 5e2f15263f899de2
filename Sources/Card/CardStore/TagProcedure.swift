public import TagReading

/// Something that is done with a tag, as a state machine without I/O: told what happened, it says
/// what to do next. So every order of answers and faults can be tried without a reader.
public protocol TagProcedure: Sendable {
    associatedtype Outcome: Sendable

    mutating func next(after event: TagEvent) -> TagStep<Outcome>
}

/// What happened.
public enum TagEvent: Sendable, Hashable {
    case begin
    case answer([UInt8])
    case failure(ReaderError.Kind)
    case selected(TagIdentity)
}

/// What to do next.
public enum TagStep<Outcome: Sendable>: Sendable {
    case exchange([UInt8])
    /// Select the tag afresh: after a NAK it is silent until then.
    case select
    /// Take the tag's power and select it again: only then does a changed configuration act.
    case powerCycle
    case finish(Outcome)
    case fail(CardStoreError)
}

/// Why a procedure came to no good end. Equal when the kinds are.
public struct CardStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The reader or the tag failed while it was read.
        case reader(ReaderError.Kind)
        /// The same while it was written: what is on the tag now is not known.
        case interrupted(ReaderError.Kind)
        /// What was read back is not what was written.
        case differs
        /// Another tag lies on the reader now.
        case otherTag
        /// A tag that says neither what it is nor where its memory ends.
        case unknownChip
        /// It says that it is of another make than it was.
        case otherChip
        /// The tag gave an answer of the wrong form.
        case garbled
        /// The tag does not take the password, or does not answer as ours would.
        case wrongPassword
        /// The tag counts wrong passwords: none is tried on it.
        case limitsPasswords
        /// The tag's settings can never be changed again.
        case lockedSettings
        /// The tag takes a plain WRITE though its settings forbid it.
        case ignoresPassword
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}

extension TagReader {
    /// Runs a procedure to its end over this reader.
    public func perform<Procedure: TagProcedure>(
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

/// How long a tag that has just answered may take to be selected again.
private let reselectLimit = Duration.milliseconds(300)
/// The same for a tag that had its power taken: behind pcscd, the reader has to find it afresh.
private let powerCycleLimit = Duration.seconds(1)
