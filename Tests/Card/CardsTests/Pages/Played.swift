import Cards
import PortDoubles
import Tags

/// The result of a procedure that ran against a scripted reader.
struct Played<Outcome: Sendable>: Sendable {
    let outcome: Outcome?
    let error: CardStoreError?
    /// The frames in order; an empty one stands for a selection.
    let trace: [[UInt8]]
    /// The number of replies in the script that were not used.
    let unused: Int
}

func play<Procedure: TagProcedure>(
    _ procedure: Procedure, _ script: [ScriptedReader.Reply]
) async -> Played<Procedure.Outcome> {
    let reader = ScriptedReader(script)
    var outcome: Procedure.Outcome?
    var failure: CardStoreError?
    do throws(CardStoreError) {
        outcome = try await reader.perform(procedure)
    } catch {
        failure = error
    }
    return Played(
        outcome: outcome, error: failure, trace: reader.trace, unused: reader.unused)
}

extension ReaderError.Kind {
    static let everyKind: [ReaderError.Kind] =
        [.noReader, .busy, .readerLost, .noTag, .severalTags, .tagLost, .garbled, .timedOut]
        + [.unsupported, .cancelled] + [0, 1, 4, 5].map { .refused($0) }
}

/// Bytes that differ from page to page: each page holds its own number four times.
func numbered(_ pages: ClosedRange<UInt8>) -> [UInt8] {
    pages.flatMap { [$0, $0, $0, $0] }
}
