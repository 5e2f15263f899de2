import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Makes a card of an NTAG 424, and writes its records.
struct NTAG424Writer: StationWork {
    /// After so many refusals in one tap a chip is worn out, or cannot get other keys. A single
    /// refusal may be a weak field.
    private static let mostRefusedWrites = 2

    let station: Station

    /// Refuses a chip that this station cannot make a card, before the ledger begins anything: the
    /// chip has to prove every key that it names. Nothing is written to it.
    func requireMakeable(
        _ chip: NTAG424Reading, _ uid: CardUID, _ history: inout TapHistory
    ) async throws(Interruption) {
        if case .foreign(let version) = chip.state { throw .claimed(.foreignChip(version, uid)) }
        guard let masters = keys.sealing.masters, let grant = Grant(0) else {
            throw .refused(
                .needsIssuer(
                    "This station has only a table of card keys and cannot make cards.", uid))
        }
        do throws(Interruption) {
            try await personalise(
                PersonaliseNTAG424.Plan(
                    uid: uid, currency: currency, address: settings.address,
                    from: [.factory] + chipKeys(of: uid), to: NTAG424CardKeys(masters, uid: uid),
                    grant: grant), isTrial: true, &history)
        } catch .ntag424(let error) where error.isForGood {
            throw .claimed(.unmakeable(error, uid))
        }
    }

    /// Ends the addresses that phones have read of a card so far, before it becomes another one:
    /// whoever kept one would see the balance of the new holder.
    func endAddresses(
        of uid: CardUID, _ answers: NTAG424Answers
    ) async throws(Interruption) {
        guard let reads = answers.reads(of: uid, provedBy: chipKeys(of: uid)),
            let counter = ReadCounter(reads)
        else { return }
        _ = try await asking(
            await ledger.write { rows throws(LedgerError) in try rows.raise(counter, of: uid) })
    }

    private func personalise(
        _ plan: PersonaliseNTAG424.Plan, isTrial: Bool = false, _ history: inout TapHistory
    ) async throws(Interruption) {
        try await reader.performing(
            PersonaliseNTAG424(
                plan, isTrial: isTrial,
                random: surroundings.random(PersonaliseNTAG424.randomByteCount)), &history)
    }

    /// Writes the record to a chip. Its code proves that it is there. A card that is made, or has
    /// not all its keys in the version that seals now, is made whole before.
    func write(
        _ change: RecordWriting, on chip: NTAG424Reading, _ history: inout TapHistory
    ) async throws(Interruption) {
        let (reading, open) = (change.reading, change.open)
        guard let record = SealedRecord(open.record), let entry = keys.entry(record.keyID),
            let key = SellingKey(of: reading.uid, from: entry, currency)
        else { throw .refused(.lackingKey(open.record[0], isTable: keys.isTable)) }
        let wanted = entry.masters.map { NTAG424CardKeys($0, uid: reading.uid) }
        let last = reading.known?.issued[open.confirmed]?.bytes
        let spent = chip.visit?.slots.spent(at: last) ?? 0
        let balance = Int64(record.balance)
        var visit = chip.visit
        if isMakingWhole(change, chip) {
            let granted = max(visit?.grant?.granted ?? 0, balance + spent)
            guard let grant = Grant(granted) else { throw .refused(.chipExhausted(reading.uid)) }
            guard let wanted else {
                throw .refused(
                    .needsIssuer(
                        "This station has only a table of card keys and cannot write the newer "
                            + "keys that this card needs.", reading.uid))
            }
            // A card never goes back to the keys of the factory: what says so wants its keys.
            let isMaking = open.operation.kind.makesCard
            // Before it is begun, only a card that this ledger knows has a row for them.
            if isMaking, let answers = chip.answers {
                try await endAddresses(of: reading.uid, answers)
            }
            try await personalise(
                PersonaliseNTAG424.Plan(
                    uid: reading.uid, currency: currency,
                    address: address(of: visit, isMaking: isMaking),
                    from: (isMaking ? [.factory] : []) + chipKeys(of: reading.uid), to: wanted,
                    grant: grant), &history)
            visit = try await station.ntag424Scanner.look(key, &history)
        }
        guard let visit,
            let update = UpdateNTAG424.Change(
                open.record, balance: balance, to: change.place, granted: visit.grant,
                spent: spent),
            let procedure = UpdateNTAG424(
                update, in: visit, loadKey: wanted?[.four],
                random: surroundings.random(2 * SecureSession.randomSize))
        else { throw .refused(.chipExhausted(reading.uid)) }
        try await reader.performing(procedure, &history)
    }

    /// Whether a card is made, or gets the keys and the grant that it lacks, before this record.
    func isMakingWhole(_ change: RecordWriting, _ chip: NTAG424Reading) -> Bool {
        guard let visit = chip.visit, visit.grant != nil, chip.isComplete,
            !change.open.operation.kind.makesCard,
            let record = SealedRecord(change.open.record)
        else { return true }
        return keys.entry(record.keyID).flatMap {
            SellingKey(of: visit.card.uid, from: $0, currency)
        }
            != visit.card
    }

    /// A station that names no page leaves a card the one that it has.
    private func address(of visit: NTAG424State?, isMaking: Bool) -> AddressFile {
        guard !isMaking, settings.address == .nowhere, let visit, visit.grant != nil else {
            return settings.address
        }
        return AddressFile(keepingWith: visit.grantAt)
    }

    private func chipKeys(of uid: CardUID) -> [NTAG424CardKeys] {
        keys.entries.compactMap(\.masters).map { NTAG424CardKeys($0, uid: uid) }
    }

    /// Notes that a chip which has refused a write will refuse every one. What it holds, only the
    /// look that follows proves.
    func noteUnusable(
        after error: Interruption, writing change: RecordWriting, _ history: inout TapHistory
    ) async {
        guard case .ntag424(let cause) = error, case .ntag424(let chip) = change.reading.medium
        else { return }
        if cause.isOfMemory {
            history.noteRefusedWrite()
            guard history.refusedWrites >= NTAG424Writer.mostRefusedWrites else { return }
            history.note(unusable: .worn(change.reading.uid))
        } else if cause.isOfChangedKey, isMakingWhole(change, chip) {
            history.noteRefusedWrite()
            guard history.refusedWrites >= NTAG424Writer.mostRefusedWrites else { return }
            history.note(unusable: .refusesKeys(change.reading.uid))
        } else if cause.isOfDeadKey {
            history.noteRefusedWrite()
            guard history.refusedWrites >= NTAG424Writer.mostRefusedWrites else { return }
            history.note(unusable: TapcardError(cause).naming(change.reading.uid))
        } else if cause.kind == .fixedSettings {
            history.note(unusable: TapcardError(cause).naming(change.reading.uid))
        } else if let key = cause.spentKey, cause.isImpostor {
            guard history.hasRefused(key) else { return }
            history.note(unusable: .otherKey(key, change.reading.uid))
        } else if !isMakingWhole(change, chip), let card = chip.visit?.card,
            let altered = await station.ntag424Scanner.alteredSettings(
                of: card, after: cause, &history)
        {
            // While a card gets other keys, that one may be gone.
            history.note(unusable: altered)
        }
    }
}
