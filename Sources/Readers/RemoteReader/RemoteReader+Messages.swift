import ReaderProcess

/// An event on the line between a server and the agent that drives a till's reader.
package enum AgentLineEvent: Hashable, Sendable {
    case attached(AgentGreeting)
    /// The attached agent sent a message.
    case heard
    /// The attached agent answered a command.
    case answered
    case detached
}

/// The time limits on the connection between server and agent.
enum LineLimit: Hashable {
    /// The agent must reply to a command within this time, unless the command waits for a tag or
    /// for its removal.
    case reply
    /// The server answers an open poll after this time, even if there is no command.
    case poll
    /// The server detaches the reader if the agent has not polled for this long.
    case silence

    var duration: Duration {
        switch self {
        case .reply: .seconds(5)
        case .poll: .seconds(8)
        case .silence: .seconds(10)
        }
    }
}

/// The clock for these time limits. Callers pass it in so that tests can use one of their own.
package struct LineClock: Sendable {
    /// The time since some moment in the past.
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        (self.now, self.sleep) = (now, sleep)
    }
}

extension RemoteReader {
    /// Handles a message of an attached agent, and returns the answer; nil if it is invalid.
    package func answer(to call: AgentCall, _ message: [UInt8]) async -> AgentResponse? {
        switch call {
        case .attach: return nil
        case .poll:
            guard let poll = AgentPoll(message) else { return nil }
            return await answer(to: poll)
        case .report: return AgentReport(message).map { accept($0) }
        case .exchange:
            guard let report = AgentReport(message) else { return nil }
            let accepted = accept(report)
            guard accepted == .nothing else { return accepted }
            return await answer(to: AgentPoll(report.attachment, last: report.number))
        }
    }
}

extension ReaderRequest {
    /// Whether this request waits for a tag or for its removal.
    var isWait: Bool {
        switch self {
        case .select(let milliseconds): milliseconds > 0
        case .removal: true
        case .batch, .release, .cancel: false
        }
    }
}

extension ReaderReply {
    /// Whether this can be a reply to the request.
    func fits(_ request: ReaderRequest) -> Bool {
        switch (self, request) {
        case (.failed, _), (.tag, .select), (.report, .batch), (.released, .release),
            (.released, .removal):
            true
        default: false
        }
    }
}
