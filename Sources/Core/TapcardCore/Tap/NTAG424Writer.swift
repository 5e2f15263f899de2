import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Turns an NTAG 424 into a card, and writes records to it.
struct NTAG424Writer: StationWork {
    /// After this many refusals in one tap, a chip is considered worn out or unable to accept new
    /// keys. A single refusal may be due to a weak field.
    private static let maxRefusedWrites = 2

    let station: Station

    /// Refuses a chip that this station cannot turn into a card, before the ledger begins anything.
    /// The chip must prove that it has every key whose version it reports. Nothing is written to
    /// it.
    func requireConvertible(
        _ chip: NTAG424Reading, _ uid: CardUID, _ history: inout TapHistory
    ) async throws(Interruption) {
        if case .foreign(let version) = chip.state { throw .claimed(.foreignChip(version, uid)) }
        let newKeys = NTAG424CardKeys(keys.sealing.masters, uid: uid)
        do throws(Interruption) {
            try await personalize(
                PersonalizeNTAG424.Plan(
                    uid: uid, currency: currency, address: settings.address,
                    from: [.factory] + chipKeys(of: uid), to: newKeys,
                    grant: .zero), isTrial: true, &history)
        } catch .ntag424(let error) where error.isPermanent {
            throw .claimed(.cannotBecomeCard(error, uid))
        }
    }

    /// Invalidates the addresses that phones have read from a tag, before the tag becomes another
    /// card. Otherwise, anyone who kept an address would see the new cardholder's balance.
    func invalidateAddresses(
        of uid: CardUID, _ answers: NTAG424Answers
    ) async throws(Interruption) {
        guard let reads = answers.reads(of: uid, generatedWith: chipKeys(of: uid)),
            let counter = ReadCounter(reads)
        else { return }
        _ = try await asking(
            await ledger.write { rows throws(LedgerError) in try rows.raise(counter, of: uid) })
    }

    private func personalize(
        _ plan: PersonalizeNTAG424.Plan, isTrial: Bool = false, _ history: inout TapHistory
    ) async throws(Interruption) {
        try await reader.performInTap(
            PersonalizeNTAG424(
                plan, isTrial: isTrial,
                random: dependencies.random(PersonalizeNTAG424.randomByteCount)), &history)
    }

    /// Writes the record to a chip. The MAC on the chip's response proves that the record is there.
    /// A card that is being made, or whose keys or grant are not up to date, is completed first.
    func write(
        _ change: RecordWriting, on chip: NTAG424Reading, _ history: inout TapHistory
    ) async throws(Interruption) {
        let (reading, open) = (change.reading, change.open)
        // Another station may have sealed the record with a key that this station lacks.
        guard let record = SealedRecord(open.record), let entry = keys.entry(record.keyID)
        else { throw .refused(.lackingKey(open.record[0])) }
        let key = SellingKey(of: reading.uid, from: entry.masters, currency)
        let newKeys = NTAG424CardKeys(entry.masters, uid: reading.uid)
        let last = reading.known?.issued[open.confirmed]?.bytes
        let spent = chip.visit?.slots.spent(at: last) ?? 0
        let balance = Int64(record.balance)
        var visit = chip.visit
        if isCompletingCard(change, chip) {
            // The grant must cover the balance and everything spent so far, and it must never
            // decrease.
            let granted = max(visit?.grant?.granted ?? 0, balance + spent)
            guard let grant = Grant(granted) else { throw .refused(.chipExhausted(reading.uid)) }
            // A completed card never has the factory keys again. A chip that claims to have them
            // may be an attempt to obtain our keys, so the factory keys are tried only while a card
            // is being made.
            let isMaking = open.operation.kind.makesCard
            if isMaking {
                try translating(
                    station.sealing.requireTrustedReader(reading.uid), into: Interruption.refused)
            }
            // The counter is stored in the card's row, and a new card has no row until making it
            // begins.
            if isMaking, let answers = chip.answers {
                try await invalidateAddresses(of: reading.uid, answers)
            }
            try await personalize(
                PersonalizeNTAG424.Plan(
                    uid: reading.uid, currency: currency,
                    address: address(of: visit, isMaking: isMaking),
                    from: (isMaking ? [.factory] : []) + chipKeys(of: reading.uid), to: newKeys,
                    grant: grant), &history)
            // The chip has new keys, so writing the record needs a session with the new sell key.
            visit = try await station.ntag424Scanner.readCard(key, &history)
        }
        guard let visit,
            let update = UpdateNTAG424.Change(
                open.record, balance: balance, to: change.slotIndex, granted: visit.grant,
                spent: spent),
            let procedure = UpdateNTAG424(
                update, in: visit, loadKey: newKeys[.four],
                random: dependencies.random(2 * SecureSession.randomSize))
        else { throw .refused(.chipExhausted(reading.uid)) }
        try await reader.performInTap(procedure, &history)
    }

    /// Whether the card is being made, or lacks keys or a grant that this record needs.
    func isCompletingCard(_ change: RecordWriting, _ chip: NTAG424Reading) -> Bool {
        guard let visit = chip.visit, visit.grant != nil, chip.isComplete,
            !change.open.operation.kind.makesCard,
            let record = SealedRecord(change.open.record)
        else { return true }
        return keys.entry(record.keyID).map {
            SellingKey(of: visit.card.uid, from: $0.masters, currency)
        } != visit.card
    }

    /// The address for the card. If no page is set at this station, the card keeps its current
    /// address.
    private func address(of visit: NTAG424State?, isMaking: Bool) -> AddressFile {
        guard !isMaking, settings.address == .placeholder, let visit, visit.grant != nil else {
            return settings.address
        }
        return AddressFile(keepingWith: visit.grantAt)
    }

    /// The keys that one of this station's cards may have.
    func chipKeys(of uid: CardUID) -> [NTAG424CardKeys] {
        keys.entries.map(\.masters).map { NTAG424CardKeys($0, uid: uid) }
    }

    /// Records in the tap's history that a chip will refuse every write. What the chip contains is
    /// not certain until it is read again.
    func noteUnusable(
        after error: Interruption, writing change: RecordWriting, _ history: inout TapHistory
    ) async {
        guard case .ntag424(let cause) = error, case .ntag424(let chip) = change.reading.medium
        else { return }
        if cause.isMemoryFailure {
            history.noteRefusedWrite()
            guard history.refusedWrites >= NTAG424Writer.maxRefusedWrites else { return }
            history.note(unusable: .worn(change.reading.uid))
        } else if cause.isRefusedKeyChange, isCompletingCard(change, chip) {
            history.noteRefusedWrite()
            guard history.refusedWrites >= NTAG424Writer.maxRefusedWrites else { return }
            history.note(unusable: .refusingNewKeys(change.reading.uid))
        } else if cause.isLockedKey {
            history.noteRefusedWrite()
            guard history.refusedWrites >= NTAG424Writer.maxRefusedWrites else { return }
            history.note(unusable: TapcardError(cause).naming(change.reading.uid))
        } else if cause.kind == .fixedSettings {
            // These settings can never be changed, so a single refusal is enough.
            history.note(unusable: TapcardError(cause).naming(change.reading.uid))
        } else if let key = cause.unconfirmedKey, cause.isUnauthenticated {
            // The first refusal may be due to a command that arrived damaged.
            guard history.hasRefused(key) else { return }
            history.note(unusable: .otherKey(key, change.reading.uid))
        } else if !isCompletingCard(change, chip), let card = chip.visit?.card,
            let altered = await station.ntag424Scanner.alteredSettings(
                of: card, after: cause, &history)
        {
            // The settings are not queried during a key change, because the card may no longer have
            // this key.
            history.note(unusable: altered)
        }
    }
}
