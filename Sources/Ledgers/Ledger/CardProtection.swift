/// Whether a password keeps others from writing to a card's tag, and the id of the key from which
/// the password derives. A card keeps the password that it was protected with. Two steps lie
/// between off and on, each durable before the next is taken: one that may tear the password while
/// the tag is known to ask for none, and one that may tear the page that switches the check on
/// while the password is known.
public enum CardProtection: Hashable, Sendable {
    /// The tag takes every write.
    case off
    /// The tag asks for no password; the password on it is not known.
    case settingPassword(keyID: UInt8)
    /// The tag has its password; it is not known whether the tag asks for it.
    case switchingOn(keyID: UInt8)
    /// The tag takes a write only with the password of this key.
    case on(keyID: UInt8)
    /// The tag has its password; it is not known whether the tag still asks for it.
    case switchingOff(keyID: UInt8)
    /// The tag asks for no password any more; the password on it is not known.
    case clearingPassword(keyID: UInt8)

    /// The state once the tag was told to take this step, and has proved it.
    public var next: CardProtection {
        switch self {
        case .off, .clearingPassword: .off
        case .settingPassword(let keyID): .switchingOn(keyID: keyID)
        case .switchingOn(let keyID), .on(let keyID): .on(keyID: keyID)
        case .switchingOff(let keyID): .clearingPassword(keyID: keyID)
        }
    }

    /// Whether the tag is not between two steps of a change.
    public var isSteady: Bool { self == next }

    /// The key whose password the tag may ask for; nil where the tag is known to ask for none.
    public var openingKeyID: UInt8? {
        switch self {
        case .off, .settingPassword, .clearingPassword: nil
        case .switchingOn(let keyID), .on(let keyID), .switchingOff(let keyID): keyID
        }
    }

    /// The key whose password is on the tag or on its way there; nil without one.
    public var keyID: UInt8? {
        switch self {
        case .off: nil
        case .settingPassword(let keyID), .switchingOn(let keyID), .on(let keyID),
            .switchingOff(let keyID), .clearingPassword(let keyID):
            keyID
        }
    }

    /// The state's word for `--json` and the ledger's rows.
    public var word: String {
        switch self {
        case .off: "off"
        case .settingPassword: "setting-password"
        case .switchingOn: "switching-on"
        case .on: "on"
        case .switchingOff: "switching-off"
        case .clearingPassword: "clearing-password"
        }
    }

    /// Combines a word and a key; nil where they do not fit together.
    public init?(word: String, keyID: UInt8?) {
        switch (word, keyID) {
        case ("off", nil): self = .off
        case ("setting-password", let keyID?): self = .settingPassword(keyID: keyID)
        case ("switching-on", let keyID?): self = .switchingOn(keyID: keyID)
        case ("on", let keyID?): self = .on(keyID: keyID)
        case ("switching-off", let keyID?): self = .switchingOff(keyID: keyID)
        case ("clearing-password", let keyID?): self = .clearingPassword(keyID: keyID)
        default: return nil
        }
    }
}
