import BlockingLane
import OperatingSystem

/// The logins whose passwords are waiting to be checked. Origins take turns, so that an origin with
/// many logins does not keep the others waiting. If the queue is full, the origin with the most
/// logins gives up a place.
package struct LoginQueue: Sendable {
    /// A waiting login.
    package struct Ticket: Hashable, Sendable {
        package let number: Int
        package let name: String
        package let origin: String
        /// When it joined the queue, in milliseconds.
        package let since: Int64
    }

    /// The maximum number of waiting logins: enough for all of a server's tills at once.
    package static let maximumCount = 512
    /// The maximum number of waiting logins with one name from one origin.
    package static let maximumPerName = 5
    /// The maximum waiting time of a login, in milliseconds. The page gives up after 10 s, and
    /// checking a password after that would only delay other logins.
    package static let maximumWait: Int64 = 8_000

    private var lines: [String: [Ticket]] = [:]
    /// The origins with waiting logins, in the order of their turns.
    private var turns: [String] = []
    private var numbers = 0

    package init() {}

    package var count: Int { lines.values.reduce(0) { $0 + $1.count } }

    /// Adds a login at the end of its origin's line. Returns its ticket and the ticket that it
    /// displaced, if any. Returns nil if there is no room for the login.
    package mutating func join(
        _ name: String, from origin: String, at now: Int64
    ) -> (ticket: Ticket, displaced: Ticket?)? {
        let line = lines[origin] ?? []
        guard line.count(where: { $0.name == name }) < LoginQueue.maximumPerName else { return nil }
        var displaced: Ticket?
        if count >= LoginQueue.maximumCount {
            // After losing a login, the longest line must still be at least as long as this line
            // after gaining one; otherwise, the two lines would keep taking places from each other.
            guard let longest = lines.max(by: { $0.value.count < $1.value.count }),
                longest.value.count > line.count + 1
            else { return nil }
            displaced = lines[longest.key]?.popLast()
        }
        numbers += 1
        let ticket = Ticket(number: numbers, name: name, origin: origin, since: now)
        if line.isEmpty { turns.append(origin) }
        lines[origin, default: []].append(ticket)
        return (ticket, displaced)
    }

    /// Removes and returns the logins that have waited too long.
    package mutating func expire(at now: Int64) -> [Ticket] {
        func isOver(_ ticket: Ticket) -> Bool { ticket.since + LoginQueue.maximumWait <= now }
        let over = lines.values.joined().filter(isOver)
        for origin in Set(over.map(\.origin)) {
            lines[origin]?.removeAll(where: isOver)
            guard lines[origin] == [] else { continue }
            lines[origin] = nil
            turns.removeAll { $0 == origin }
        }
        return over
    }

    /// The next login; nil if none is waiting.
    package mutating func next() -> Ticket? {
        guard !turns.isEmpty else { return nil }
        let origin = turns.removeFirst()
        guard let ticket = lines[origin]?.removeFirst() else { return nil }
        // An origin with more logins goes to the end, so that all origins take turns.
        if lines[origin]?.isEmpty ?? true { lines[origin] = nil } else { turns.append(origin) }
        return ticket
    }
}

/// Lets only one login at a time check its password, because each check takes a lot of memory and
/// time.
final class LoginTurns: Sendable {
    private struct State {
        var queue = LoginQueue()
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var isTaken = false
    }

    private let state = Guarded(State())

    /// Waits for a turn, which lasts until `end` is called. Returns false if too many logins are
    /// waiting or the wait was too long.
    func begin(_ name: String, from origin: String) async -> Bool {
        await withCheckedContinuation { continuation in
            // Clients that gave up waiting will try again, so their old logins must not take up
            // places.
            dismissExpired()
            let refused = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                let joined = state.queue.join(
                    name, from: origin, at: SystemClock.millisecondsSinceBoot)
                guard let (ticket, displaced) = joined else { return continuation }
                state.waiting[ticket.number] = continuation
                return displaced.flatMap { state.waiting.removeValue(forKey: $0.number) }
            }
            refused?.resume(returning: false)
            callNext()
        }
    }

    func end() {
        state.withLock { $0.isTaken = false }
        dismissExpired()
        callNext()
    }

    private func dismissExpired() {
        let expired = state.withLock { state in
            state.queue.expire(at: SystemClock.millisecondsSinceBoot).compactMap {
                state.waiting.removeValue(forKey: $0.number)
            }
        }
        for continuation in expired { continuation.resume(returning: false) }
    }

    private func callNext() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.isTaken, let ticket = state.queue.next() else { return nil }
            state.isTaken = true
            return state.waiting.removeValue(forKey: ticket.number)
        }
        next?.resume(returning: true)
    }
}
