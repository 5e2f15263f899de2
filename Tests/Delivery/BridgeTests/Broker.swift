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

    /// Prepares a broker with these lines in its configuration.
    init(in folder: String, _ lines: [String] = ["allow_anonymous true"]) throws {
        self.folder = folder
        let (socket, port) = try Loopback.listen(backlog: 1)
        close(socket)
        self.port = port
        try DurableFile.makeFolder(folder)
        let text =
            [
                "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder)/",
                "user root",
            ] + lines
        try DurableFile(folder + "/broker.conf").write(Array(text.joined(separator: "\n").utf8))
    }

    deinit {
        for process in listeners { Broker.end(process) }
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
        process.map(Broker.end)
        process = nil
    }

    /// Subscribes to everything, also while the broker is stopped. Each line has `1` for a message
    /// that the broker kept or `0`, the topic, and the message.
    func listen(_ name: String, _ options: [String] = []) async throws -> Lines {
        let lines = Lines()
        let arguments =
            ["-h", "127.0.0.1", "-p", "\(port)", "-i", name, "-c", "-q", "1", "-t", "#", "-d"]
            + ["-F", "%r %t %p"] + options
        listeners.append(try Broker.run("/usr/bin/mosquitto_sub", arguments, lines.pipe))
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
        try process.run()
        return process
    }

    private static func end(_ process: Process) {
        process.terminate()
        process.waitUntilExit()
    }
}

/// What a program has printed.
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
