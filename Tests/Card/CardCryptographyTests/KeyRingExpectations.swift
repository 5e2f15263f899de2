import CardCryptography
import Testing

/// Draws masters that differ from one another but repeat in every run.
final class CountingSource {
    private var next: UInt8

    init(from first: UInt8 = 0) {
        next = first
    }

    func draw(_ count: Int) -> [UInt8] {
        defer { next &+= 1 }
        return bytes(next, count: count)
    }
}

/// Expects the change to be refused for this reason and no other.
func expect(
    _ kind: KeyError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: () throws(KeyError) -> KeyRing
) {
    do throws(KeyError) {
        _ = try change()
        Issue.record("not refused", sourceLocation: sourceLocation)
    } catch {
        #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
        #expect(!error.detail.isEmpty, sourceLocation: sourceLocation)
    }
}

extension KeyRing {
    /// The status of each key by its id, oldest first.
    var statuses: [String] { entries.map { "\($0.id) \($0.status.rawValue)" } }
}
