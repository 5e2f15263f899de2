import BlockingLane
import Foundation
import Glibc

/// A PostgreSQL server of this process, in a new folder, reached through a socket there, and gone
/// with the process. By default it syncs nothing, because its data need not outlive it.
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

    /// An empty server. With an address of this machine it also listens there, over TLS; at the
    /// other end of a cable it does so without TLS.
    package convenience init(
        listening address: String? = nil, at cable: Cable? = nil, syncs: Bool = false
    ) throws {
        let (programs, folder) = (try Self.newest(), try Self.emptyFolder())
        try Self.run(
            [
                programs + "/initdb", "--pgdata", folder + "/data", "--username", Self.user,
                "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync",
            ])
        // The owner needs no password, and every other login does.
        try Self.run(
            [
                "/bin/sh", "-c",
                """
                printf 'local all \(Self.user) trust\nlocal replication all trust\n\
                local all all scram-sha-256\nhostssl all all all scram-sha-256\n\
                \(cable == nil ? "" : "hostnossl all all all trust\n")' \
                > \(folder)/data/pg_hba.conf
                """,
            ])
        if let address {
            try Self.run(
                [
                    "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=ledger", "-addext", "subjectAltName=IP:\(address)", "-keyout",
                    folder + "/key.pem", "-out", folder + "/certificate.pem",
                ])
        }
        try self.init(
            in: folder, with: programs, listening: address, at: cable, syncs: syncs)
    }

    /// A replica whose confirmation the primary does not wait for. It reaches the primary through
    /// the socket in `link`, if that is given.
    package convenience init(
        copying primary: PrivatePostgreSQL, by link: String? = nil, syncs: Bool = false
    ) throws {
        let (programs, folder) = (try Self.newest(), try Self.emptyFolder())
        try Self.run(
            [
                programs + "/pg_basebackup", "--pgdata", folder + "/data", "--host",
                link ?? primary.folder, "--username", Self.user, "--checkpoint", "fast",
                "--no-sync",
                "--write-recovery-conf", "--wal-method", "stream",
            ])
        try self.init(in: folder, with: programs, syncs: syncs)
    }

    /// A server that was restored from a backup of this one, as it is now.
    package convenience init(restoring other: PrivatePostgreSQL) throws {
        let (programs, folder) = (try Self.newest(), try Self.emptyFolder())
        try Self.run(
            [
                programs + "/pg_basebackup", "--pgdata", folder + "/data", "--host",
                other.folder, "--username", Self.user, "--checkpoint", "fast", "--no-sync",
                "--wal-method", "stream",
            ])
        // There is no archive: the restore ends with what the backup has brought.
        try Self.run(
            [
                "/bin/sh", "-c",
                "touch \(folder)/data/recovery.signal && "
                    + "echo \"restore_command = 'false'\" >> \(folder)/data/postgresql.auto.conf",
            ])
        try self.init(in: folder, with: programs)
        while try answer(to: "SELECT pg_is_in_recovery()", in: "postgres") == "t" { usleep(10_000) }
    }

    private init(
        in folder: String, with programs: String, listening address: String? = nil,
        at cable: Cable? = nil, syncs: Bool = false
    ) throws {
        (self.folder, self.programs) = (folder, programs)
        let encryption = [
            "-c", "ssl=on", "-c", "ssl_cert_file=\(folder)/certificate.pem", "-c",
            "ssl_key_file=\(folder)/key.pem",
        ]
        server = Self.process(
            [
                programs + "/postgres", "-D", folder + "/data", "-k", folder, "-c",
                "listen_addresses=\(address ?? cable?.address ?? "")", "-c",
                "fsync=\(syncs ? "on" : "off")", "-c",
                "shared_buffers=64MB",
                "-c",
                "autovacuum=off",
            ] + (address == nil ? [] : encryption), at: cable)
        let log = FileHandle(forWritingAtPath: folder + "/log")
        server.standardError = log
        try Self.startForGood(server)
        // Foundation's handles are inherited by every program that is started later.
        try log?.close()
        Self.atEnd(of: server.processIdentifier, remove: folder)
        while (try? run("pg_isready", [])) == nil {
            guard server.isRunning else { throw Failure(description: "postgres has ended") }
            usleep(20_000)
        }
    }

    /// Promotes a replica to a server that takes changes.
    package func promote() throws {
        try Self.run(
            ["\(programs)/pg_ctl", "promote", "--pgdata", folder + "/data", "--wait"])
    }

    /// Ends the server like a failure of its machine.
    package func kill() {
        let id = server.processIdentifier
        // A stopped server cannot start new processes while they are listed. A surviving process
        // would keep the shared memory that the next server on this data needs.
        Glibc.kill(id, SIGSTOP)
        let list =
            (try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)) ?? ""
        let children = list.split(separator: " ").compactMap { pid_t($0) }
        for process in [id] + children { Glibc.kill(process, SIGKILL) }
        _ = Self.end(of: server)
        for child in children { while Self.isRunning(child) { usleep(1_000) } }
    }

    /// Whether a process that is not a child of this one is running. A zombie is not.
    private static func isRunning(_ process: pid_t) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The state follows the name, which is in parentheses and may itself contain parentheses.
        return status?.split(separator: ")").last?.hasPrefix(" Z") == false
    }

    /// Waits for a program and returns how it ended. Foundation would wait for a socket to close
    /// that a program started at the same time by another thread keeps open.
    fileprivate static func end(of process: Process) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process.processIdentifier, &status, 0) < 0 {
            guard errno == EINTR else {
                process.waitUntilExit()
                return process.terminationStatus
            }
        }
        return status
    }

    /// Ends the server like a failure, and starts another one on its data.
    package func recovered() throws -> PrivatePostgreSQL {
        kill()
        return try PrivatePostgreSQL(in: folder, with: programs)
    }

    /// From now on a commit waits until a replica has it.
    package func waitForReplica() throws {
        for statement in [
            "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()",
        ] { _ = try answer(to: statement, in: "postgres") }
        let inStep = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        while try answer(to: inStep, in: "postgres") == "0" { usleep(10_000) }
    }

    /// The answer of psql to one statement, as the owner or with another login and its password.
    package func answer(
        to statement: String, in database: String, as login: String? = nil, password: String = ""
    ) throws -> String {
        try Self.run(
            [
                "/usr/bin/env", "PGPASSWORD=\(password)", "\(programs)/psql", "-h", folder, "-U",
                login ?? Self.user, "-d", database, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c",
                statement,
            ]
        ).split(separator: "\n").joined(separator: "\n")
    }

    /// A psql session with a login, for one statement after another.
    package func session(
        in database: String, as login: String, password: String
    ) throws -> Session {
        try Session(
            Self.process(
                [
                    "/usr/bin/env", "PGPASSWORD=\(password)", "\(programs)/psql", "-h", folder,
                    "-U", login, "-d", database, "-AtX",
                ]))
    }

    // Unchecked: one statement at a time is given to it.
    package final class Session: @unchecked Sendable {
        private let process: Process
        private let (input, output) = (Pipe(), Pipe())

        fileprivate init(_ process: Process) throws {
            self.process = process
            process.standardInput = input
            (process.standardOutput, process.standardError) = (output, output)
            try process.run()
        }

        // Waited for: whoever watches all children of this process would find a dead one for ever.
        deinit {
            Glibc.kill(process.processIdentifier, SIGKILL)
            _ = PrivatePostgreSQL.end(of: process)
        }

        /// The answer of psql in one line.
        package func answer(to statement: String) throws -> String {
            let end = "end-\(UInt32.random(in: 0...UInt32.max))"
            try input.fileHandleForWriting.write(
                contentsOf: Data("\(statement);\n\\echo \(end)\n".utf8))
            var said = ""
            while !said.contains(end) {
                said += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            }
            return said.replacing(end, with: "").split(separator: "\n").joined(separator: " ")
        }
    }

    /// The certificate by which the server proves its name.
    package var certificate: String { "\(folder)/certificate.pem" }

    package var socket: String { "\(folder)/.s.PGSQL.5432" }

    /// The address of a database, for the owner or with the login and password of a station.
    package func address(
        of database: String, as login: String? = nil, password: String = ""
    ) -> String {
        "postgresql:///\(database)?host=\(folder)&user=\(login ?? PrivatePostgreSQL.user)"
            + (password.isEmpty ? "" : "&password=\(password)")
    }

    /// Makes a database, or a copy of another one, and returns its address.
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

    @discardableResult static func run(
        _ words: [String], asRoot: Bool = false
    ) throws -> String {
        let process = process(words, asRoot: asRoot)
        // A pipe would end with the last process that has it, and one that another thread starts
        // at the same moment, such as a server, keeps it for as long as it lives.
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        guard FileManager.default.createFile(atPath: place.path, contents: nil) else {
            throw Failure(description: "\(words): no file for its output can be made")
        }
        defer { try? FileManager.default.removeItem(at: place) }
        let output = try FileHandle(forUpdating: place)
        defer { try? output.close() }
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let status = end(of: process)
        try output.seek(toOffset: 0)
        let text = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
        guard status == 0 else {
            throw Failure(description: "\(words): \(text)")
        }
        return text
    }

    /// Starts it on a thread that never ends, because the system ends a program together with the
    /// thread that started it.
    private static func startForGood(_ server: Process) throws {
        let started = DispatchSemaphore(value: 0)
        // Written before the signal and read after it.
        nonisolated(unsafe) var failure: (any Error)?
        Thread.detachNewThread {
            do { try server.run() } catch { unsafe failure = error }
            started.signal()
            while true { Glibc.pause() }
        }
        started.wait()
        if let failure = unsafe failure { throw failure }
    }

    /// PostgreSQL refuses to run as root, so another user runs it in that case.
    private static func process(
        _ words: [String], asRoot: Bool = false, at cable: Cable? = nil
    ) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: cable == nil ? "/usr/bin/setpriv" : "/usr/sbin/ip")
        let entry = cable.map { ["netns", "exec", $0.namespace, "/usr/bin/setpriv"] } ?? []
        let drop =
            getuid() == 0 && !asRoot
            ? ["--reuid=\(unprivileged)", "--regid=\(unprivileged)", "--clear-groups"] : []
        process.arguments = entry + drop + ["--pdeathsig", "INT"] + words
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
        process.currentDirectoryURL = URL(filePath: "/")
        return process
    }

    private static func emptyFolder() throws -> String {
        var template = Array("\(TestPath.folder)/tapcard-postgresql-XXXXXX".utf8CString)
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

    /// Debian keeps the programs of each version in a separate folder.
    private static func newest() throws -> String {
        let base = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        let newest = versions.compactMap(Int.init).max()
        guard let newest, unsafe access("\(base)/\(newest)/bin/postgres", X_OK) == 0 else {
            throw Failure(description: "PostgreSQL is not there: make deps installs it")
        }
        return "\(base)/\(newest)/bin"
    }

    private static let atEnd = Guarded<[(process: pid_t, folder: String)]>([])

    private static func atEnd(of process: pid_t, remove folder: String) {
        let isFirst = atEnd.withLock { servers in
            servers.append((process, folder))
            return servers.count == 1
        }
        guard isFirst else { return }
        atexit {
            let servers = PrivatePostgreSQL.atEnd.withLock { $0 }
            for (process, _) in servers { Glibc.kill(process, SIGQUIT) }
            for (process, folder) in servers {
                var status: Int32 = 0
                unsafe waitpid(process, &status, 0)
                try? FileManager.default.removeItem(atPath: folder)
            }
        }
    }
}
