import Foundation
import Testing

/// The real libusb on a bus that libumockdev simulates, with the watcher in its own process.
@Suite("Plug events from libusb")
struct PlayedBusTests {
    private struct Ended: Equatable {
        let status: Int32
        let lines: [String]
    }

    /// Runs the probe with these arguments while the script plugs and unplugs devices.
    private func play(_ script: [String], _ arguments: String...) async throws -> Ended {
        // The bundle of the tests lies next to the executables of the same build.
        let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments =
            [
                "50", "umockdev-wrapper", "/usr/bin/python3",
                DeviceDescription.folder.path + "/play-usb.py", DeviceDescription.folder.path,
                built.appending(path: "PlugProbe").path,
            ] + arguments
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
                // Script and output are shorter than what a pipe holds.
                input.fileHandleForWriting.write(Data(script.map { $0 + "\n" }.joined().utf8))
                try input.fileHandleForWriting.close()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        return Ended(
            status: status,
            lines: String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    @Test("Readers that were there, arrive or leave are reported in order", .timeLimit(.minutes(1)))
    func events() async throws {
        // The probe never looks again without having been told.
        let ended = try await play(
            [
                "plug scl3711", "wait watching", "plug acr122u", "wait arrived ACS",
                "unplug scl3711", "wait left SCM", "plug ftdi", "wait arrived FTDI",
            ], "4")
        #expect(
            ended
                == Ended(
                    status: 0,
                    lines: [
                        "there SCM SCL3711 001:005 readAndWrite", "watching",
                        "arrived ACS ACR122U 001:004 readAndWrite",
                        "left SCM SCL3711 001:005 readAndWrite",
                        "arrived FTDI serial bridge 001:007 readAndWrite", "done",
                    ]))
    }

    @Test(
        "A reader unplugged and plugged in again is reported as left and as arrived",
        .timeLimit(.minutes(1)))
    func again() async throws {
        let ended = try await play(
            [
                "plug acr122u", "wait watching", "unplug acr122u", "wait left",
                "plug acr122u", "wait arrived",
            ], "3")
        #expect(ended.status == 0)
        #expect(
            ended.lines.filter { $0.hasPrefix("arrived") || $0.hasPrefix("left") } == [
                "left ACS ACR122U 001:004 readAndWrite",
                "arrived ACS ACR122U 001:004 readAndWrite",
            ])
    }

    @Test("A reader whose node can only be read is listed as denied", .timeLimit(.minutes(1)))
    func listed() async throws {
        let ended = try await play(
            [
                "plug acr1252u", "mode 666 bus/usb/001/006", "plug rcs380",
                "mode 444 bus/usb/001/008", "nobody", "wait listed",
            ], "list")
        #expect(
            ended
                == Ended(
                    status: 0,
                    lines: [
                        "there ACS ACR1252U 001:006 readAndWrite",
                        "there Sony RC-S380/P 001:008 denied", "listed",
                    ]))
    }

    @Test("Twenty watches leak no file or thread", .timeLimit(.minutes(1)))
    func leaks() async throws {
        let ended = try await play(["plug acr122u", "wait left open"], "repeat", "20")
        #expect(ended == Ended(status: 0, lines: ["left open: 0"]))
    }
}
