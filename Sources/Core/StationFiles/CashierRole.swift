/// What a cashier may do at the till page. A higher role may do everything that a lower one may.
package enum CashierRole: String, CaseIterable, Comparable, Sendable {
    /// Sells, and undoes their own recent sales.
    case seller
    /// Also tops up, makes cards, and refunds and pays out small amounts.
    case cashier
    /// May do everything.
    case owner

    package static func < (one: CashierRole, other: CashierRole) -> Bool {
        guard let first = allCases.firstIndex(of: one), let second = allCases.firstIndex(of: other)
        else { return false }
        return first < second
    }
}
