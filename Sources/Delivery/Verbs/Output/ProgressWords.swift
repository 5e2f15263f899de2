import TapcardCore

extension Station.Progress {
    /// What somebody at the reader has to know or do; nil for what passes at once.
    var words: String? {
        switch self {
        case .waitingForCard: "Hold a card to the reader"
        case .cardSeen: "Reading the card"
        case .resolving: "Resolving what was left open"
        case .scratching: "Scratching"
        case .asking: "Activating"
        case .writing: "Writing; hold the card still"
        case .switchingProtection: "Switching the tag's protection; hold the card still"
        case .committed, .hint: nil
        }
    }

    /// The step for `--verbose`.
    var detail: String {
        switch self {
        case .waitingForCard: "waiting for a card"
        case .cardSeen(let uid): "card \(uid) is on the reader"
        case .resolving(let id): "resolving operation \(id)"
        case .scratching: "scratching"
        case .asking: "asking the activation service"
        case .writing: "writing the record"
        case .switchingProtection(.settingPassword): "setting the tag's password"
        case .switchingProtection(.switchingOn): "making the tag ask for its password"
        case .switchingProtection(.switchingOff): "making the tag ask for no password"
        case .switchingProtection(.clearingPassword): "taking the password off the tag"
        case .switchingProtection(let protection): "the tag's protection is \(protection.word)"
        case .committed(let id): "operation \(id) is committed"
        case .hint(let text): text
        }
    }
}
