/// What becomes of a request.
public enum WebReply: Sendable {
    /// There was nothing to wait for: it goes out at once.
    case now(WebResponse)
    /// Answered by a task of its own, which goes on to its end when the client leaves, and is
    /// cancelled only when a stop takes too long.
    case later(@Sendable () async -> WebResponse)

    /// The same, but that somebody is told what it was as soon as it is there.
    public func told(_ tell: @escaping @Sendable (_ status: Int) -> Void) -> WebReply {
        switch self {
        case .now(let answer):
            tell(answer.status)
            return self
        case .later(let work):
            return .later {
                let answer = await work()
                tell(answer.status)
                return answer
            }
        }
    }
}
