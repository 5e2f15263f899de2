/// How often somebody may try to log in. Whoever knows the password takes their try back.
package struct LoginLimits: Sendable {
    package static let ofAName = 5
    package static let inAll = 20
    private static let span: Int64 = 60_000

    private var tries: [(at: Int64, name: String)] = []

    package init() {}

    /// Nil for a try that is let through; otherwise after how many seconds there is another one.
    package mutating func admit(_ name: String, at now: Int64) -> Int? {
        // A clock that was set back must lock nobody out.
        tries.removeAll { !($0.at...($0.at + LoginLimits.span - 1)).contains(now) }
        let own = tries.filter { $0.name == name }
        let waits = [(own, LoginLimits.ofAName), (tries, LoginLimits.inAll)]
            .compactMap { tries, most in
                tries.count < most ? nil : tries[tries.count - most].at + LoginLimits.span - now
            }
        if let wait = waits.max() { return Int((wait + 999) / 1_000) }
        tries.append((now, name))
        return nil
    }

    package mutating func forgive(_ name: String) {
        if let last = tries.lastIndex(where: { $0.name == name }) { tries.remove(at: last) }
    }
}
