package import Games

/// The port to the lottery. It is asked each time; an answer that was kept from before says so.
package protocol LotteryService: Sendable {
    /// The past draws. `forgetting` is for a lottery that was restarted: its good answer replaces
    /// the kept list, whatever that says.
    func draws(forgetting: Bool) async throws(ServiceError) -> Fetched<DrawList>
    /// The tickets that the lottery itself stores.
    func tickets() async throws(ServiceError) -> Fetched<[Ticket]>
}

/// The answer of a service, and its age.
package struct Fetched<Value: Sendable>: Sendable {
    package let value: Value
    /// Seconds since the service last confirmed the answer; 0 if it has just done so.
    package let age: Int
    /// The reason why it is not the newest answer, if so.
    package let staleness: ServiceError?

    package init(_ value: Value, age: Int = 0, staleness: ServiceError? = nil) {
        (self.value, self.age, self.staleness) = (value, age, staleness)
    }
}
