import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Sets the card's password on its tag, or removes it, step by step.
struct ProtectionSteps: StationWork {
    let station: Station

    /// Refuses a switch that the tag would refuse, before the ledger begins it. If the tag has a
    /// different one of our passwords from what the ledger says, corrects the ledger first.
    func requireSwitchable(
        _ reading: CardReading, _ card: LedgerCard, after voided: Operation?,
        noting request: inout PendingRequest
    ) async throws(Interruption) {
        // A reader that does not pass on this command would not pass on a password, either.
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
        request.isSetBack = card.protection != .off
        try await station.passwords.note(found, insteadOf: card.protection, of: reading.uid)
        throw .overtaken
    }

    /// Takes one step toward the protection that the ledger wants. Each step is durable in the
    /// ledger before the next one; the last is noted when the operation is confirmed.
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
        // The last step is noted together with the confirmation.
        if open.card.protection.next.isSteady { return (change, isLast: true) }
        let noted = try await asking(await ledger.advanceProtection(of: open, at: now))
        guard let noted else { throw .overtaken }
        change.open = noted
        return (change, isLast: false)
    }

    /// Ends the switch on a tag whose settings have been locked in the meantime: its protection is
    /// final, and the card is used with it from now on. A password that it may ask for was verified
    /// and is left alone: the interrupted WRITE may have left AUTH0 weak.
    private func endSwitching(of open: OpenOperation) async throws(Interruption) -> OpenOperation {
        let card = open.card
        guard let keyID = card.protection.keyID else { throw .refused(.noPassword) }
        let chip = try card.chip.requirePages()
        let settings = try await station.passwords.configuration(of: chip)
        // A single look is not enough to end an operation.
        guard settings.isLocked else {
            throw .card(
                CardStoreError(.differs, "its settings differ from those read earlier in this tap"))
        }
        let isProtected = chip.isProtected(by: settings)
        // A switch that was meant to reach the other state is voided; making a card continues.
        let isVoided =
            switch open.operation.kind {
            case .protect: !isProtected || !settings.isWhole
            case .unprotect: isProtected
            default: false
            }
        surroundings.progress(
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
        surroundings.progress(.switchingProtection(protection))
        let password = try station.passwords.password(keyID, of: card.uid)
        let chip = try card.chip.requirePages()
        switch protection {
        case .off, .on: return
        case .settingPassword: try await set(password, chip)
        case .clearingPassword: try await set(nil, chip)
        case .switchingOn: try await switchOver(.on(probe: probe), reading.identity, chip, password)
        case .switchingOff: try await switchOver(.off, reading.identity, chip, password)
        }
    }

    private func set(_ password: TagPassword?, _ chip: Type2Chip) async throws(Interruption) {
        guard let setting = SetPassword(password, chip: chip) else { throw .refused(.noPassword) }
        try await reader.performing(setting)
    }

    private func switchOver(
        _ target: SwitchProtection.Target, _ identity: TagIdentity, _ chip: Type2Chip,
        _ password: TagPassword
    ) async throws(Interruption) {
        guard
            let switching = SwitchProtection(target, identity, chip: chip, password: password)
        else { throw .refused(.noPassword) }
        try await reader.performing(switching)
    }

    /// Removes the password from a tag that this ledger no longer needs, in the same steps as for a
    /// card, each made durable first if the ledger has a row for it. False if there was nothing to
    /// do. Without such a row, the tag itself shows how far an earlier attempt got: while it has
    /// its whole password, PWD is not weak, though AUTH0 may be.
    func release(_ reading: CardReading) async throws(Interruption) -> Bool {
        let chip = try reading.chip.requirePages()
        var noted = reading.known?.card.protection
        var state = try await leftover(on: reading, chip, noted)
        let isAsNoted = state == noted ?? .off
        if state.isSteady, isAsNoted { return false }
        let (uid, identity) = (reading.uid, reading.identity)
        do throws(Interruption) {
            while true {
                if let before = noted {
                    try await station.passwords.note(state, insteadOf: before, of: uid)
                    noted = state
                }
                if !state.isSteady { surroundings.progress(.switchingProtection(state)) }
                switch state {
                case .switchingOff(let keyID):
                    // An earlier attempt may have spoiled PACK, which proves the tag but does not
                    // open it.
                    try await switchOver(
                        .off, identity, chip,
                        try station.passwords.password(keyID, of: uid).withoutProof)
                case .clearingPassword: try await set(nil, chip)
                case .off, .settingPassword, .switchingOn, .on: return true
                }
                state = state.next
            }
        } catch {
            // The settings in memory and those in effect may differ until the tag loses power.
            await reader.release()
            throw error
        }
    }

    /// The first step remaining until this tag is open.
    private func leftover(
        on reading: CardReading, _ chip: Type2Chip, _ noted: CardProtection?
    ) async throws(Interruption) -> CardProtection {
        let settings = try await station.passwords.configuration(of: chip)
        if settings.isLocked, chip.isProtected(by: settings) {
            throw .refused(.lockedSettings(reading.uid))
        }
        let evidence = try await station.passwords.evidence(
            on: reading.identity, chip, settings, noted: noted, withoutProof: true)
        return (noted ?? .off).corrected(by: evidence).unprotecting
    }
}

extension CardReading {
    /// Whether the ledger no longer needs the tag: it is unknown, or was given up and formatted.
    var isGivenUp: Bool {
        guard let card = known?.card else { return true }
        return (card.status == .closed || card.status == .replaced) && slots.isBlank
    }
}

extension TapcardError {
    /// The error when settings were found locked while an operation was open.
    fileprivate static func lockedSettings(
        _ card: LedgerCard, after voided: Operation
    ) -> TapcardError {
        TapcardError(
            .lockedTag,
            "Someone locked the tag's settings, so its protection can never be changed. The "
                + "\(voided.kind.noun) \(voided.id) was voided.",
            meaning: (card.protection == .off
                ? "The tag stays unprotected for good, and anyone can write to it"
                : "The card keeps its password")
                + "; the card can still be used, and the full balance is safe in the "
                + "ledger.", next: [.trust(.useAsItIs)],
            uid: card.uid)
    }
}
