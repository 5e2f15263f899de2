import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Uses cards' passwords to verify tags and to open them for writing.
struct TagPasswords: StationWork {
    let station: Station

    /// Reads the settings of a tag.
    func configuration(
        of chip: Type2Chip, known: CardUID? = nil
    ) async throws(Interruption) -> AccessConfiguration {
        guard let reading = ReadConfiguration(chip) else { throw .refused(.noPassword) }
        return try await reader.performInTap(reading, on: known)
    }

    /// What these settings reveal about the tag's protection. Refuses a tag that requires someone
    /// else's password. No password is tried on a tag that limits failed attempts, because they
    /// could lock it forever. If `withoutExpectedPACK` is true and the tag requires a password, any
    /// response to the password counts: an earlier attempt may have corrupted PACK, which
    /// authenticates the tag but is not needed to unlock it.
    func evidence(
        on identity: TagIdentity, _ chip: Type2Chip, _ settings: AccessConfiguration,
        noted: CardProtection?, withoutExpectedPACK: Bool = false
    ) async throws(Interruption) -> ProtectionEvidence {
        let requiresPassword = chip.isProtected(by: settings)
        // If the settings are locked without protection, the tag can never require a password.
        if !requiresPassword, settings.isLocked { return .nothing }
        if settings.passwordLimit != 0 {
            if noted?.possiblyRequiredKeyID != nil { throw .card(.limitsPasswords) }
            guard !requiresPassword else { throw .refused(.unknownPassword(identity, noted)) }
            return .nothing
        }
        let found: UInt8?
        do throws(Interruption) {
            found = try await key(
                unlocking: identity, noted: noted,
                withoutExpectedPACK: withoutExpectedPACK && requiresPassword)
        } catch {
            // If the tag requires no password, it does not matter that the reader cannot send one.
            guard !requiresPassword, case .card(let cause) = error,
                cause.kind == .reader(.unsupported)
            else { throw error }
            found = nil
        }
        if let found {
            return requiresPassword
                ? .requiresPassword(
                    keyID: found, isFullProtection: settings.isFullProtection || settings.isLocked)
                : .hasPassword(keyID: found)
        }
        guard !requiresPassword else { throw .refused(.unknownPassword(identity, noted)) }
        if let keyID = noted?.possiblyRequiredKeyID, let uid = CardUID(bytes: identity.uid) {
            // If this station lacks the key for the recorded password, the tag cannot be checked.
            _ = try password(keyID, of: uid)
        }
        return .nothing
    }

    /// The ID of the key from which the tag's password was derived. The recorded key is tried
    /// first. Nil if the tag has none of our passwords. If `withoutExpectedPACK` is true, any
    /// response except a refusal counts.
    private func key(
        unlocking identity: TagIdentity, noted: CardProtection?, withoutExpectedPACK: Bool
    ) async throws(Interruption) -> UInt8? {
        let first = noted?.keyID
        let known = keys.entries.map(\.masters)
        let masters =
            known.filter { $0.keyID == first } + known.reversed().filter { $0.keyID != first }
        let passwords = masters.map { masters in
            let password = TagPassword(masters, uid: identity.uid)
            return withoutExpectedPACK ? password.withoutExpectedPACK : password
        }
        return try await reader.performInTap(FindPassword(identity, among: passwords)).map {
            index in
            masters[index].keyID
        }
    }

    /// Finds out why a write was refused. If lock bits are the cause, the error says so. If the tag
    /// has one of our passwords, which a copy lacks, but its protection differs from what the
    /// ledger says, the ledger is corrected and the card is read again.
    func diagnosed(_ error: Interruption, _ reading: CardReading) async -> Interruption {
        guard case .card(let cause) = error, let chip = Type2Chip(reading.chip),
            cause.kind == .wrongPassword
                || cause.kind == .interrupted(.refused(NAK.invalidArgument))
        else { return error }
        let (identity, uid) = (reading.identity, reading.uid)
        // After a refusal, the tag does not respond until it is selected again.
        guard let again = try? await reader.select(within: Station.returnLimit),
            again.uid == identity.uid
        else { return error }
        do throws(Interruption) {
            let known = try await asking(await ledger.knownCard(of: uid))
            guard let card = known?.card else { return error }
            if cause.kind != .wrongPassword {
                try await station.fitness.requireUnlocked(reading, chip)
            }
            let settings = try await configuration(of: chip)
            let evidence = try await evidence(
                on: identity, chip, settings, noted: card.protection)
            // A tag with none of our passwords may be a copy, so the ledger is not corrected.
            guard evidence != .nothing else {
                return cause.kind == .wrongPassword ? .refused(TapcardError.cleared(uid)) : error
            }
            let found = card.protection.corrected(by: evidence)
            guard found != card.protection else { return error }
            try await recordProtection(found, insteadOf: card.protection, of: uid)
            return .overtaken
        } catch {
            if case .refused = error { return error }
            return .card(cause)
        }
    }

    /// Corrects the tag's protection in the ledger. If the ledger's state has changed in the
    /// meantime, the tag is checked again.
    func recordProtection(
        _ found: CardProtection, insteadOf noted: CardProtection, of uid: CardUID
    ) async throws(Interruption) {
        guard found != noted else { return }
        let isRecorded = try await asking(
            await ledger.recordProtection(of: uid, found, insteadOf: noted))
        guard isRecorded else { throw .overtaken }
    }

    /// The password that opens a tag for writing; nil if the tag can be written to without one.
    func writePassword(
        _ protection: CardProtection, of uid: CardUID
    ) throws(Interruption) -> TagPassword? {
        try protection.possiblyRequiredKeyID.map { keyID throws(Interruption) in
            try password(keyID, of: uid)
        }
    }

    /// The password for writing to a card's tag; nil if none is needed. The tag is identified only
    /// by its UID and by data that can be copied, so it may be another tag. If that tag limits
    /// failed attempts, our password could lock it forever. So the limit is checked first, unless
    /// the tag has just accepted the password.
    func writePassword(
        _ card: LedgerCard, isAuthenticated: Bool
    ) async throws(Interruption) -> TagPassword? {
        guard let password = try writePassword(card.protection, of: card.uid) else { return nil }
        if !isAuthenticated { _ = try await settingsWithoutLimit(card) }
        return password
    }

    /// The settings of a tag; throws if it limits failed attempts.
    private func settingsWithoutLimit(
        _ card: LedgerCard
    ) async throws(Interruption) -> AccessConfiguration {
        let settings = try await configuration(of: try card.chip.requirePages(), known: card.uid)
        guard settings.passwordLimit == 0 else { throw .card(.limitsPasswords) }
        return settings
    }

    /// Refuses a tag that does not accept its card's password, before the operation begins: a copy
    /// does not have the password, and not every reader can send it. Someone who intercepted the
    /// password may have weakened the protection, so settings that are weaker than those in the
    /// ledger are restored first.
    func requirePasswordAccepted(_ reading: CardReading) async throws(Interruption) {
        guard let card = reading.known?.card,
            let password = try writePassword(card.protection, of: card.uid)
        else { return }
        let settings = try await settingsWithoutLimit(card)
        try station.fitness.requireShown(reading, settings)
        let found = try await reader.performInTap(FindPassword(reading.identity, among: [password]))
        guard found != nil else { throw .card(.wrongPassword) }
        guard case .on(let keyID) = card.protection, !settings.isFullProtection else { return }
        dependencies.progress(.hint("someone altered the tag's protection settings"))
        // Locked settings cannot be changed.
        guard !settings.isLocked else { return }
        try await recordProtection(
            .switchingOn(keyID: keyID), insteadOf: card.protection, of: card.uid)
        throw .overtaken
    }

    /// Derives a card's password from one of this station's keys.
    func password(_ keyID: UInt8, of uid: CardUID) throws(Interruption) -> TagPassword {
        guard let masters = keys.entry(keyID)?.masters else {
            throw .refused(
                .keyMissing,
                "The tag's write password comes from key \(keyID), which this machine does not "
                    + "have.",
                meaning: "Nothing was written to the tag, and the full balance is safe in the "
                    + "ledger.",
                next: [.file(.importKeys)], uid: uid)
        }
        return TagPassword(masters, uid: uid.bytes)
    }

    /// If the password that is being set is derived from a retired key, switches to the sealing
    /// key. That is still possible, because the tag does not require a password yet.
    func switchToSealingKey(for reading: CardReading) async throws(Interruption) {
        guard let card = reading.known?.card, case .settingPassword(let keyID) = card.protection,
            keys.entry(keyID)?.status == .retired
        else { return }
        try await recordProtection(
            .settingPassword(keyID: keys.sealing.id), insteadOf: card.protection, of: card.uid)
        throw .overtaken
    }
}

extension Chip {
    /// This chip as a `Type2Chip`; throws if it has no pages.
    func requirePages() throws(Interruption) -> Type2Chip {
        guard let found = Type2Chip(self) else { throw .refused(.noPassword) }
        return found
    }
}

extension TapcardError {
    /// The error for a tag with a password that is not ours.
    fileprivate static func unknownPassword(
        _ identity: TagIdentity, _ noted: CardProtection?
    ) -> TapcardError {
        TapcardError(
            .protectedTag, "The tag is write-protected with an unknown password.",
            meaning: nothingWritten,
            next: noted == nil
                ? [.tag(.useAnother), .tag(.givePassword)] : [.file(.importKeysOrReplace)],
            uid: CardUID(bytes: identity.uid))
    }

    /// The refusal for a chip that cannot be protected.
    static var noPassword: TapcardError {
        TapcardError(
            .unsupportedTag,
            "The tag's protection cannot be changed: its chip does not support a "
                + "password.", meaning: nothingWritten,
            next: [.tag(.useKnownChip)])
    }

    /// The error for a tag whose protection settings are permanently locked.
    static func lockedSettings(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .lockedTag, "The tag's protection cannot be changed: its settings are locked.",
            meaning: TapcardError.unchanged, next: [.tag(.useAnother)], uid: uid)
    }
}
