/// Limits on login attempts, counted by client address so that a stranger elsewhere cannot lock a
/// cashier out. A successful login takes its attempts back.
package struct LoginLimits: Sendable {
    /// The most attempts for one name from one address.
    package static let ofAName = 5
    /// The most attempts for all names from one address.
    package static let ofAnAddress = 20
    private static let span: Int64 = 60_000

    private var tries: [(at: Int64, name: String, address: String)] = []

    package init() {}

    /// Nil for an admitted attempt; otherwise the seconds until the next one.
    package mutating func admit(_ name: String, from address: String, at now: Int64) -> Int? {
        // A clock that was set back must not lock anyone out.
        tries.removeAll { !($0.at...($0.at + LoginLimits.span - 1)).contains(now) }
        let own = tries.filter { $0.address == address }
        let named = own.filter { $0.name == name }
        let waits = [(named, LoginLimits.ofAName), (own, LoginLimits.ofAnAddress)]
            .compactMap { tries, most in
                tries.count < most ? nil : tries[tries.count - most].at + LoginLimits.span - now
            }
        if let wait = waits.max() { return Int((wait + 999) / 1_000) }
        tries.append((now, name, address))
        return nil
    }

    package mutating func forgive(_ name: String, from address: String) {
        let last = tries.lastIndex { $0.name == name && $0.address == address }
        if let last { tries.remove(at: last) }
    }
}
