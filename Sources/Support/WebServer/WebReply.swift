/// The reply to a request, either now or later.
public enum WebReply: Sendable {
    /// A response that is sent immediately.
    case now(WebResponse)
    /// A response from its own task. The task runs to completion even if the client disconnects,
    /// and is canceled only if stopping the server takes too long.
    case later(@Sendable () async -> WebResponse)

    /// Returns a reply that applies `change` to this reply's response.
    public func changing(_ change: @escaping @Sendable (WebResponse) -> WebResponse) -> WebReply {
        switch self {
        case .now(let answer): .now(change(answer))
        case .later(let work): .later { change(await work()) }
        }
    }

    /// This reply, with a callback that receives the status as soon as it is known.
    public func reportingStatus(to report: @escaping @Sendable (_ status: Int) -> Void) -> WebReply
    {
        changing { answer in
            report(answer.status)
            return answer
        }
    }
}
