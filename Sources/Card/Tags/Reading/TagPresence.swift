/// Watches for the removal of a tag that stays on the reader.
public enum TagPresence {
    /// The pause between two checks.
    public static let interval = Duration.milliseconds(100)
    /// How many misses in a row mean that a tag was removed. A single miss may just mean that the
    /// tag was moved slightly.
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
                // If several tags were there, the remaining one was never read, so it counts as a
                // new tag. It stays selected, so it can be read without another search.
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
    /// Keeps selecting the tag until that fails or finds another one.
    public func waitForRemoval(
        of uid: [UInt8]?, sawSeveral: Bool, pause: @Sendable () async throws -> Void
    ) async -> ReaderError? {
        await TagPresence.watch(uid, on: self, sawSeveral: sawSeveral, pause: pause)
    }
}
