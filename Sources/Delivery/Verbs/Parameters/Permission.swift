package import StationFiles

/// Who may make a call of the till page's API. Every call has one; `RoleCheck` enforces it.
package enum Permission: Hashable, Sendable {
    /// Everyone, even without a login.
    case everyone
    /// Cashiers with this role or a higher one.
    case role(CashierRole)
    /// Cashiers, and owners if a balance is paid out.
    case making
    /// Sellers for one card, and cashiers for all cards.
    case history
    /// Sellers for whether a shift is open, and cashiers for the report of a shift.
    case shift
    /// Sellers for their own recent payments, cashiers up to a limit, and owners for all.
    case refund
    /// Cashiers up to a limit, and owners for all.
    case payout
    /// Owners, and everyone else with the consent of a person with a higher role.
    case supervised

    /// The lowest role that may make the call at all; nil if no login is needed.
    package var lowest: CashierRole? {
        switch self {
        case .everyone: nil
        case .role(let role): role
        case .history, .shift, .refund, .supervised: .seller
        case .making, .payout: .cashier
        }
    }

    package static let sellers = Permission.role(.seller)
    package static let cashiers = Permission.role(.cashier)
    package static let owners = Permission.role(.owner)
}
