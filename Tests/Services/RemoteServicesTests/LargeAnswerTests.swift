import Foundation
import RemoteServices
import TapcardDomain
import TestSupport
import Testing

@Suite("Answers that are too large")
struct LargeAnswerTests {
    private let client = HTTPClient(.init(version: "1", proxy: ""))
    private static let bound = 1_048_576

    private func send(_ server: ScriptedServer) async throws(ServiceError) -> HTTPAnswer {
        try await client.send(
            HTTPRequest(.get, server.address), by: HTTPClientTests.limits)
    }

    @Test("A body of exactly the limit is accepted, and one byte more is refused")
    func bound() async throws {
        let most = [UInt8](repeating: 0x20, count: Self.bound)
        try await ScriptedServer.serving(
            .answer("200 OK", most), .answer("200 OK", most + [0x20]),
            [.text("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), .send(most + [0x20]), .close]
        ) { server in
            let whole = try await send(server)
            #expect(whole.body.count == Self.bound)
            for _ in 0..<2 {
                let failure = await #expect(throws: ServiceError.self) { try await send(server) }
                #expect(failure?.kind == .tooLarge)
                #expect(failure?.detail == "the response body is larger than 1048576 bytes")
            }
        }
    }

    /// The beginning of each answer, and the bytes that follow it again and again.
    private static let heads: [(String, String)] = [
        ("HTTP/1.1 200 OK\r\n", "X-More: \(String(repeating: "m", count: 1_000))\r\n"),
        ("HTTP/1.1 200 OK\r\nX-More: ", String(repeating: "m", count: 1_000)),
        ("HTTP/1.1 200 ", String(repeating: "O", count: 1_000)),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
            "X-More: \(String(repeating: "m", count: 1_000))\r\n"
        ),
    ]

    @Test("An endless head, line or trailer is refused", arguments: heads)
    func head(begin: String, more: String) async throws {
        let script: [ScriptedServer.Step] = [.text(begin), .flood(Array(more.utf8), times: 10_000)]
        try await ScriptedServer.serving(script) { server in
            let failure = await #expect(throws: ServiceError.self) { try await send(server) }
            #expect(failure?.kind == .tooLarge, "\(failure?.detail ?? "")")
            #expect(failure?.detail == "the response header is larger than 65536 bytes")
        }
    }

    /// Measured in its own process, because this one has the memory of all concurrent tests.
    @Test("A hundred megabytes grow the process by less than thirty", .timeLimit(.minutes(2)))
    func flood() async {
        await #expect(processExitsWith: .success) {
            let tests = LargeAnswerTests()
            // A small answer first: the library and the threads are there already.
            let most = try await tests.growth(.answer("200 OK", "{}")) { #expect($0 == nil) }
            for line in [
                "Content-Length: 104857600", "Transfer-Encoding: chunked", "Connection: close",
            ] {
                let growth = try await tests.growth(LargeAnswerTests.flood(line)) {
                    #expect($0?.kind == .tooLarge, "\(line)")
                }
                #expect(growth < most + 30_000, "\(line)")
            }
        }
    }

    private static func flood(_ line: String) -> [ScriptedServer.Step] {
        let piece = [UInt8](repeating: 0x20, count: 65_536)
        let isChunked = line.hasSuffix("chunked")
        let sent = isChunked ? Array("10000\r\n".utf8) + piece + Array("\r\n".utf8) : piece
        return [
            .text("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n"), .flood(sent, times: 1_600), .close,
        ]
    }

    /// The most KiB by which this process grew while it received the answer.
    private func growth(
        _ script: [ScriptedServer.Step], _ ended: (ServiceError?) -> Void
    ) async throws -> Int {
        // "5" sets the peak back to what there is.
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = try Self.highestResidentKilobytes()
        try await ScriptedServer.serving(script) { server in
            do throws(ServiceError) {
                _ = try await send(server)
                ended(nil)
            } catch {
                ended(error)
            }
        }
        return try Self.highestResidentKilobytes() - before
    }

    /// The highest memory of this process since the peak was reset.
    private static func highestResidentKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }
}
