/// The port to the lottery. Every call contacts the service; `staleness` marks a saved answer.
package protocol LotteryService: Sendable {
    /// Returns the past draws. Use `forgetting` for a lottery that has restarted its draws: a valid
    /// answer will then replace the saved list without being compared with it.
    func draws(forgetting: Bool) async throws(ServiceError) -> Fetched<DrawList>
    /// The tickets that the lottery itself stores.
    func tickets() async throws(ServiceError) -> Fetched<[Ticket]>
}

/// A service's answer, and its age.
package struct Fetched<Value: Sendable>: Sendable {
    package let value: Value
    /// Seconds since the service last confirmed the answer; 0 if it has just confirmed it.
    package let age: Int
    /// The error that prevented a newer answer; `nil` if this is the newest.
    package let staleness: ServiceError?
    /// Why the saved answer could not be removed, if it was supposed to be.
    package let unforgotten: String?

    package init(
        _ value: Value, age: Int = 0, staleness: ServiceError? = nil, unforgotten: String? = nil
    ) {
        (self.value, self.age) = (value, age)
        (self.staleness, self.unforgotten) = (staleness, unforgotten)
    }
}
