import BlockingLane
import OperatingSystem

/// Stores the last valid responses of a service in a folder, in one file per kind of request.
package actor AnswerCache {
    private let folder: String
    private nonisolated let lane = BlockingLane(label: "tapcard.answer-cache")

    /// The maximum size of a file, in bytes: a line that describes the response, and the body.
    private static let maximumFileSize = AnswerSink.maximumBodySize + AnswerSink.maximumHeadSize * 2

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// Creates a cache. The folder itself is created when the first response is stored.
    package init(folder: String) { self.folder = folder }

    /// The response stored under this name, if it came from this address and can be read.
    func answer(_ name: String, from url: String) -> CachedAnswer? {
        guard let bytes = try? file(name).read(limit: AnswerCache.maximumFileSize),
            let answer = CachedAnswer(parsing: bytes), answer.url == url
        else { return nil }
        return answer
    }

    func keep(_ answer: CachedAnswer, as name: String) {
        do throws(FileError) {
            try DurableFile.makeFolder(folder)
            // The file is not synced to disk, because losing it in a power failure is harmless.
            try file(name).write(answer.bytes, mode: 0o600, durable: false)
        } catch {
            // The error is ignored, because the response itself is valid. It will merely be
            // unavailable when the service is offline.
        }
    }

    /// Removes the response stored under this name. Returns the reason if that fails.
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
