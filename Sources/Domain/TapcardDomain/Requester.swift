/// Who requests a change, and where.
public struct Requester: Hashable, Sendable {
    /// The cashier; nil if unknown.
    public var cashier: CashierName?
    /// The till; nil for a request that was not made at a till, such as one from the command line.
    public var till: TillName?
    /// The supervisor who gave consent; nil if the request needed none.
    public var supervisor: CashierName?

    /// Creates a requester.
    public init(
        _ cashier: CashierName? = nil, till: TillName? = nil, supervisor: CashierName? = nil
    ) {
        (self.cashier, self.till, self.supervisor) = (cashier, till, supervisor)
    }
}

/// The name of a till, which follows the same rules as other short texts.
public typealias TillName = SaleText
