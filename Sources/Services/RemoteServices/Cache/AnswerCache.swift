import BlockingLane
import OperatingSystem

/// A service's last good answers in a folder, one file for each kind of request.
package actor AnswerCache {
    private let folder: String
    private nonisolated let lane = BlockingLane(label: "tapcard.answer-cache")

    /// The maximum size of a file in bytes: a body, and the line about it.
    private static let longestFile = AnswerSink.longestBody + AnswerSink.longestHead * 2

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// The folder is created along with the first answer.
    package init(folder: String) { self.folder = folder }

    /// The answer stored under this name, if it came from this address and can be read.
    func answer(_ name: String, from url: String) -> CachedAnswer? {
        guard let bytes = try? file(name).read(limit: AnswerCache.longestFile),
            let kept = CachedAnswer(parsing: bytes), kept.url == url
        else { return nil }
        return kept
    }

    func keep(_ answer: CachedAnswer, as name: String) {
        do throws(FileError) {
            try DurableFile.makeFolder(folder)
            try file(name).write(answer.bytes, mode: 0o600, durable: false)
        } catch {
            // The answer is good anyway; it just cannot be shown later without the service.
        }
    }

    /// Removes the answer stored under this name. If it is still there afterward, returns the
    /// reason.
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
