/// The port to the lottery. Every call contacts the service; `staleness` marks a saved answer.
package protocol LotteryService: Sendable {
    /// Returns the past draws. Use `forgetting` for a lottery that has restarted its draws: a valid
    /// answer then replaces the saved list without being compared with it.
    func draws(forgetting: Bool) async throws(ServiceError) -> Fetched<DrawList>
    /// Returns the tickets that the lottery itself stores.
    func tickets() async throws(ServiceError) -> Fetched<[Ticket]>
}

/// A service's answer, and its age.
package struct Fetched<Value: Sendable>: Sendable {
    package let value: Value
    /// Seconds since the service last confirmed the answer; 0 if it has just confirmed it.
    package let age: Int
    /// The error that made it impossible to get a newer answer; `nil` if the service has just
    /// confirmed this one.
    package let staleness: ServiceError?
    /// If the saved answer was to be removed: why that failed.
    package let cacheRemovalError: String?

    package init(
        _ value: Value, age: Int = 0, staleness: ServiceError? = nil,
        cacheRemovalError: String? = nil
    ) {
        (self.value, self.age) = (value, age)
        (self.staleness, self.cacheRemovalError) = (staleness, cacheRemovalError)
    }
}
