import BlockingLane
import OperatingSystem

/// Stores a service's last good answers in a folder, one file for each kind of request.
package actor AnswerCache {
    private let folder: String
    private nonisolated let lane = BlockingLane(label: "tapcard.answer-cache")

    /// The maximum size of a file, in bytes: a body and the line that describes it.
    private static let maximumFileSize = AnswerSink.maximumBodySize + AnswerSink.maximumHeadSize * 2

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// Creates a cache. The folder itself is created when the first answer is stored.
    package init(folder: String) { self.folder = folder }

    /// The answer stored under this name, if it came from this address and can be read.
    func answer(_ name: String, from url: String) -> CachedAnswer? {
        guard let bytes = try? file(name).read(limit: AnswerCache.maximumFileSize),
            let answer = CachedAnswer(parsing: bytes), answer.url == url
        else { return nil }
        return answer
    }

    func keep(_ answer: CachedAnswer, as name: String) {
        do throws(FileError) {
            try DurableFile.makeFolder(folder)
            // Not synced to disk: losing a cached answer in a power failure is harmless.
            try file(name).write(answer.bytes, mode: 0o600, durable: false)
        } catch {
            // Ignored, because the answer itself is valid. It just will not be available when the
            // service is offline.
        }
    }

    /// Removes the answer stored under this name. Returns the reason if that fails.
    func forget(_ name: String) -> String? {
        do throws(FileError) {
            try file(name).remove()
            return nil
        } catch {
            return error.detail
        }
    }

    private func file(_ name: String) -> DurableFile { DurableFile("\(folder)/\(name)") }
}
