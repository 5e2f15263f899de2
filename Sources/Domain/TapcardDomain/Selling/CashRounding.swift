extension Currency {
    /// The smallest amount that can be paid in cash, in minor units, such as 5 for the Swiss franc.
    /// It is 1 if cash is not rounded in this currency.
    public var cashStep: Int64 {
        switch code {
        case "CHF", "CAD", "AUD": 5
        case "DKK": 50
        case "CZK", "NOK", "SEK": 100
        case "HUF": 500
        default: 1
        }
    }

    /// The amount to add to `amount` so that it can be paid in cash, in minor units. Exactly half a
    /// step is rounded away from zero.
    public func cashRounding(of amount: Int64) -> Int64 {
        let rest = abs(amount) % cashStep
        let rounding = rest * 2 >= cashStep ? cashStep - rest : -rest
        return amount < 0 ? -rounding : rounding
    }
}
