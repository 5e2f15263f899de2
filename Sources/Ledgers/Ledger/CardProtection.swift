/// Whether a card's tag accepts writes only with a password, and which key the password is derived
/// from.
///
/// A card keeps the password that it was protected with. There are two steps between off and on,
/// and each is recorded before the next begins. If the first is interrupted, the password may be
/// damaged, but the tag does not require it yet. If the second is interrupted, the page that turns
/// on protection may be damaged, but the password is known.
public enum CardProtection: Hashable, Sendable {
    /// The tag accepts every write.
    case off
    /// The tag does not require a password, and it is not known which password it has.
    case settingPassword(keyID: UInt8)
    /// The tag has its password; whether it requires the password is unknown.
    case switchingOn(keyID: UInt8)
    /// The tag accepts writes only with the password for this key.
    case on(keyID: UInt8)
    /// The tag has its password; whether it still requires the password is unknown.
    case switchingOff(keyID: UInt8)
    /// The tag no longer requires a password, and it is not known which password it has.
    case clearingPassword(keyID: UInt8)

    /// The state once this step has been completed and verified on the tag.
    public var next: CardProtection {
        switch self {
        case .off, .clearingPassword: .off
        case .settingPassword(let keyID): .switchingOn(keyID: keyID)
        case .switchingOn(let keyID), .on(let keyID): .on(keyID: keyID)
        case .switchingOff(let keyID): .clearingPassword(keyID: keyID)
        }
    }

    /// Whether protection is fully on or off, with no change in progress.
    public var isStable: Bool { self == next }

    /// The key for the password that the tag may require; nil if the tag is known to require none.
    public var possiblyRequiredKeyID: UInt8? {
        switch self {
        case .off, .settingPassword, .clearingPassword: nil
        case .switchingOn(let keyID), .on(let keyID), .switchingOff(let keyID): keyID
        }
    }

    /// The key for the tag's password, even if the password is still being set or removed; nil if
    /// there is none.
    public var keyID: UInt8? {
        switch self {
        case .off: nil
        case .settingPassword(let keyID), .switchingOn(let keyID), .on(let keyID),
            .switchingOff(let keyID), .clearingPassword(let keyID):
            keyID
        }
    }

    /// The word for the state in JSON and in the ledger's rows.
    public var word: String {
        switch self {
        // The ledger stores these words, so they must not change.
        case .off: "off"
        case .settingPassword: "setting-password"
        case .switchingOn: "switching-on"
        case .on: "on"
        case .switchingOff: "switching-off"
        case .clearingPassword: "clearing-password"
        }
    }

    /// Parses a state from its word and key; nil if the combination is invalid.
    public init?(word: String, keyID: UInt8?) {
        // Only "off" has no key.
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
