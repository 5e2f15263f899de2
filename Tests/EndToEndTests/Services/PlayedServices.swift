import LoopbackClient
import Testing

/// The three services in a process of their own: `tapcard sandbox`, on a port that was free.
final class PlayedServices {
    private let counter: Counter
    private let process: ChildProcess
    /// Where its control lies.
    private let port: UInt16
    /// The variables that lead a program to it.
    let variables: [String: String?]

    init(_ counter: Counter, _ options: [String] = []) throws {
        self.counter = counter
        process = try counter.start(["sandbox", "--json"] + options)
        try process.wait("the sandbox answers") { [process] in
            try process.output.hasSuffix("\n")
        }
        let said = try process.output
        func address(_ key: String) throws -> String {
            let found = said.firstMatch(
                of: try Regex<(Substring, Substring)>("\"\(key)\":\"([^\"]*)\""))
            return String(try #require(found).output.1)
        }
        variables = [
            "TAPCARD_ACTIVATION_URL": try address("activation"),
            "TAPCARD_LOTTERY_URL": try address("lottery"),
            "TAPCARD_MASTERMIND_URL": try address("mastermind"),
            "TAPCARD_MASTERMIND_PASSWORD": try address("password"),
        ]
        let number = try address("control").firstMatch(of: /:(\d+)\//)
        port = try #require(UInt16(try #require(number).output.1))
    }

    func stop() throws {
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    /// What goes wrong from now on; "none" ends it.
    func fail(_ what: String) throws {
        let answer = try LoopbackClient.exchange("PUT", "/sandbox/failure", body: what, at: port)
        #expect(answer.status == 200 || answer.status == 204, "\(what): \(answer.body)")
    }

    func draw() throws {
        let answer = try LoopbackClient.exchange("POST", "/sandbox/draw", at: port)
        #expect((200...204).contains(answer.status))
    }

    /// The codes that it was asked to activate, in their order.
    var codes: [String] {
        get throws {
            let said = try LoopbackClient.exchange("GET", "/sandbox", at: port).body
            let list = try #require(said.firstMatch(of: /"codes":\[([^\]]*)\]/)).output.1
            return list.split(separator: ",").map { $0.filter { $0 != "\"" } }
        }
    }

    /// A step against these services that has to come out well; what it printed.
    @discardableResult
    func step(
        _ line: String, with more: [String: String?] = [:],
        at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let ended = try run(line, with: more)
        #expect(ended.status == 0, "\(line): \(ended.errors)", sourceLocation: location)
        return String(ended.output.dropLast())
    }

    func run(_ line: String, with more: [String: String?] = [:]) throws -> Ended {
        try counter.run(counter.words(of: line), with: variables.merging(more) { $1 })
    }

    func start(_ line: String) throws -> ChildProcess {
        try counter.start(counter.words(of: line), with: variables)
    }
}
