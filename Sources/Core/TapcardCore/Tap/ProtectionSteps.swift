import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Sets the card's password on its tag, or removes it, step by step.
struct ProtectionSteps: StationWork {
    let station: Station

    /// Refuses a change of protection that the tag would refuse, before the ledger begins it. If
    /// the tag has one of our passwords but its protection differs from the ledger's state,
    /// corrects the ledger first.
    func requireSwitchable(
        _ reading: CardReading, _ card: LedgerCard, after voided: Operation?,
        noting request: inout PendingRequest
    ) async throws(Interruption) {
        // A reader that does not forward this command would not forward a password, either.
        let answer = try await translating(
            awaiting: await reader.exchange(Type2Command.getVersion.frame),
            into: Interruption.reader)
        guard let chip = Type2Chip(version: answer), chip.model == card.chip else {
            throw .refused(
                .unsupportedTag,
                "This tag does not match the ledger, which has the chip model \(card.chip).",
                meaning: TapcardError.unchanged, next: [.trust(.replace(nil))], uid: reading.uid)
        }
        let settings = try await station.passwords.configuration(of: chip, known: card.uid)
        try await station.fitness.requireUnlocked(reading, chip)
        if settings.isLocked {
            throw .refused(
                voided.map { TapcardError.lockedSettings(card, after: $0) }
                    ?? .lockedSettings(reading.uid))
        }
        try station.fitness.requireShown(reading, settings)
        let evidence = try await station.passwords.evidence(
            on: reading.identity, chip, settings, noted: card.protection)
        let found = card.protection.corrected(by: evidence)
        guard found != card.protection else { return }
        // A tag without one of our passwords may be a copy: only a repair accepts it as the card.
        guard evidence != .nothing else { throw .refused(TapcardError.cleared(reading.uid)) }
        request.protectionDiffered = card.protection != .off
        try await station.passwords.recordProtection(
            found, insteadOf: card.protection, of: reading.uid)
        throw .overtaken
    }

    /// Takes one step toward the protection that the ledger specifies. Each step is recorded
    /// durably before the next one is taken; the last is recorded when the operation is confirmed.
    func take(
        of change: RecordWriting
    ) async throws(Interruption) -> (RecordWriting, isLast: Bool) {
        var change = change
        let open = change.open
        do throws(Interruption) {
            try await takeStep(
                open.card.protection, of: open.card, on: change.reading, change.probe)
        } catch .card(let cause) where cause.kind == .lockedSettings {
            change.open = try await endSwitching(of: open)
            return (change, isLast: true)
        }
        // The last step is recorded together with the confirmation.
        if open.card.protection.next.isStable { return (change, isLast: true) }
        let advanced = try await asking(await ledger.advanceProtection(of: open, at: now))
        guard let advanced else { throw .overtaken }
        change.open = advanced
        return (change, isLast: false)
    }

    /// Ends the change of protection on a tag whose settings have been locked in the meantime. The
    /// tag's protection is now final, and from now on the card is used with it. If the tag may
    /// require a password, that password has been verified and is not changed, because the
    /// interrupted WRITE may have left AUTH0 weak.
    private func endSwitching(of open: OpenOperation) async throws(Interruption) -> OpenOperation {
        let card = open.card
        guard let keyID = card.protection.keyID else { throw .refused(.noPassword) }
        let chip = try card.chip.requirePages()
        let settings = try await station.passwords.configuration(of: chip)
        // A single reading is not enough to end an operation.
        guard settings.isLocked else {
            throw .card(
                CardStoreError(.differs, "its settings differ from those read earlier in this tap"))
        }
        let isProtected = chip.isProtected(by: settings)
        // A change of protection that can no longer reach its goal is voided; making a card
        // continues.
        let isVoided =
            switch open.operation.kind {
            case .protect: !isProtected || !settings.isFullProtection
            case .unprotect: isProtected
            default: false
            }
        dependencies.progress(
            .hint(
                "someone locked the tag's settings, so the tag stays "
                    + (isProtected ? "protected" : "unprotected")))
        let ended = try await asking(
            await ledger.endSwitching(
                of: open, as: isProtected ? .on(keyID: keyID) : .off, voiding: isVoided, at: now))
        guard let ended else { throw .overtaken }
        return ended
    }

    private func takeStep(
        _ protection: CardProtection, of card: LedgerCard, on reading: CardReading,
        _ probe: PageWrite?
    ) async throws(Interruption) {
        guard let keyID = protection.keyID, let probe else { return }
        dependencies.progress(.switchingProtection(protection))
        let password = try station.passwords.password(keyID, of: card.uid)
        let chip = try card.chip.requirePages()
        switch protection {
        case .off, .on: return
        case .settingPassword: try await set(password, chip)
        case .clearingPassword: try await set(nil, chip)
        case .switchingOn:
            try await changeProtection(.on(probe: probe), reading.identity, chip, password)
        case .switchingOff: try await changeProtection(.off, reading.identity, chip, password)
        }
    }

    /// Removes a password that is not derived from a key.
    func remove(
        _ password: TagPassword, from identity: TagIdentity, _ chip: Type2Chip
    ) async throws(Interruption) {
        try await changeProtection(.off, identity, chip, password)
        try await set(nil, chip)
    }

    private func set(_ password: TagPassword?, _ chip: Type2Chip) async throws(Interruption) {
        guard let setting = SetPassword(password, chip: chip) else { throw .refused(.noPassword) }
        try await reader.performInTap(setting)
    }

    private func changeProtection(
        _ target: SwitchProtection.Target, _ identity: TagIdentity, _ chip: Type2Chip,
        _ password: TagPassword
    ) async throws(Interruption) {
        guard
            let switching = SwitchProtection(target, identity, chip: chip, password: password)
        else { throw .refused(.noPassword) }
        try await reader.performInTap(switching)
    }

    /// Removes the password from a tag that this ledger no longer needs, with the same steps as for
    /// a card. If the ledger has a row for the tag, each step is recorded before it is taken.
    /// Otherwise, the tag itself shows how far an earlier attempt got: while the tag has its
    /// complete password, PWD is not weak, although AUTH0 may be. Returns false if there was
    /// nothing to do.
    func release(_ reading: CardReading) async throws(Interruption) -> Bool {
        let chip = try reading.chip.requirePages()
        var recorded = reading.known?.card.protection
        var state = try await firstStep(on: reading, chip, recorded)
        let matchesLedger = state == recorded ?? .off
        if state.isStable, matchesLedger { return false }
        let (uid, identity) = (reading.uid, reading.identity)
        do throws(Interruption) {
            while true {
                if let before = recorded {
                    try await station.passwords.recordProtection(state, insteadOf: before, of: uid)
                    recorded = state
                }
                if !state.isStable { dependencies.progress(.switchingProtection(state)) }
                switch state {
                case .switchingOff(let keyID):
                    // An earlier attempt may have corrupted PACK, which authenticates the tag but
                    // is not needed to unlock it.
                    try await changeProtection(
                        .off, identity, chip,
                        try station.passwords.password(keyID, of: uid).withoutExpectedPACK)
                case .clearingPassword: try await set(nil, chip)
                case .off, .settingPassword, .switchingOn, .on: return true
                }
                state = state.next
            }
        } catch {
            // The settings that were written may take effect only after the tag loses power, so the
            // tag is released.
            await reader.release()
            throw error
        }
    }

    /// The first remaining step toward removing the password from the tag.
    private func firstStep(
        on reading: CardReading, _ chip: Type2Chip, _ recorded: CardProtection?
    ) async throws(Interruption) -> CardProtection {
        let settings = try await station.passwords.configuration(of: chip)
        if settings.isLocked, chip.isProtected(by: settings) {
            throw .refused(.lockedSettings(reading.uid))
        }
        let evidence = try await station.passwords.evidence(
            on: reading.identity, chip, settings, noted: recorded, withoutExpectedPACK: true)
        return (recorded ?? .off).corrected(by: evidence).unprotecting
    }
}

extension CardReading {
    /// Whether the ledger no longer needs the tag: the tag is unknown, or its card was closed or
    /// replaced and the tag was then formatted.
    var isAbandoned: Bool {
        guard let card = known?.card else { return true }
        return (card.status == .closed || card.status == .replaced) && slots.isBlank
    }
}

extension TapcardError {
    /// The error for a tag whose settings were found locked while an operation was open.
    fileprivate static func lockedSettings(
        _ card: LedgerCard, after voided: Operation
    ) -> TapcardError {
        TapcardError(
            .lockedTag,
            "Someone locked the tag's settings, so its protection can never be changed. The open "
                + "\(voided.kind.noun) (\(voided.id)) was voided.",
            meaning: (card.protection == .off
                ? "The tag stays permanently unprotected, and anyone can write to it"
                : "The card keeps its password")
                + "; the card can still be used, and the full balance is safe in the "
                + "ledger.", next: [.trust(.useAsItIs)],
            uid: card.uid)
    }
}
