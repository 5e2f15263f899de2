import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

extension KnownCard {
    /// The version of the keys on the card's chip; nil while the card is being made or its keys are
    /// being changed.
    fileprivate var chipVersion: UInt8? {
        func keyID(_ number: SequenceNumber) -> UInt8? { issued[number]?.keyID }
        if SafetyRule.noKeyGuessed.isDisabled {
            return keyID(card.confirmed).map { NTAG424CardKeys.version(of: $0) }
        }
        // A rewrite may have been interrupted when the chip had only some of its new keys.
        guard open?.kind != .reseal, let known = keyID(card.confirmed),
            keyID(card.allocated) == known
        else { return nil }
        return NTAG424CardKeys.version(of: known)
    }

    /// Whether making the card was ever completed.
    fileprivate var wasCompleted: Bool { card.confirmed != .none && open?.kind.makesCard != true }
}

/// Reads an NTAG 424, after authenticating it to find out whether it is the card whose number it
/// has.
struct NTAG424Scanner: StationWork {
    let station: Station

    /// Reads an NTAG 424, with five commands if the card is in the ledger. The ledger or the chip
    /// determines which key is tried; keys are never guessed.
    func scan(
        _ identity: TagIdentity, _ uid: CardUID, _ known: KnownCard?, thoroughly: Bool,
        _ history: inout TapHistory
    ) async throws(Interruption) -> CardReading {
        if let known, known.card.chip != .ntag424 {
            throw .card(.otherChip("smart card (ISO 14443-4)", known.card.chip))
        }
        let found: NTAG424Reading
        if !thoroughly, let version = known?.chipVersion, let key = sellingKey(version, of: uid) {
            found = try await authenticate(key, expecting: version, known, &history)
        } else {
            let answers = try await ask(
                thoroughly ? .all : known == nil ? .kind : .keys, identity, &history)
            found = try await authenticate(uid, answers, known, &history)
        }
        // Once a card has been completed, its chip has to authenticate. Interference with a single
        // response can look like a refusal, so one failure is not proof.
        if known?.wasCompleted ?? isConfirmedInSnapshot(uid), found.visit == nil {
            throw .claimed(wrongChip(uid, found.state, hasTried: history.hasSent(.three)))
        }
        let blank = [UInt8](repeating: 0, count: SealedRecord.byteCount)
        let records =
            found.visit?.slots.records
            ?? [[UInt8]](repeating: blank, count: NTAG424Slots.count)
        let slots = RecordSlots(
            records, uid: uid, holders: [.nobody], currency: currency, keys: keys)
        return try await station.scanner.judged(
            identity, uid, .ntag424(found), slots, content(of: found), known: known, chip: .ntag424,
            thoroughly: thoroughly)
    }

    /// Whether this number belonged to a completed card when the snapshot was taken. While the
    /// ledger is offline, the snapshot says which cards belong to it.
    private func isConfirmedInSnapshot(_ uid: CardUID) -> Bool {
        station.snapshot?.card(uid).map { $0.confirmed != .none && !$0.isOpen } ?? false
    }

    /// Authenticates the chip with the key that the ledger specifies. A chip that refuses the key
    /// may be a copy, or its keys may differ from what the ledger says, for example after a backup
    /// was restored. A chip that refuses the key is therefore asked for its key versions, which it
    /// reports without authentication.
    private func authenticate(
        _ key: SellingKey, expecting version: UInt8, _ known: KnownCard?,
        _ history: inout TapHistory
    ) async throws(Interruption) -> NTAG424Reading {
        do throws(Interruption) {
            return NTAG424Reading(state: .proved(try await readCard(key, known, &history)))
        } catch .ntag424(let error) where error.isUnauthenticated {
            let answers = try await answers(of: key.uid, afterRefusing: version, &history)
            guard let answers else { throw .claimed(.impostor(key.uid)) }
            return try await authenticate(key.uid, answers, known, after: version, &history)
        }
    }

    /// The key versions that a chip reports after it refused the key of this version; nil if it
    /// still reports this version.
    private func answers(
        of uid: CardUID, afterRefusing version: UInt8, _ history: inout TapHistory
    ) async throws(Interruption) -> NTAG424Answers? {
        let answers = try await reader.performInTap(InspectNTAG424(.keys), &history)
        return answers.sellingVersion == version ? nil : answers
    }

    /// Queries the chip without using a key. A chip that does not support these queries is
    /// not an NTAG 424.
    func ask(
        _ depth: InspectNTAG424.Depth, _ identity: TagIdentity, _ history: inout TapHistory
    ) async throws(Interruption) -> NTAG424Answers {
        do throws(Interruption) {
            return try await reader.performInTap(InspectNTAG424(depth), &history)
        } catch .ntag424(let error) where error.isFromAnotherChip {
            let kind = await kindOfOther(identity)
            throw .claimed(
                .foreign(kind, identity, answerToSelect: await reader.answerToSelect))
        }
    }

    /// Determines, without a key, the kind of an ISO-DEP card that is not an NTAG 424.
    private func kindOfOther(_ identity: TagIdentity) async -> String {
        if let name = await versionOfOther(identity).flatMap(InspectNTAG424.otherName) {
            return name
        }
        guard (try? await reader.select(within: Station.returnLimit))?.uid == identity.uid,
            let answer = try? await reader.exchange(command: InspectNTAG424.selectTextApplication),
            answer == [0x90, 0x00]
        else { return identity.kind }
        return "Type 4 tag"
    }

    /// The first part of the response to GetVersion (60h) of a chip that is not an NTAG 424, such
    /// as a DESFire; nil if there is none.
    func versionOfOther(_ identity: TagIdentity) async -> [UInt8]? {
        // 91AFh means that more frames follow.
        let more: [UInt8] = [0x91, 0xAF]
        guard (try? await reader.select(within: Station.returnLimit))?.uid == identity.uid,
            let answer = try? await reader.exchange(command: [0x90, 0x60, 0x00, 0x00, 0x00]),
            answer.suffix(more.count).elementsEqual(more)
        else { return nil }
        return answer.dropLast(more.count)
    }

    /// Authenticates the chip with the key whose version it reports. `refused` is the version of
    /// another key that it has just refused.
    private func authenticate(
        _ uid: CardUID, _ answers: NTAG424Answers, _ known: KnownCard?, after refused: UInt8? = nil,
        _ history: inout TapHistory
    ) async throws(Interruption) -> NTAG424Reading {
        let (making, selling) = (answers.applicationVersion, answers.sellingVersion)
        guard selling != NTAG424CardKeys.factory.version else {
            // A station changes key 0 last, so it never leaves a new key 0 together with a factory
            // key 3.
            let isUnmade = making == NTAG424CardKeys.factory.version
            return NTAG424Reading(
                state: isUnmade ? .unmade : .foreign(version: making), answers: answers)
        }
        guard let key = sellingKey(selling, of: uid) else {
            return NTAG424Reading(state: .foreign(version: selling), answers: answers)
        }
        guard !history.hasRefused(.three) else { throw .refused(.inconsistentKeyVersions(uid)) }
        // During a key change, the grant may be sealed with either the old key or the new one.
        let others = keys.entries.filter { NTAG424CardKeys.version(of: $0.id) != selling }
            .map { SellingKey(of: uid, from: $0.masters, currency) }
        do throws(Interruption) {
            return NTAG424Reading(
                state: .proved(try await readCard(key, or: others, known, &history)),
                isComplete: making == selling, answers: answers)
        } catch .ntag424(let error) where error.isUnauthenticated {
            // Another station may have changed the chip's keys since it reported their versions.
            guard try await self.answers(of: uid, afterRefusing: selling, &history) == nil else {
                throw history.hasRefused(.three)
                    ? .refused(.inconsistentKeyVersions(uid)) : .overtaken
            }
            // The chip has now refused two different keys, and this tap does not try a third one.
            if refused != nil { throw .refused(.inconsistentKeyVersions(uid)) }
            // Another issuer's card counts every attempt, so only one attempt is made on it.
            guard known != nil || isConfirmedInSnapshot(uid) else {
                throw .refused(.otherIssuer(uid))
            }
            throw .claimed(.impostor(uid))
        }
    }

    /// Reads a card. If the card responds in a way that a valid card would not, queries its
    /// settings.
    private func readCard(
        _ key: SellingKey, or others: [SellingKey] = [], _ known: KnownCard?,
        _ history: inout TapHistory
    ) async throws(Interruption) -> NTAG424State {
        do throws(Interruption) {
            return try await readCard(key, or: others, &history)
        } catch .ntag424(let error) {
            if error.isLockedKey { throw .claimed(TapcardError(error)) }
            if known?.wasCompleted == true,
                let altered = await alteredSettings(of: key, after: error, &history)
            {
                throw .refused(altered)
            }
            throw .ntag424(error)
        }
    }

    /// Reads a card that authenticates with one of these keys.
    func readCard(
        _ key: SellingKey, or others: [SellingKey] = [], _ history: inout TapHistory
    ) async throws(Interruption) -> NTAG424State {
        try await reader.performInTap(
            ReadNTAG424(
                key, or: others, settings.address,
                random: dependencies.random(SecureSession.randomSize)), &history)
    }

    private func sellingKey(_ version: UInt8, of uid: CardUID) -> SellingKey? {
        keys.entries.first { NTAG424CardKeys.version(of: $0.id) == version }
            .map { SellingKey(of: uid, from: $0.masters, currency) }
    }

    /// The message for phones on a chip that is not one of our cards yet. On a completed card, the
    /// message contains only an address, and nothing about the card's state.
    private func content(of chip: NTAG424Reading) -> TagContent {
        guard chip.visit == nil, let message = chip.answers?.message, !message.isEmpty else {
            return .empty
        }
        return TagContent(message: message, currency: currency)
    }

    /// The error for a card whose file settings turn out to be altered; nil if they are not, or if
    /// the error has another cause.
    func alteredSettings(
        of card: SellingKey, after error: NTAG424CardError, _ history: inout TapHistory
    ) async -> TapcardError? {
        // The query uses the key once more. Someone who tampers with the connection could make that
        // attempt fail, too, so it is not made after another failed one.
        guard error.mayBeDueToSettings, !history.hasSent(.three) else { return nil }
        // If the card has been removed, it will be read again anyway.
        let hasCardSettings = try? await reader.performInTap(
            InspectSettings(card, random: dependencies.random(SecureSession.randomSize)), &history)
        return hasCardSettings == false ? .alteredSettings(card.uid) : nil
    }

    /// The error for a chip that has the number of a card in this ledger, but is in factory state
    /// or has keys that are not ours.
    private func wrongChip(
        _ uid: CardUID, _ state: NTAG424Reading.State, hasTried: Bool
    ) -> TapcardError {
        guard case .foreign(let version) = state else { return .factoryChip(uid) }
        let error = TapcardError.foreignChip(version, uid)
        return hasTried
            ? error.reworded(
                meaning: "The card rejected the key that the ledger has for it. No other key was "
                    + "tried, because the card counts wrong keys.") : error
    }
}
