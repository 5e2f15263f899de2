import CardCryptography
import CardImage
import CardStore
import ChipCard
import Ledger
import NDEF
import Ntag424
import TagReading
import TapcardDomain

/// A chip that proves itself, as one look found it.
struct ChipSight: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// It has proved with its sell key which card it is.
        case proved(ChipVisit)
        /// It has keys of the factory, whatever else was begun.
        case unmade
        /// It has keys that this station lacks. None was tried.
        case foreign(version: UInt8)
    }

    let state: State
    /// Whether it has, as far as is known, all its keys in one version.
    var isComplete = true
    /// Nil where it was not asked.
    var answers: ChipAnswers?

    var visit: ChipVisit? {
        if case .proved(let visit) = state { visit } else { nil }
    }
}

extension Sight {
    /// Whether the rest of the card fits its newest record. On a chip that is the grant, and keys
    /// of one version.
    func fits(_ record: SealedRecord) -> Bool {
        guard case .chip(let chip) = medium else { return true }
        guard let visit = chip.visit, let grant = visit.grant, let best = slots.best else {
            return false
        }
        let spent = visit.slots.spent(at: slots.bytes[best.place])
        return chip.isComplete && grant.granted - spent == Int64(record.balance)
    }
}

extension CardView {
    /// The version of the keys on the card's chip; nil while it is being made, or given other keys.
    fileprivate var chipVersion: UInt8? {
        func keyID(_ number: SequenceNumber) -> UInt8? {
            issued[number].flatMap { $0.keyID ?? SealedRecord($0.bytes)?.keyID }
        }
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .noKeyGuessed {
            return keyID(card.confirmed).map { ChipCardKeys.version(of: $0) }
        }
        #endif
        // A repair may go on with a chip that has not got all of its keys yet.
        guard open?.kind != .reseal, let known = keyID(card.confirmed),
            keyID(card.allocated) == known
        else { return nil }
        return ChipCardKeys.version(of: known)
    }

    /// Whether its chip was made a card; otherwise its making was broken off.
    fileprivate var isMade: Bool { card.confirmed != .none && open?.kind.makesCard != true }
}

extension Station {
    /// Looks at a chip that proves itself: five commands where the card is known. Which key is
    /// tried, the ledger says, or the chip; none is a guess.
    func seeChip(
        _ identity: TagIdentity, _ uid: CardUID, _ known: CardView?, thoroughly: Bool,
        _ history: inout TapHistory
    ) async throws(Interruption) -> Sight {
        if let known, known.card.chip != .ntag424 {
            throw .card(.otherChip("chip that speaks in blocks", known.card.chip))
        }
        let found: ChipSight
        if !thoroughly, let version = known?.chipVersion, let key = sellingKey(version, of: uid) {
            found = try await prove(key, expecting: version, known, &history)
        } else {
            let answers = try await ask(
                thoroughly ? .all : known == nil ? .kind : .keys, &history)
            found = try await prove(uid, answers, known, &history)
        }
        if known?.isMade ?? isConfirmedInSnapshot(uid), found.visit == nil {
            throw .refused(chipLost(uid, found.state))
        }
        let blank = [UInt8](repeating: 0, count: SealedRecord.byteCount)
        let records =
            found.visit?.slots.records
            ?? [[UInt8]](repeating: blank, count: ChipSlots.count)
        let slots = RecordSlots(
            records, uid: uid, holders: [.nobody], currency: currency, keys: keys)
        return try await judged(
            identity, uid, .chip(found), slots, content(of: found), known: known, chip: .ntag424)
    }

    /// Whether the ledger had a card with this number when it was in reach: without its answer, the
    /// snapshot says which cards are its own.
    private func isConfirmedInSnapshot(_ uid: CardUID) -> Bool {
        snapshot?.card(uid).map { $0.confirmed != .none && !$0.isOpen } ?? false
    }

    /// Has the chip prove itself with the key that the ledger knows. If it refuses that, it is a
    /// copy, or has had other keys since, for example because the ledger was restored from a backup.
    /// It reports its key versions unauthenticated.
    private func prove(
        _ key: SellingKey, expecting version: UInt8, _ known: CardView?,
        _ history: inout TapHistory
    ) async throws(Interruption) -> ChipSight {
        do throws(Interruption) {
            return ChipSight(state: .proved(try await look(key, known, &history)))
        } catch .chip(let error) where error.isImpostor {
            let answers = try await answers(of: key.uid, afterRefusing: version, &history)
            guard let answers else { throw .refused(.impostor(key.uid)) }
            return try await prove(key.uid, answers, known, &history)
        }
    }

    /// The versions that a chip names now, after it has refused the key of this one; nil where it
    /// still names this one.
    private func answers(
        of uid: CardUID, afterRefusing version: UInt8, _ history: inout TapHistory
    ) async throws(Interruption) -> ChipAnswers? {
        let answers = try await performing(AskChip(.keys), &history)
        guard answers.sellingVersion != version else { return nil }
        guard !history.hasRefused(.three) else { throw .refused(.untrueVersions(uid)) }
        return answers
    }

    /// Asks without a key. A card that does not know the questions is of another kind.
    private func ask(
        _ depth: AskChip.Depth, _ history: inout TapHistory
    ) async throws(Interruption) -> ChipAnswers {
        do throws(Interruption) {
            return try await performing(AskChip(depth), &history)
        } catch .chip(let error) where error.isOfAnotherChip {
            throw .chip(.otherChip)
        }
    }

    private func prove(
        _ uid: CardUID, _ answers: ChipAnswers, _ known: CardView?,
        _ history: inout TapHistory
    ) async throws(Interruption) -> ChipSight {
        let (making, selling) = (answers.applicationVersion, answers.sellingVersion)
        guard selling != ChipCardKeys.factory.version else {
            let isUnmade = making == ChipCardKeys.factory.version
            return ChipSight(
                state: isUnmade ? .unmade : .foreign(version: making), answers: answers)
        }
        guard let key = sellingKey(selling, of: uid) else {
            return ChipSight(state: .foreign(version: selling), answers: answers)
        }
        // While its keys are changed, the grant is under the old one or the new one.
        let others = keys.entries.filter { ChipCardKeys.version(of: $0.id) != selling }
            .compactMap { sellingKey($0, of: uid) }
        do throws(Interruption) {
            return ChipSight(
                state: .proved(try await look(key, or: others, known, &history)),
                isComplete: making == selling, answers: answers)
        } catch .chip(let error) where error.isImpostor {
            // Another station may have given it other keys since it was asked.
            guard try await self.answers(of: uid, afterRefusing: selling, &history) == nil else {
                throw .overtaken
            }
            let isOurs = known != nil || isConfirmedInSnapshot(uid)
            throw .refused(isOurs ? .impostor(uid) : .otherHouse(uid))
        }
    }

    /// Looks at a card; where a good card would not answer so, its settings are asked for.
    private func look(
        _ key: SellingKey, or others: [SellingKey] = [], _ known: CardView?,
        _ history: inout TapHistory
    ) async throws(Interruption) -> ChipVisit {
        do throws(Interruption) {
            return try await look(key, or: others, &history)
        } catch .chip(let error) {
            // Another look cannot help.
            if error.isOfDeadKey { throw .refused(TapcardError(error)) }
            if known?.isMade == true,
                let altered = await alteredSettings(of: key, after: error, &history)
            {
                throw .refused(altered)
            }
            throw .chip(error)
        }
    }

    private func look(
        _ key: SellingKey, or others: [SellingKey] = [], _ history: inout TapHistory
    ) async throws(Interruption) -> ChipVisit {
        try await performing(
            LookAtChip(
                key, or: others, settings.address,
                random: surroundings.random(SecureSession.randomSize)), &history)
    }

    private func sellingKey(_ version: UInt8, of uid: CardUID) -> SellingKey? {
        keys.entries.first { ChipCardKeys.version(of: $0.id) == version }
            .flatMap { sellingKey($0, of: uid) }
    }

    private func sellingKey(_ entry: KeyEntry, of uid: CardUID) -> SellingKey? {
        SellingKey(of: uid, from: entry, currency)
    }

    /// The message for phones on a chip that is not ours yet. That of a card says nothing of it.
    private func content(of chip: ChipSight) -> TagContent {
        guard chip.visit == nil, let message = chip.answers?.message, !message.isEmpty else {
            return .empty
        }
        return TagContent(message: message, currency: currency)
    }

    /// All that a chip says of itself without a key.
    func chipInfo(_ uid: CardUID) async throws(Interruption) -> TagInfo {
        var history = TapHistory()
        let answers = try await ask(.all, &history)
        let message = answers.message
        let size = FileNumber.ndef.size - AddressFile.lengthByteCount
        let versions = KeyNumber.allCases.compactMap { answers.keyVersions[$0] }
        return TagInfo(
            uid: uid, chip: Chip.ntag424.name, pages: nil, userByteCount: size,
            keyVersions: versions, version: answers.version,
            originality: TagInfo.Originality(answers.signature, of: uid, on: .ntag424),
            ndef: (message.isEmpty
                ? TagContent.empty : TagContent(message: message, currency: currency)).word,
            freeBytes: max(0, size - message.count), isLocked: false,
            isProtected: versions.contains { $0 != ChipCardKeys.factory.version },
            configuration: nil, counter: nil, chipCard: card(answers))
    }

    /// The chip as a card, by its answers. Key 3 is changed early and key 0 last, so a card
    /// that is half made belongs to the house that its key 3 names.
    private func card(_ answers: ChipAnswers) -> ChipCardInfo {
        let selling = answers.sellingVersion
        let named =
            selling == ChipCardKeys.factory.version
            ? answers.keyVersions.values.max() ?? selling : selling
        let entry =
            named == ChipCardKeys.factory.version
            ? nil : keys.entries.first { ChipCardKeys.version(of: $0.id) == named }
        var host: String?
        if case .uri(let address) = TagContent(message: answers.message, currency: currency),
            let start = address.firstRange(of: "://")
        {
            let name = address[start.upperBound...].prefix { !"/?#".contains($0) }
            host = name == AddressFile.noHost ? nil : String(name)
        }
        return ChipCardInfo(
            houseKey: entry?.id, isRetired: entry?.status == .retired,
            isHalfMade: Set(answers.keyVersions.values).count > 1, host: host,
            usesLRP: answers.showsLRP)
    }
}

extension Station {
    /// Refuses a chip that this station cannot make a card, before the ledger begins anything: the
    /// chip has to prove every key that it names. Nothing is written to it.
    func requireMakeable(
        _ chip: ChipSight, _ uid: CardUID, _ history: inout TapHistory
    ) async throws(Interruption) {
        if case .foreign(let version) = chip.state { throw .refused(.foreignChip(version, uid)) }
        guard let masters = keys.sealing.masters, let grant = Grant(0) else {
            throw .refused(.needsHouse("A card is made.", uid))
        }
        do throws(Interruption) {
            try await personalise(
                PersonaliseChip.Plan(
                    uid: uid, currency: currency, address: settings.address,
                    from: [.factory] + chipKeys(of: uid), to: ChipCardKeys(masters, uid: uid),
                    grant: grant), isTrial: true, &history)
        } catch .chip(let error) where error.isForGood {
            throw .refused(.unmakeable(error, uid))
        }
    }

    /// Ends the addresses that phones have read of a card so far, before it becomes another one: whoever
    /// kept one would see the balance of the new holder.
    func endAddresses(
        of uid: CardUID, _ answers: ChipAnswers
    ) async throws(Interruption) {
        guard let reads = answers.reads(of: uid, provedBy: chipKeys(of: uid)),
            let counter = ReadCounter(reads)
        else { return }
        _ = try await asking(
            await ledger.write { rows throws(LedgerError) in try rows.raise(counter, of: uid) })
    }

    private func personalise(
        _ plan: PersonaliseChip.Plan, isTrial: Bool = false, _ history: inout TapHistory
    ) async throws(Interruption) {
        try await performing(
            PersonaliseChip(
                plan, isTrial: isTrial,
                random: surroundings.random(PersonaliseChip.randomByteCount)), &history)
    }

    /// Writes the record to a chip. Its code proves that it is there. A card that is made, or has
    /// not all its keys in the version that seals now, is made whole before.
    func write(
        _ change: CardWork, on chip: ChipSight, _ history: inout TapHistory
    ) async throws(Interruption) {
        let (sight, work) = (change.sight, change.work)
        guard let record = SealedRecord(work.record), let entry = keys.entry(record.keyID),
            let key = sellingKey(entry, of: sight.uid)
        else { throw .refused(.lackingKey(work.record[0], isTable: keys.isTable)) }
        let wanted = entry.masters.map { ChipCardKeys($0, uid: sight.uid) }
        let last = sight.view?.issued[work.confirmed]?.bytes
        let spent = chip.visit?.slots.spent(at: last) ?? 0
        let balance = Int64(record.balance)
        var visit = chip.visit
        if isMakingWhole(change, chip) {
            let granted = max(visit?.grant?.granted ?? 0, balance + spent)
            guard let grant = Grant(granted) else { throw .refused(.chipExhausted(sight.uid)) }
            guard let wanted else {
                throw .refused(.needsHouse("The card needs newer keys.", sight.uid))
            }
            // A card never goes back to the keys of the factory: what says so wants its keys.
            let isMaking = work.operation.kind.makesCard
            try await personalise(
                PersonaliseChip.Plan(
                    uid: sight.uid, currency: currency,
                    address: address(of: visit, isMaking: isMaking),
                    from: (isMaking ? [.factory] : []) + chipKeys(of: sight.uid), to: wanted,
                    grant: grant), &history)
            visit = try await look(key, &history)
        }
        guard let visit,
            let update = UpdateChip.Change(
                work.record, balance: balance, to: change.place, granted: visit.grant,
                spent: spent),
            let procedure = UpdateChip(
                update, in: visit, loadKey: wanted?[.four],
                random: surroundings.random(2 * SecureSession.randomSize))
        else { throw .refused(.chipExhausted(sight.uid)) }
        try await performing(procedure, &history)
    }

    /// Whether a card is made, or gets the keys and the grant that it lacks, before this record.
    func isMakingWhole(_ change: CardWork, _ chip: ChipSight) -> Bool {
        guard let visit = chip.visit, visit.grant != nil, chip.isComplete,
            !change.work.operation.kind.makesCard,
            let record = SealedRecord(change.work.record)
        else { return true }
        return keys.entry(record.keyID).flatMap { sellingKey($0, of: visit.card.uid) }
            != visit.card
    }

    /// A station that names no page leaves a card the one that it has.
    private func address(of visit: ChipVisit?, isMaking: Bool) -> AddressFile {
        guard !isMaking, settings.address == .nowhere, let visit, visit.grant != nil else {
            return settings.address
        }
        return AddressFile(keepingWith: visit.grantAt)
    }

    private func chipKeys(of uid: CardUID) -> [ChipCardKeys] {
        keys.entries.compactMap(\.masters).map { ChipCardKeys($0, uid: uid) }
    }

    /// The error of a card of this ledger on a chip that is not a card, or not with our keys.
    private func chipLost(_ uid: CardUID, _ state: ChipSight.State) -> TapcardError {
        if case .foreign(let version) = state { return lackingChipKeys(version, uid) }
        return .factoryChip(uid)
    }

    /// Counts a key that the chip has not confirmed, and sends none that was spent in this tap.
    func performing<Procedure: ChipProcedure>(
        _ procedure: Procedure, _ history: inout TapHistory
    ) async throws(Interruption) -> Procedure.Outcome {
        do {
            return try await reader.perform(procedure, sparing: history.spentKeys)
        } catch {
            history.noteSpentKey(by: error)
            throw .chip(error)
        }
    }
}
