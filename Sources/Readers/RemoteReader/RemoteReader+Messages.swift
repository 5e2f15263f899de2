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
