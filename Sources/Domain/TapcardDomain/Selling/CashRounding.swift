extension Currency {
    /// The smallest amount that can be paid in cash, in minor units; 1 where every amount can.
    ///
    /// The values are those of Unicode CLDR (`cashRounding` and `cashDigits`), except two: CLDR
    /// does not list the Australian 5 cents, and gives 1 forint, although the smallest Hungarian
    /// coin is 5 forints.
    public var cashStep: Int64 {
        switch code {
        case "CHF", "CAD", "AUD": 5
        case "DKK": 50
        case "CZK", "NOK", "SEK": 100
        case "HUF": 500
        default: 1
        }
    }

    /// What to add to an amount so that it can be paid in cash, in minor units. Half a step is
    /// rounded away from 0, so that a sale and its undoing are rounded alike.
    public func cashRounding(of amount: Int64) -> Int64 {
        let rest = abs(amount) % cashStep
        let rounding = rest * 2 >= cashStep ? cashStep - rest : -rest
        return rest == 0 ? 0 : amount < 0 ? -rounding : rounding
    }
}
