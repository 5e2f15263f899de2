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

extension RemoteReader {
    /// Handles a poll or a report, and returns the answer; nil if the message is invalid.
    package func answer(to call: AgentCall, _ message: [UInt8]) async -> AgentResponse? {
        switch call {
        case .attach: return nil
        case .poll:
            guard let poll = AgentPoll(message) else { return nil }
            return await answer(to: poll)
        case .report: return AgentReport(message).map { accept($0) }
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
