import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// What a tag itself reveals about its protection, regardless of the ledger.
enum ProtectionEvidence: Hashable, Sendable {
    /// The tag requires the password derived from this key. If `isFullProtection` is true, it
    /// requires the password for every writable page.
    case requiresPassword(keyID: UInt8, isFullProtection: Bool)
    /// The tag requires no password, but has the one derived from this key; AUTH0 may be weak.
    case hasPassword(keyID: UInt8)
    /// The tag requires no password and has none of ours.
    case nothing
}

extension CardProtection {
    /// The ledger's state, corrected by the evidence from the tag. A state that agrees with the
    /// evidence is kept, because it also says which pages may be weak. If protection is being
    /// turned on or off, that goal is always kept.
    func corrected(by evidence: ProtectionEvidence) -> CardProtection {
        switch (self, evidence) {
        case (.on(let recorded), .requiresPassword(let keyID, isFullProtection: true))
        where recorded == keyID:
            self
        // AUTH0 is not 02h, so only some of the pages are protected.
        case (.on(let recorded), .requiresPassword(let keyID, isFullProtection: false))
        where recorded == keyID:
            .switchingOn(keyID: keyID)
        case (.off, .requiresPassword(let keyID, let isFullProtection)),
            (.on, .requiresPassword(let keyID, let isFullProtection)):
            isFullProtection ? .on(keyID: keyID) : .switchingOn(keyID: keyID)
        case (.settingPassword, .requiresPassword(let keyID, _)),
            (.switchingOn, .requiresPassword(let keyID, _)),
            (.switchingOn, .hasPassword(let keyID)), (.on, .hasPassword(let keyID)):
            .switchingOn(keyID: keyID)
        case (.clearingPassword, .requiresPassword(let keyID, _)),
            (.switchingOff, .requiresPassword(let keyID, _)),
            (.switchingOff, .hasPassword(let keyID)), (.off, .hasPassword(let keyID)):
            .switchingOff(keyID: keyID)
        case (.settingPassword, _), (.clearingPassword, _), (.off, .nothing): self
        // The tag does not have our password, so the change goes back to the step that sets or
        // clears the password.
        case (.switchingOn(let keyID), .nothing): .settingPassword(keyID: keyID)
        case (.switchingOff(let keyID), .nothing): .clearingPassword(keyID: keyID)
        case (.on, .nothing): .off
        }
    }

    /// The next step toward protecting a card. If its tag has no password yet, the key with the ID
    /// `sealing` is used.
    func protecting(with sealing: UInt8) -> CardProtection {
        switch self {
        case .off, .clearingPassword: .settingPassword(keyID: sealing)
        case .switchingOff(let keyID), .on(let keyID): .switchingOn(keyID: keyID)
        case .settingPassword, .switchingOn: self
        }
    }

    /// The next step toward removing a card's protection.
    var unprotecting: CardProtection {
        switch self {
        case .settingPassword(let keyID): .clearingPassword(keyID: keyID)
        case .switchingOn(let keyID), .on(let keyID): .switchingOff(keyID: keyID)
        case .off, .switchingOff, .clearingPassword: self
        }
    }
}

extension TapcardError {
    /// The refusal to set or remove the password of a chip that is always protected by its keys.
    static func protectedByItsKeys(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .refusal(.wrongState),
            "An NTAG 424 is always protected by its keys and has no password to turn on or off.",
            meaning: TapcardError.unchanged, next: [.trust(.useAsItIs)], uid: uid)
    }

    /// The error for a tag that lacks the password the ledger expects.
    static func cleared(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .protectedTag, "The tag does not have the write password that the ledger expects.",
            meaning: "The tag is a copy, or its password was removed elsewhere. The full balance "
                + "is safe in the ledger.", next: [.trust(.repairIfKnown(uid))], uid: uid)
    }

    /// The error for a tag that cannot even be read without a password.
    static func hidden(_ known: CardUID?) -> TapcardError {
        TapcardError(
            .protectedTag,
            known == nil
                ? "The tag cannot be read without a password, which is unknown."
                : "Someone hid the card's content behind a read password.",
            meaning: known == nil
                ? nothingWritten
                : "No password was tried, because the tag does not show whether it limits "
                    + "attempts. The full balance is safe in the ledger.",
            next: [known == nil ? .tag(.useAnother) : .trust(.replace(nil))], uid: known)
    }
}
