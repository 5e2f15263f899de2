/// Detects when a tag is removed from the reader.
public enum TagPresence {
    /// The pause between two checks.
    public static let interval = Duration.milliseconds(100)
    /// How many selections in a row must fail before the tag counts as removed. A single failure
    /// may just mean that the tag was moved slightly.
    private static let missesUntilGone = 2

    fileprivate static func watch(
        _ uid: [UInt8]?, on reader: some TagReader, sawSeveral: Bool,
        pause: @Sendable () async throws -> Void
    ) async -> ReaderError? {
        var present = uid
        var misses = 0
        var sawSeveral = sawSeveral
        while !Task.isCancelled {
            do {
                let uid = try await reader.select(within: .zero).uid
                // If several tags were on the reader, the one that remains has not been read yet,
                // so it counts as a new tag. It stays selected, so the caller can read it right
                // away.
                if present == nil ? sawSeveral : present != uid { return nil }
                present = uid
                misses = 0
            } catch {
                switch error.kind {
                case .severalTags:
                    misses = 0
                    sawSeveral = true
                case .noTag, .tagLost, .garbled, .timedOut, .refused, .unsupported:
                    misses += 1
                case .noReader, .busy, .readerLost: return error
                case .cancelled: return nil
                }
                if misses >= missesUntilGone { break }
            }
            do { try await pause() } catch { break }
        }
        await reader.release()
        return nil
    }
}

extension TagReader {
    /// Selects the tag again and again, until it is gone or another tag has taken its place.
    public func waitForRemoval(
        of uid: [UInt8]?, sawSeveral: Bool, pause: @Sendable () async throws -> Void
    ) async -> ReaderError? {
        await TagPresence.watch(uid, on: self, sawSeveral: sawSeveral, pause: pause)
    }
}
