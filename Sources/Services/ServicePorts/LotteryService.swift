package import Games

/// The port to the lottery. Both answers may come from a cache, and say so.
package protocol LotteryService: Sendable {
    /// The past draws. Where money depends on them they are revalidated: the service is asked
    /// whether the cached list is still valid, however fresh it is.
    func draws(revalidating: Bool) async throws(ServiceError) -> Fetched<DrawList>
    /// The draws of a lottery that was restarted: the cached list is dropped once the service has
    /// given a good answer.
    func drawsBegunAnew() async throws(ServiceError) -> Fetched<DrawList>
    /// The tickets that the lottery itself stores.
    func tickets() async throws(ServiceError) -> Fetched<[Ticket]>
}

/// The answer of a service, and its age.
package struct Fetched<Value: Sendable>: Sendable {
    package let value: Value
    /// Seconds since the service last confirmed the answer; 0 if it was just fetched.
    package let age: Int
    /// The reason why an outdated answer was not fetched again, if so.
    package let staleness: ServiceError?
    /// Notes for the user: for example, that a damaged cache was discarded.
    package let notes: [String]

    package init(
        _ value: Value, age: Int = 0, staleness: ServiceError? = nil, notes: [String] = []
    ) {
        (self.value, self.age) = (value, age)
        (self.staleness, self.notes) = (staleness, notes)
    }
}

extension Fetched: Equatable where Value: Equatable {}
