import BlockingLane
import Foundation
import OperatingSystem
import TestSupport
import Testing

/// Debian's MQTT broker on a loopback port. Its sessions survive a restart.
final class Broker {
    let port: UInt16
    let folder: String
    private var process: Process?
    private var listeners: [Process] = []

    /// Creates a broker with additional configuration lines.
    init(in folder: String, _ lines: [String] = ["allow_anonymous true"]) throws {
        self.folder = folder
        port = try Loopback.portForProgram()
        try DurableFile.makeFolder(folder)
        let text =
            [
                "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder)/",
                "user root",
            ] + lines
        try DurableFile(folder + "/broker.conf").write(Array(text.joined(separator: "\n").utf8))
    }

    deinit {
        for process in listeners {
            // Debian's mosquitto_sub does not always end after SIGTERM.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func start() async throws {
        process = try Broker.run("/usr/sbin/mosquitto", ["-c", folder + "/broker.conf"], nil)
        while true {
            let socket = Loopback.socket()
            defer { close(socket) }
            if Loopback.connect(socket, to: port) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func stop() {
        process?.terminate()
        process?.waitUntilExit()
        process = nil
    }

    /// Subscribes to all topics, even while the broker is stopped. Each line has `1` for a retained
    /// message or `0`, then the topic and the message.
    func listen(_ name: String, _ options: [String] = []) async throws -> Lines {
        let lines = Lines()
        // mosquitto_sub buffers its output if it writes to a pipe.
        let arguments =
            [
                "-oL", "/usr/bin/mosquitto_sub", "-h", "127.0.0.1", "-p", "\(port)", "-i", name,
                "-c", "-q", "1", "-t", "#", "-d",
            ]
            + ["-F", "%r %t %p"] + options
        listeners.append(try Broker.run("/usr/bin/stdbuf", arguments, lines.pipe))
        try await lines.wait { $0.contains { $0.contains("received SUBACK") } }
        return lines
    }

    private static func run(_ program: String, _ words: [String], _ output: Pipe?) throws -> Process
    {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = words
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // Otherwise, the program would inherit a worker thread's signal mask, which may block
        // SIGTERM.
        var none = sigset_t()
        var usual = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &usual)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try process.run()
        return process
    }
}

/// The output of a program.
final class Lines: Sendable {
    let pipe = Pipe()
    private let text = Guarded("")

    init() {
        pipe.fileHandleForReading.readabilityHandler = { [text] file in
            let data = file.availableData
            if data.isEmpty { file.readabilityHandler = nil }
            text.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
    }

    var all: [String] {
        text.withLock { $0 }.split(separator: "\n").map(String.init)
    }

    func wait(until isThere: ([String]) -> Bool) async throws {
        while !isThere(all) { try await Task.sleep(for: .milliseconds(5)) }
    }
}
