import BlockingLane
import RemoteReader
import TapcardDomain
import TextCodecs
import Verbs

/// What a server knows about the machine with a till's reader.
final class TillLine: Sendable {
    struct State: Sendable {
        /// What the machine said when it attached its reader; nil if no reader is attached.
        var greeting: AgentGreeting?
        /// When the machine last sent a message; nil if it has sent none.
        var lastSeen: Timestamp?
        /// How many commands the machine has answered.
        var answers = 0
    }

    private let now: @Sendable () -> Timestamp
    private let guarded = Guarded(State())
    /// The caller that is waiting for a reader to be attached.
    private let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    var state: State { guarded.withLock { $0 } }

    func note(_ event: AgentLineEvent) {
        let time = now()
        guarded.withLock { state in
            switch event {
            case .attached(let greeting): (state.greeting, state.lastSeen) = (greeting, time)
            case .heard: state.lastSeen = time
            case .answered: state.answers += 1
            case .detached: state.greeting = nil
            }
        }
        if case .attached = event { endWait() }
    }

    /// Returns when a reader is attached, when the task is canceled, or when another caller starts
    /// waiting here.
    func waitForAttachment() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                endWait()
                waiting.withLock { $0 = continuation }
                if state.greeting != nil || Task.isCancelled { endWait() }
            }
        } onCancel: {
            endWait()
        }
    }

    private func endWait() {
        let ended = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        // The continuation is resumed after the lock is released. A cancellation handler may need
        // the same lock at that moment, and this would otherwise deadlock.
        ended?.resume()
    }

    /// The state that pages show.
    var document: JSONValue {
        let state = state
        return [
            "attached": .bool(state.greeting != nil),
            "lastSeen": state.lastSeen.map { .string(LocalTime.iso($0)) } ?? .null,
        ]
    }
}
