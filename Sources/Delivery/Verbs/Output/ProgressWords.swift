import TapcardCore

extension Station.Progress {
    /// The prompt for the person at the reader; nil for steps that are over immediately.
    var words: String? {
        switch self {
        case .waitingForCard: "Tap the card"
        case .cardSeen: "Reading the card"
        case .resolving: "Finishing an interrupted operation"
        case .scratching: "Scratching"
        case .asking: "Activating"
        case .writing: "Writing; keep the card on the reader"
        case .switchingProtection: "Changing protection; keep the card on the reader"
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
        case .switchingProtection(.switchingOn): "requiring the password for writing to the tag"
        case .switchingProtection(.switchingOff):
            "no longer requiring the password for writing to the tag"
        case .switchingProtection(.clearingPassword): "removing the tag's password"
        case .switchingProtection(let protection): "the tag's protection is \(protection.word)"
        case .committed(let id): "operation \(id) has been committed"
        case .hint(let text): text
        }
    }
}
