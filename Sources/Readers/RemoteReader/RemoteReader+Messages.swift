extension RemoteReader {
    /// Answers a poll or a report; nil if the message is not valid.
    package func answer(to call: AgentCall, _ message: [UInt8]) async -> AgentAnswer? {
        switch call {
        case .attach: return nil
        case .poll:
            guard let poll = AgentPoll(message) else { return nil }
            return await answer(to: poll)
        case .report: return AgentReport(message).map { take($0) }
        }
    }
}
