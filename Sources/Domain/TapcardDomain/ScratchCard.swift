/// The state of a card's scratch card. A scratch card is scratched first, and then activated.
public enum ScratchCard: Hashable, Sendable {
    /// The card has no scratch card.
    case none
    /// The code is still hidden.
    case unscratched
    /// The code is visible but not activated.
    case scratched(ScratchCode)
    /// The code is activated.
    case activated(ScratchCode)

    /// The visible code; `nil` if there is none.
    public var code: ScratchCode? {
        switch self {
        case .none, .unscratched: nil
        case .scratched(let code), .activated(let code): code
        }
    }

    /// The word for the state, as shown to users, written to the tag, and used in `--json`. `nil`
    /// if there is no scratch card.
    public var word: String? {
        switch self {
        case .none: nil
        case .unscratched: "unscratched"
        case .scratched: "scratched"
        case .activated: "activated"
        }
    }

    /// The state after scratching reveals this code.
    public func scratching(to code: ScratchCode) throws(Refusal) -> ScratchCard {
        switch self {
        case .unscratched: return .scratched(code)
        case .none: throw Refusal(.wrongState, "the card has no scratch field")
        case .scratched, .activated:
            throw Refusal(.wrongState, "the card has already been scratched")
        }
    }

    /// The state after the service has activated the code.
    public func activating() throws(Refusal) -> ScratchCard {
        switch self {
        case .scratched(let code): return .activated(code)
        case .none: throw Refusal(.wrongState, "the card has no scratch field")
        case .unscratched: throw Refusal(.wrongState, "this card is not scratched yet")
        case .activated: throw Refusal(.wrongState, "the card has already been activated")
        }
    }
}
