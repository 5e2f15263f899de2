import CardCryptography
import CardImage
import CardStore
import Ledger
import TagReading
public import TapcardDomain
import Type2Tag

/// What `tag protect` or `tag unprotect` came to.
public struct ProtectionChange: Sendable, Hashable {
    public let uid: CardUID
    public let isProtected: Bool
    /// Nil for a card that this ledger does not know.
    public let operation: OperationID?
    public let display: DisplayState
}

extension Station {
    /// Puts the card's password onto its tag: from then on only who has the keys can write to it,
    /// and every phone still reads it.
    public func protect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await switchProtection(.protect(keyID: keys.sealing.id), id, only: card)
    }

    /// Takes the password off the tag. A card that this ledger does not know, or that was given up
    /// and formatted, gives its tag back if its password comes from one of our keys.
    public func unprotect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await switchProtection(.unprotect, id, only: card)
    }

    private func switchProtection(
        _ intent: Intent, _ id: OperationID, only card: CardUID?
    ) async throws(TapcardError) -> ProtectionChange {
        func change(_ receipt: Receipt) -> ProtectionChange {
            ProtectionChange(
                uid: receipt.uid, isProtected: intent != .unprotect,
                operation: receipt.operation.id, display: receipt.display)
        }
        let known = try await known(id, intent, only: card)
        if let known, known.state == .committed { return change(receipt(known, isReplayed: true)) }
        let begun = Begun()
        begun.operation = known
        return try await tap(
            for: id, only: card,
            conclude: { error, state in
                await conclude(id, begun, state, after: error)?.map(change)
            },
            early: { sight throws(Interruption) in
                guard intent == .unprotect, sight.isGivenUp else { return .goOn }
                return .done(try await release(sight))
            },
            { sight, state throws(Interruption) in
                if begun.operation == nil, let card = sight.view?.card {
                    try await requireSwitchable(sight, card, intent)
                }
                return try await carryOut(intent, id, on: sight, state.display, noting: begun)
                    .map(change)
            })
    }

    /// Refuses what the tag would not let be done, before the ledger knows of it.
    private func requireSwitchable(
        _ sight: Sight, _ card: LedgerCard, _ intent: Intent
    ) async throws(Interruption) {
        _ = try await learnProtection(of: sight, card)
        guard intent != .unprotect else { return }
        // A reader that passes on no such question would not pass on a password, either.
        let answer: [UInt8]
        do {
            answer = try await reader.exchange(Type2Command.getVersion.frame)
        } catch {
            throw .reader(error)
        }
        guard let chip = Type2Chip(version: answer), chip.name == card.chip else {
            throw .refused(
                TapcardError(
                    .unsupportedTag, "The tag is no \(card.chip), as the ledger has it.",
                    meaning: TapcardError.unchanged,
                    advice: "Move the card's balance to another tag with tapcard replace.",
                    uid: sight.uid))
        }
        let settings = try await configuration(of: chip)
        if settings.isLocked { throw .refused(lockedSettings(sight.uid)) }
    }

    /// What the tag itself says of its protection, and the key that opens it. The ledger notes it
    /// where it has it otherwise, as after a restored backup.
    func learnProtection(
        of sight: Sight, _ card: LedgerCard
    ) async throws(Interruption) -> CardProtection {
        guard card.protection.isSettled,
            let chip = Type2Chip.known.first(where: { $0.name == card.chip })
        else { return card.protection }
        let settings = try await configuration(of: chip)
        let found =
            chip.isProtected(by: settings)
            ? CardProtection.on(
                keyID: try await keyThatOpens(sight.identity, settings, known: card))
            : .off
        if found != card.protection {
            try await asking { () throws(LedgerError) in
                try await ledger.noteProtection(of: card.uid, found)
            }
        }
        return found
    }

    func configuration(of chip: Type2Chip) async throws(Interruption) -> AccessConfiguration {
        guard let reading = ReadConfiguration(chip) else { throw .refused(noPassword) }
        return try await performing(reading)
    }

    /// The key whose password opens this tag. None is tried on a tag that counts wrong ones:
    /// seven of them close it for ever.
    func keyThatOpens(
        _ identity: TagIdentity, _ settings: AccessConfiguration, known: LedgerCard?
    ) async throws(Interruption) -> UInt8 {
        let first = known?.protection.keyID
        let entries =
            keys.entries.filter { $0.id == first }
            + keys.entries.reversed().filter { $0.id != first }
        let passwords = entries.map { TagPassword($0.keys, uid: identity.uid) }
        guard settings.passwordLimit == 0,
            let index = try await performing(FindPassword(identity, among: passwords))
        else {
            throw .refused(
                TapcardError(
                    .protectedTag, "The tag is protected by somebody's password.",
                    meaning: "Nothing was written to it.",
                    advice: known == nil
                        ? "Use another tag."
                        : "Bring the key it was protected with (tapcard keys import), or move its "
                            + "balance to another tag with tapcard replace.",
                    uid: CardUID(bytes: identity.uid)))
        }
        return entries[index].id
    }

    /// What opens a tag for writing; nil where a plain WRITE will do.
    func opening(
        _ protection: CardProtection, of uid: CardUID
    ) throws(Interruption) -> TagPassword? {
        try protection.openingKeyID.map { keyID throws(Interruption) in
            try password(keyID, of: uid)
        }
    }

    /// Refuses a tag that does not take its card's password, before anything is begun: a copy has
    /// none, and not every reader can send one.
    func requireOpened(_ sight: Sight) async throws(Interruption) {
        guard let card = sight.view?.card, let password = try opening(card.protection, of: card.uid)
        else { return }
        let found = try await performing(FindPassword(sight.identity, among: [password]))
        guard found != nil else {
            throw .refused(TapcardError(CardStoreError(.wrongPassword, "")).naming(card.uid))
        }
    }

    private func password(_ keyID: UInt8, of uid: CardUID) throws(Interruption) -> TagPassword {
        guard let entry = keys.entry(keyID) else {
            throw .refused(
                TapcardError(
                    .keyMissing,
                    "The card is protected with key \(keyID), which this station does not have.",
                    meaning: "Nothing was written to it; the money is safe in the ledger.",
                    advice: "Bring the key with tapcard keys import.", uid: uid))
        }
        return TagPassword(entry.keys, uid: uid.bytes)
    }

    /// Takes what steps are left until the tag is protected, or open, as the ledger wants it. Each
    /// is durable in the ledger before the next; the last is noted when the work is confirmed.
    func switchProtection(
        of work: OpenWork, on sight: Sight, probe: PageWrite
    ) async throws(Interruption) -> OpenWork {
        guard !work.card.protection.isSettled else { return work }
        do throws(Interruption) {
            var work = work
            while true {
                try await takeStep(of: work.card, on: sight, probe)
                if work.card.protection.next.isSettled { return work }
                let noted = try await asking { [work] () throws(LedgerError) in
                    try await ledger.advanceProtection(of: work, at: now)
                }
                guard let noted else { throw Interruption.overtaken }
                work = noted
            }
        } catch {
            // What the settings say and what is in force may differ until the tag loses its power.
            await reader.release()
            throw error
        }
    }

    private func takeStep(
        of card: LedgerCard, on sight: Sight, _ probe: PageWrite
    ) async throws(Interruption) {
        guard let keyID = card.protection.keyID else { return }
        let password = try password(keyID, of: card.uid)
        guard let chip = Type2Chip.known.first(where: { $0.name == card.chip }) else {
            throw .refused(noPassword)
        }
        switch card.protection {
        case .off, .on: return
        case .settingPassword: try await set(password, chip)
        case .clearingPassword: try await set(nil, chip)
        case .switchingOn: try await switchOver(.on(probe: probe), sight.identity, chip, password)
        case .switchingOff: try await switchOver(.off, sight.identity, chip, password)
        }
    }

    private func set(_ password: TagPassword?, _ chip: Type2Chip) async throws(Interruption) {
        guard let setting = SetPassword(password, chip: chip) else { throw .refused(noPassword) }
        try await performing(setting)
    }

    private func switchOver(
        _ target: SwitchProtection.Target, _ identity: TagIdentity, _ chip: Type2Chip,
        _ password: TagPassword
    ) async throws(Interruption) {
        guard
            let switching = SwitchProtection(target, identity, chip: chip, password: password)
        else { throw .refused(noPassword) }
        try await performing(switching)
    }

    /// Takes the password off a tag with which this ledger has nothing to do any more. Broken off,
    /// it is simply asked for again: as long as the tag asks for a password, it is ours.
    private func release(_ sight: Sight) async throws(Interruption) -> ProtectionChange {
        guard let chip = Type2Chip.known.first(where: { $0.name == sight.chip }) else {
            throw .refused(noPassword)
        }
        let settings = try await configuration(of: chip)
        guard chip.isProtected(by: settings) else {
            throw .refused(
                TapcardError(
                    Refusal(.wrongState, "the tag is not protected"), uid: sight.uid))
        }
        if settings.isLocked { throw .refused(lockedSettings(sight.uid)) }
        let keyID = try await keyThatOpens(sight.identity, settings, known: sight.view?.card)
        try await switchOver(.off, sight.identity, chip, try password(keyID, of: sight.uid))
        try await set(nil, chip)
        if sight.view != nil {
            try await asking { () throws(LedgerError) in
                try await ledger.noteProtection(of: sight.uid, .off)
            }
        }
        return ProtectionChange(
            uid: sight.uid, isProtected: false, operation: nil, display: .current)
    }

    func lockedSettings(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .lockedTag, "The tag's settings are locked: its protection can never be changed.",
            meaning: "Nothing was written to it.", advice: "Use another tag.", uid: uid)
    }

    private var noPassword: TapcardError {
        TapcardError(
            .unsupportedTag, "This chip has no password.", meaning: "Nothing was written to it.",
            advice: "Use NTAG213, 215 or 216.")
    }
}

extension Sight {
    /// A tag with which the ledger has nothing to do: unknown, or a card that was given up and
    /// formatted.
    fileprivate var isGivenUp: Bool {
        guard let card = view?.card else { return true }
        return (card.status == .closed || card.status == .replaced) && image.hasBlankRecords
    }
}
