import ReaderProcess
import RemoteReader
import StationFiles
import TestSupport
import Testing
import TextCodecs

/// A till's machine, whose messages a test sends one by one.
struct BenchMachine {
    /// The version that it claims to have.
    static let release = #"9 "\"#
    /// The ID of its agent's run.
    static let run = [UInt8](repeating: 7, count: AgentRunID.length)

    private let port: UInt16
    private let token: String
    private let greeting: AgentGreeting
    private let attachment: AgentAttachment

    /// Enrolls a machine with this code, and attaches its reader.
    init(_ bench: TillServerBench, code: String) async throws {
        port = bench.port
        token = AgentToken.text([UInt8](repeating: 1, count: AgentToken.randomBytes))
        let hash = Hexadecimal.encode(AgentToken.hash(of: token))
        let enrolled = try await bench.ask(
            "POST", "/agent/v1/enroll", #"{"code":"\#(code)","token_hash":"\#(hash)"}"#)
        #expect(enrolled.status == 200, "\(enrolled.text)")
        let run = try #require(AgentRunID(BenchMachine.run))
        greeting = AgentGreeting(
            run: run, release: BenchMachine.release, reader: "far reader", isSimulated: true)
        let answer = try await BenchMachine.send("attach", greeting.message, port, token)
        guard case .attached(let epoch, _)? = AgentResponse(answer.body) else {
            throw Unexpected(text: answer.text)
        }
        attachment = AgentAttachment(run, epoch: epoch)
    }

    struct Unexpected: Error { let text: String }

    static func send(
        _ call: String, _ message: [UInt8], _ port: UInt16, _ token: String
    ) async throws -> RawAnswer {
        let client = try RawClient(
            port,
            saying: "POST /agent/v1/\(call) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
                + "Authorization: Bearer \(token)\r\nContent-Length: \(message.count)\r\n"
                + "Connection: close\r\n\r\n")
        try await client.send(message)
        return try await client.answer()
    }

    private func send(_ call: AgentCall, _ message: [UInt8]) async throws -> RawAnswer {
        try await BenchMachine.send(call.rawValue, message, port, token)
    }

    /// The status of another attempt to attach its reader, with another token if one is given.
    func attachAgain(with other: String? = nil, isSimulated: Bool = true) async throws -> Int {
        let again = AgentGreeting(
            run: greeting.run, release: greeting.release, reader: greeting.reader,
            isSimulated: isSimulated)
        return try await BenchMachine.send("attach", again.message, port, other ?? token).status
    }

    /// The answer to the question whether a reader of this machine would be attached.
    func check(_ message: [UInt8]) async throws -> RawAnswer {
        try await BenchMachine.send("check", message, port, token)
    }

    /// Polls until its attachment has ended, and returns the server's answer.
    func end() async throws -> AgentResponse {
        while true {
            let answer = try await send(.poll, AgentPoll(attachment, last: .max).message)
            let polled = try #require(AgentResponse(answer.body), "\(answer.text)")
            if polled == .detached || polled == .replaced { return polled }
        }
    }

    /// Waits for the next command, and sends this reply. Returns the command's number and the
    /// server's answer.
    func reply(
        _ reply: ReaderReply, after last: UInt64
    ) async throws -> (number: UInt64, answer: AgentResponse?) {
        var polled = AgentResponse.nothing
        while polled == .nothing {
            let answer = try await send(.poll, AgentPoll(attachment, last: last).message)
            polled = try #require(AgentResponse(answer.body), "\(answer.text)")
        }
        guard case .command(let command, _) = polled else {
            throw Unexpected(text: "\(polled)")
        }
        let report = AgentReport(attachment, command.number, reply)
        let answer = try await send(.report, report.message)
        return (command.number, AgentResponse(answer.body))
    }
}
