public import TapcardDomain

/// The port to the lottery. Both answers may come from a cache, and say so.
public protocol LotteryService: Sendable {
    /// The draws that have taken place. Where money rests on them they are revalidated: the
    /// service is asked whether what is kept still holds, however fresh that is.
    func draws(revalidating: Bool) async throws(ServiceError) -> Fetched<DrawList>
    /// The draws of a lottery that has begun anew: what was kept of them is forgotten, once the
    /// service has given a good answer.
    func drawsBegunAnew() async throws(ServiceError) -> Fetched<DrawList>
    /// The tickets that the lottery itself keeps.
    func tickets() async throws(ServiceError) -> Fetched<[Ticket]>
}

/// What a service said, and when.
public struct Fetched<Value: Sendable>: Sendable {
    public let value: Value
    /// Seconds since the service last said that it is so; 0 where it was asked just now.
    public let age: Int
    /// Why it was not asked, or gave no answer, where what it says is out of date.
    public let staleness: ServiceError?
    /// What a person should know: that a cache was damaged and thrown away.
    public let notes: [String]

    public init(
        _ value: Value, age: Int = 0, staleness: ServiceError? = nil, notes: [String] = []
    ) {
        (self.value, self.age) = (value, age)
        (self.staleness, self.notes) = (staleness, notes)
    }
}

extension Fetched: Equatable where Value: Equatable {}
