import Foundation

/// A PostgreSQL server of this process's own: in a new folder, reached by a socket in it, and gone
/// with the process. It syncs nothing, as its data need not outlive it.
package final class PrivatePostgreSQL: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// One server for all tests of a process, started by the first that needs it.
    package static let shared = Result { try PrivatePostgreSQL() }

    private static let user = "tapcard"
    /// The user without rights, who has the same number on every Debian machine.
    private static let unprivileged = 65_534
    private let folder: String
    private let programs: String
    private let server: Process

    private init() throws {
        programs = try PrivatePostgreSQL.newest()
        folder = try PrivatePostgreSQL.emptyFolder()
        let data = folder + "/data"
        try PrivatePostgreSQL.run(
            [
                programs + "/initdb", "--pgdata", data, "--username", PrivatePostgreSQL.user,
                "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync",
            ])
        server = PrivatePostgreSQL.process(
            [
                programs + "/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=",
                "-c", "fsync=off", "-c", "shared_buffers=64MB", "-c", "autovacuum=off",
            ])
        server.standardError = FileHandle(forWritingAtPath: folder + "/log")
        try PrivatePostgreSQL.startForGood(server)
        let processID = server.processIdentifier
        PrivatePostgreSQL.atEnd(of: processID, remove: folder)
        while (try? run("pg_isready", [])) == nil {
            guard server.isRunning else { throw Failure(description: "postgres has ended") }
            usleep(20_000)
        }
    }

    package var socket: String { "\(folder)/.s.PGSQL.5432" }

    /// The address of a database.
    package func address(of database: String) -> String {
        "postgresql:///\(database)?host=\(folder)&user=\(PrivatePostgreSQL.user)"
    }

    /// Makes a database, a copy of another one if that is named, and returns its address.
    package func database(_ name: String, copying other: String? = nil) throws -> String {
        try run(
            "createdb",
            [name] + (other.map { ["--template", $0, "--strategy", "file_copy"] } ?? []))
        return address(of: name)
    }

    package func remove(_ database: String) throws { try run("dropdb", ["--force", database]) }

    private func run(_ program: String, _ arguments: [String]) throws {
        try PrivatePostgreSQL.run(
            ["\(programs)/\(program)", "-h", folder, "-U", PrivatePostgreSQL.user] + arguments)
    }

    private static func run(_ words: [String]) throws {
        let process = process(words)
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(words): \(String(decoding: said, as: UTF8.self))")
        }
    }

    /// Starts it on a thread that never ends: the system ends a program with the thread that
    /// started it.
    private static func startForGood(_ server: Process) throws {
        let started = DispatchSemaphore(value: 0)
        // Written before the signal and read after it.
        nonisolated(unsafe) var failure: (any Error)?
        Thread.detachNewThread {
            do { try server.run() } catch { unsafe failure = error }
            started.signal()
            while true { pause() }
        }
        started.wait()
        if let failure = unsafe failure { throw failure }
    }

    /// PostgreSQL refuses to run as root, so another user runs it then.
    private static func process(_ words: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        let drop =
            getuid() == 0
            ? ["--reuid=\(unprivileged)", "--regid=\(unprivileged)", "--clear-groups"] : []
        process.arguments = drop + ["--pdeathsig", "INT"] + words
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        process.currentDirectoryURL = URL(filePath: "/")
        return process
    }

    private static func emptyFolder() throws -> String {
        var template = Array("/tmp/tapcard-postgresql-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failure(description: "no folder") }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        _ = FileManager.default.createFile(atPath: path + "/log", contents: nil)
        if getuid() == 0 {
            for name in ["", "/log"] {
                try FileManager.default.setAttributes(
                    [.ownerAccountID: unprivileged], ofItemAtPath: path + name)
            }
        }
        return path
    }

    /// Debian keeps the programs of each version in a folder of their own.
    private static func newest() throws -> String {
        let base = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        let newest = versions.compactMap(Int.init).max()
        guard let newest, unsafe access("\(base)/\(newest)/bin/postgres", X_OK) == 0 else {
            throw Failure(description: "PostgreSQL is not there: make deps installs it")
        }
        return "\(base)/\(newest)/bin"
    }

    // Set once, before the process can end.
    private nonisolated(unsafe) static var atEnd: (process: pid_t, folder: String)?

    private static func atEnd(of process: pid_t, remove folder: String) {
        unsafe atEnd = (process, folder)
        atexit {
            guard let (process, folder) = unsafe PrivatePostgreSQL.atEnd else { return }
            kill(process, SIGQUIT)
            var status: Int32 = 0
            unsafe waitpid(process, &status, 0)
            try? FileManager.default.removeItem(atPath: folder)
        }
    }
}
