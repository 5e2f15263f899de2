/// The interface to the lottery. Every call contacts the service. If that fails, the result may be
/// an earlier value, whose `staleness` is then set.
package protocol LotteryService: Sendable {
    /// Returns the past draws. Pass true for `forgetting` if the lottery has restarted its draws. A
    /// valid response then replaces the saved list without being compared with it.
    func draws(forgetting: Bool) async throws(ServiceError) -> Fetched<DrawList>
    /// Returns the tickets that the lottery itself stores.
    func tickets() async throws(ServiceError) -> Fetched<[Ticket]>
}

/// A value from a service, and its age.
package struct Fetched<Value: Sendable>: Sendable {
    package let value: Value
    /// Seconds since the service last confirmed the value; 0 if it has just confirmed it.
    package let age: Int
    /// The reason there is no newer value; `nil` if the service has just confirmed this one.
    package let staleness: ServiceError?
    /// The reason the saved response could not be removed; `nil` if there was no such failure.
    package let cacheRemovalError: String?

    package init(
        _ value: Value, age: Int = 0, staleness: ServiceError? = nil,
        cacheRemovalError: String? = nil
    ) {
        (self.value, self.age) = (value, age)
        (self.staleness, self.cacheRemovalError) = (staleness, cacheRemovalError)
    }
}
