import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// A tag's own evidence of its protection, independent of the ledger.
enum ProtectionEvidence: Hashable, Sendable {
    /// The tag asks for the password of this key; `isWhole` if for every writable page.
    case asks(keyID: UInt8, isWhole: Bool)
    /// The tag asks for no password now, and has that of this key: AUTH0 may be weak.
    case has(keyID: UInt8)
    /// The tag asks for no password, and has none of ours.
    case nothing
}

extension CardProtection {
    /// The ledger's state corrected by the tag's evidence. A state that agrees is kept, with its
    /// facts about pages that may be weak; the wanted result is kept in every case.
    func corrected(by evidence: ProtectionEvidence) -> CardProtection {
        switch (self, evidence) {
        case (.on(let noted), .asks(let keyID, isWhole: true)) where noted == keyID: self
        case (.on(let noted), .asks(let keyID, isWhole: false)) where noted == keyID:
            .switchingOn(keyID: keyID)
        case (.off, .asks(let keyID, let isWhole)), (.on, .asks(let keyID, let isWhole)):
            isWhole ? .on(keyID: keyID) : .switchingOn(keyID: keyID)
        case (.settingPassword, .asks(let keyID, _)), (.switchingOn, .asks(let keyID, _)),
            (.switchingOn, .has(let keyID)), (.on, .has(let keyID)):
            .switchingOn(keyID: keyID)
        case (.clearingPassword, .asks(let keyID, _)), (.switchingOff, .asks(let keyID, _)),
            (.switchingOff, .has(let keyID)), (.off, .has(let keyID)):
            .switchingOff(keyID: keyID)
        case (.settingPassword, _), (.clearingPassword, _), (.off, .nothing): self
        case (.switchingOn(let keyID), .nothing): .settingPassword(keyID: keyID)
        case (.switchingOff(let keyID), .nothing): .clearingPassword(keyID: keyID)
        case (.on, .nothing): .off
        }
    }

    /// The next step of a card that is to be protected; with this key where its tag has no password
    /// yet.
    func protecting(with sealing: UInt8) -> CardProtection {
        switch self {
        case .off, .clearingPassword: .settingPassword(keyID: sealing)
        case .switchingOff(let keyID), .on(let keyID): .switchingOn(keyID: keyID)
        case .settingPassword, .switchingOn: self
        }
    }

    /// The next step of a card that is to be open.
    var unprotecting: CardProtection {
        switch self {
        case .settingPassword(let keyID): .clearingPassword(keyID: keyID)
        case .switchingOn(let keyID), .on(let keyID): .switchingOff(keyID: keyID)
        case .off, .switchingOff, .clearingPassword: self
        }
    }
}

extension Station {
    func configuration(
        of chip: Type2Chip, known: CardUID? = nil
    ) async throws(Interruption) -> AccessConfiguration {
        guard let reading = ReadConfiguration(chip) else { throw .refused(noPassword) }
        return try await reader.performing(reading, on: known)
    }

    /// The tag's evidence under these settings. Refused where the tag asks for a stranger's
    /// password. Passwords are not tried on a tag that counts wrong ones: seven of them close it
    /// for ever. `withoutProof` accepts any answer of a tag that asks: an earlier try may have
    /// spoilt PACK, which proves the tag, but does not open it.
    func evidence(
        on identity: TagIdentity, _ chip: Type2Chip, _ settings: AccessConfiguration,
        noted: CardProtection?, withoutProof: Bool = false
    ) async throws(Interruption) -> ProtectionEvidence {
        let asks = chip.isProtected(by: settings)
        // Settings that are locked without protection can never ask for a password.
        if !asks, settings.isLocked { return .nothing }
        if settings.passwordLimit != 0 {
            if noted?.openingKeyID != nil { throw .card(.limitsPasswords) }
            guard !asks else { throw .refused(othersPassword(identity, noted)) }
            return .nothing
        }
        let found: UInt8?
        do throws(Interruption) {
            found = try await key(
                opening: identity, noted: noted, withoutProof: withoutProof && asks)
        } catch {
            // A reader that cannot send a password has sent none to this tag.
            guard !asks, case .card(let cause) = error, cause.kind == .reader(.unsupported)
            else { throw error }
            found = nil
        }
        if let found {
            return asks
                ? .asks(keyID: found, isWhole: settings.isWhole || settings.isLocked)
                : .has(keyID: found)
        }
        guard !asks else { throw .refused(othersPassword(identity, noted)) }
        if let keyID = noted?.openingKeyID, let uid = CardUID(bytes: identity.uid) {
            // Without the key of its noted password, the tag cannot be judged.
            _ = try password(keyID, of: uid)
        }
        return .nothing
    }

    /// The key whose password the tag has; the noted one is tried first. Without the proof by PACK,
    /// any answer except a refusal is accepted.
    private func key(
        opening identity: TagIdentity, noted: CardProtection?, withoutProof: Bool
    ) async throws(Interruption) -> UInt8? {
        let first = noted?.keyID
        let known = keys.entries.compactMap(\.masters)
        let masters =
            known.filter { $0.keyID == first } + known.reversed().filter { $0.keyID != first }
        let passwords = masters.map { masters in
            let password = TagPassword(masters, uid: identity.uid)
            return withoutProof ? password.withoutProof : password
        }
        return try await reader.performing(FindPassword(identity, among: passwords)).map { index in
            masters[index].keyID
        }
    }

    /// Reconsiders the refusal of a write. Lock bits are reported as the cause. A password of ours,
    /// which a copy has not, corrects the ledger, and the card is looked at again.
    func reconsidered(_ error: Interruption, _ reading: CardReading) async -> Interruption {
        guard case .card(let cause) = error, let chip = Type2Chip(reading.chip),
            cause.kind == .wrongPassword
                || cause.kind == .interrupted(.refused(NAK.invalidArgument))
        else { return error }
        let (identity, uid) = (reading.identity, reading.uid)
        // After a refusal the tag is silent until it is selected again.
        guard let again = try? await reader.select(within: Station.returnLimit),
            again.uid == identity.uid
        else { return error }
        do throws(Interruption) {
            let known = try await asking(await ledger.knownCard(of: uid))
            guard let card = known?.card else { return error }
            if cause.kind != .wrongPassword { try await fitness.requireUnlocked(reading, chip) }
            let settings = try await configuration(of: chip)
            let evidence = try await evidence(
                on: identity, chip, settings, noted: card.protection)
            guard evidence != .nothing else {
                return cause.kind == .wrongPassword ? .refused(TapcardError.cleared(uid)) : error
            }
            let found = card.protection.corrected(by: evidence)
            guard found != card.protection else { return error }
            try await note(found, insteadOf: card.protection, of: uid)
            return .overtaken
        } catch {
            if case .refused = error { return error }
            return .card(cause)
        }
    }

    /// Corrects the ledger's protection of a tag; if that has changed since, the tag is judged
    /// again.
    func note(
        _ found: CardProtection, insteadOf noted: CardProtection, of uid: CardUID
    ) async throws(Interruption) {
        guard found != noted else { return }
        let isNoted = try await asking(
            await ledger.noteProtection(of: uid, found, insteadOf: noted))
        guard isNoted else { throw .overtaken }
    }

    private func othersPassword(
        _ identity: TagIdentity, _ noted: CardProtection?
    ) -> TapcardError {
        TapcardError(
            .protectedTag, "The tag is protected by somebody's password.",
            meaning: "Nothing was written to it.",
            next: [noted == nil ? .tag(.useAnother) : .file(.importKeysOrReplace)],
            uid: CardUID(bytes: identity.uid))
    }

    /// The chip of a tag with pages.
    func pageChip(_ chip: Chip) throws(Interruption) -> Type2Chip {
        guard let found = Type2Chip(chip) else { throw .refused(noPassword) }
        return found
    }

    var noPassword: TapcardError {
        TapcardError(
            .unsupportedTag, "This chip has no password.", meaning: "Nothing was written to it.",
            next: [.tag(.useKnownChip)])
    }
}

extension TapcardError {
    /// The refusal to protect a chip that is protected in any case.
    static func protectedByItsKeys(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .refusal(.wrongState),
            "This chip takes nothing without its keys, and has no password.",
            meaning: TapcardError.unchanged, next: [.trust(.useAsItIs)], uid: uid)
    }

    /// The error of a tag without the password that the ledger expects.
    static func cleared(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .protectedTag, "The tag does not have the card's password.",
            meaning: "It may be a copy of the card, or its password was taken off elsewhere. "
                + "The money is safe in the ledger.", next: [.trust(.repairIfKnown(uid))], uid: uid)
    }

    /// The error of a tag that does not show even its content without a password.
    static func hidden(_ known: CardUID?) -> TapcardError {
        TapcardError(
            .protectedTag,
            known == nil
                ? "The tag is protected from being read by somebody's password."
                : "Somebody has hidden what is on the tag behind a password.",
            meaning: known == nil
                ? "Nothing was written to it."
                : "None was tried on it, since it does not show whether it counts wrong ones. The "
                    + "money is safe in the ledger.",
            next: [known == nil ? .tag(.useAnother) : .trust(.replace(nil))], uid: known)
    }
}
