import BlockingLane
import RemoteServices
import TapcardDomain

/// A transport with scripted replies and a clock that moves only for what takes time.
final class ScriptedTransport: HTTPTransport {
    enum Reply: Sendable {
        case answer(Int, [UInt8], [String])
        case failure(ServiceError)
        /// A reply that takes this long.
        indirect case after(Duration, Reply)

        static func ok(_ body: [UInt8], _ head: String...) -> Reply { .answer(200, body, head) }
        static func status(_ status: Int, _ head: String...) -> Reply { .answer(status, [], head) }
        static func failure(_ kind: ServiceError.Kind) -> Reply {
            .failure(ServiceError(kind, "as the script says"))
        }
    }

    struct State {
        var replies: [Reply]
        var requests: [HTTPRequest] = []
        var limits: [HTTPLimits] = []
        var pauses: [Duration] = []
        var uptime = Duration.zero
        var clock: Int64 = 1_700_000_000_000
    }

    private let state: Guarded<State>

    /// Gives the replies in turn, and the last one again and again.
    init(_ replies: Reply...) {
        state = Guarded(State(replies: replies))
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var limits: [HTTPLimits] { state.withLock { $0.limits } }
    var uptime: Duration { state.withLock { $0.uptime } }
    var pauses: [Duration] { state.withLock { $0.pauses } }

    func reply(_ replies: Reply...) { state.withLock { $0.replies = replies } }

    /// Moves the clock; a negative number sets only the time of day back.
    func pass(seconds: Int64) {
        state.withLock { state in
            state.clock += seconds * 1_000
            if seconds > 0 { state.uptime += .seconds(seconds) }
        }
    }

    func send(
        _ request: HTTPRequest, by limits: HTTPLimits
    ) async throws(ServiceError) -> HTTPAnswer {
        try state.withLock { state throws(ServiceError) in
            state.requests.append(request)
            state.limits.append(limits)
            var reply = state.replies[0]
            if state.replies.count > 1 { state.replies.removeFirst() }
            while case .after(let time, let later) = reply {
                guard time < limits.whole else {
                    state.uptime += limits.whole
                    throw ServiceError(.timedOut, "no whole answer came")
                }
                state.uptime += time
                reply = later
            }
            switch reply {
            case .answer(let status, let body, let lines):
                var head = HTTPHead()
                for line in lines { head.take(Array(line.utf8)) }
                return HTTPAnswer(status: status, head: head, body: body)
            case .failure(let error): throw error
            case .after: preconditionFailure("unwrapped above")
            }
        }
    }

    var dependencies: ServiceDependencies {
        ServiceDependencies(
            now: { Timestamp(milliseconds: self.state.withLock { $0.clock }) },
            uptime: { self.state.withLock { $0.uptime } },
            sleep: { pause in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.pauses.append(pause)
                    state.uptime += pause
                }
            },
            // The longest pause that there can be.
            random: { $0 - 1 })
    }
}
