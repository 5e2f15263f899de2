import Foundation
import Glibc
import OperatingSystem
import Synchronization
import Testing

@Suite("File locks")
struct FileLockTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.path("lock")
    }

    /// Whether another process could take the lock now.
    private func isFreeForOthers() throws -> Bool {
        try SystemProgram.run("flock", "--nonblock", "--conflict-exit-code", "9", path, "true") == 0
    }

    /// Whether the kernel lists a process that waits for this file.
    private func isWaitedFor() throws -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        let locks = String(decoding: try DurableFile("/proc/locks").read() ?? [], as: UTF8.self)
        return locks.split(separator: "\n").contains {
            $0.contains("-> FLOCK") && $0.contains(":\(status.st_ino) ")
        }
    }

    @Test("A lock has one holder at a time, within the process and beyond")
    func exclusion() throws {
        var lock = try FileLock.acquire(path, waiting: false)
        #expect(lock != nil)
        #expect(try FileLock.acquire(path, waiting: false) == nil)
        #expect(try !isFreeForOthers())
        lock = nil
        #expect(try isFreeForOthers())
        lock = try FileLock.acquire(path, waiting: true)
        #expect(lock != nil)
    }

    @Test("A refused attempt leaves the lock with its holder")
    func refusedAttempt() throws {
        let lock = try FileLock.acquire(path, waiting: false)
        #expect(try FileLock.acquire(path, waiting: false) == nil)
        #expect(FileLock.holder(of: path) == getpid())
        #expect(try !isFreeForOthers())
        withExtendedLifetime(lock) {}
    }

    private struct Refusal: Error, Equatable {
        let kind: FileError.Kind
    }

    private func holding<Success>(
        _ path: String, _ body: () throws(Refusal) -> Success
    ) throws(Refusal) -> Success {
        try FileLock.holding(path, orThrow: { Refusal(kind: $0.kind) }, body)
    }

    @Test("A body runs under the lock, and the lock is free again however the body ends")
    func holding() throws {
        let isFree = try holding(path) { () throws(Refusal) in try? isFreeForOthers() }
        #expect(isFree == false)
        #expect(try isFreeForOthers())
        #expect(throws: Refusal(kind: .tooLarge)) {
            try holding(path) { () throws(Refusal) in throw Refusal(kind: .tooLarge) }
        }
        #expect(try isFreeForOthers())
    }

    @Test("Without the lock the body does not run, and the caller's error is thrown")
    func noLock() {
        #expect(throws: Refusal(kind: .notFound)) {
            try holding(folder.path("none/lock")) { () throws(Refusal) in
                Issue.record("it ran without a lock")
            }
        }
    }

    @Test("The holder of a lock is known only while it holds the lock")
    func holder() throws {
        #expect(FileLock.holder(of: path) == nil)
        var lock = try FileLock.acquire(path, waiting: false)
        #expect(FileLock.holder(of: path) == getpid())
        #expect(lock != nil)
        lock = nil
        #expect(FileLock.holder(of: path) == nil)
        #expect(folder.names() == ["lock"])
    }

    /// Whoever can open the file can hold the lock, and keep its owner from working.
    @Test("A lock file is accessible to its owner only")
    func permissions() throws {
        let lock = try FileLock.acquire(path, waiting: false)
        #expect(try DurableFile(path).permissions() == 0o600)
        withExtendedLifetime(lock) {}
    }

    /// Runs a blocking wait on a separate thread. Swift runs tasks on only as many threads as there
    /// are processors, so two blocking waits could starve the task that should end them.
    private static func onThread<Success: Sendable>(
        _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }

    private final class Notices: Sendable { let count = Mutex(0) }

    @Test("A long wait is reported once, and an immediate lock is not")
    func told() async throws {
        let path = path
        let notices = Notices()
        @Sendable func hold() throws(Refusal) -> Int {
            try FileLock.holding(
                path, orThrow: { Refusal(kind: $0.kind) },
                whenWaiting: { notices.count.withLock { $0 += 1 } },
                { () throws(Refusal) in notices.count.withLock { $0 } })
        }
        #expect(try hold() == 0)
        var lock = try FileLock.acquire(path, waiting: false)
        #expect(lock != nil)
        async let waiter = Self.onThread { try hold() }
        while notices.count.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        lock = nil
        #expect(try await waiter == 1)
    }

    @Test("A waiting call gets the lock when it is released")
    func waiting() async throws {
        let path = path
        var lock = try FileLock.acquire(path, waiting: false)
        #expect(lock != nil)
        async let waiter = Self.onThread { try FileLock.acquire(path, waiting: true) != nil }
        // Released only when the other is seen to wait, or has had 5 s to give up wrongly.
        for _ in 0..<5000 where try !isWaitedFor() { try await Task.sleep(for: .milliseconds(1)) }
        lock = nil
        #expect(try await waiter)
    }

    @Test(
        "A lock file without a valid holder names no process",
        arguments: ["", "x", "-1", "0", "99999999999", "2147483647", "12345678901234567890"])
    func rubbish(content: String) throws {
        try DurableFile(path).write(Array(content.utf8))
        #expect(FileLock.holder(of: path) == nil)
    }

    @Test("A longer number of an earlier holder is overwritten completely")
    func earlierHolder() throws {
        try DurableFile(path).write(Array("1234567890\n1234\n".utf8))
        let lock = try FileLock.acquire(path, waiting: false)
        #expect(try DurableFile(path).read() == Array("\(getpid())\n".utf8))
        withExtendedLifetime(lock) {}
    }

    @Test("A child process does not inherit the lock")
    func notInherited() throws {
        let lock = try FileLock.acquire(path, waiting: false)
        let script = "ls -l /proc/self/fd | grep --quiet --fixed-strings \"$0\""
        #expect(try SystemProgram.run("sh", "-c", script, path) == 1)
        withExtendedLifetime(lock) {}
    }

    @Test("A lock in a missing folder or on a folder is refused")
    func refusals() {
        expect(.notFound) { () throws(FileError) in
            _ = try FileLock.acquire(folder.path("none/lock"), waiting: false)
        }
        expect(.isFolder) { () throws(FileError) in
            _ = try FileLock.acquire(folder.path, waiting: true)
        }
    }
}
