import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// Finds and reads the tag on the reader, and looks up the card in the ledger.
struct CardScanner: StationWork {
    let station: Station

    /// Waits for a tag that can hold a card.
    func find(
        within limit: Duration
    ) async throws(Interruption) -> (identity: TagIdentity, uid: CardUID) {
        let identity = try await select(within: limit)
        // A card's keys and account depend on its number, so a tag with a random UID cannot be a
        // card.
        guard !identity.hasRandomUID else { throw .refused(.hiddenNumber) }
        guard let uid = CardUID(bytes: identity.uid), identity.isType2 || identity.usesBlocks
        else {
            throw .refused(.foreign(identity.kind, identity))
        }
        dependencies.progress(.cardSeen(uid))
        return (identity, uid)
    }

    /// Reads the tag. A card that is in the ledger takes only one command.
    ///
    /// If `thoroughly` is true, everything is read, which is necessary before a card is made.
    func scan(
        _ identity: TagIdentity, _ uid: CardUID, thoroughly: Bool = false,
        _ history: inout TapHistory
    ) async throws(Interruption) -> CardReading {
        // The card's requested state may be old by now; a change compares it with the ledger when
        // it begins.
        let recalled = history.recalled
        history.recalled = nil
        let known =
            if let recalled, recalled.card.uid == uid {
                recalled
            } else {
                try await asking(await ledger.knownCard(of: uid))
            }
        try await refreshKeys(for: known)
        if identity.usesBlocks {
            return try await station.ntag424Scanner.scan(
                identity, uid, known, thoroughly: thoroughly, &history)
        }
        if let known, !thoroughly, let layout = CardLayout(known.card.chip) {
            let bytes = try await reader.performInTap(
                ReadPages(layout.pages, maximumAnswerLength: await reader.maximumAnswerLength),
                on: uid)
            return try await reading(
                of: identity, uid, bytes, layout, known: known, tag: nil, chip: known.card.chip)
        }
        let tag = try await scanTag(of: identity)
        if let known, known.card.chip != tag.chip.model {
            // An NTAG can look like an older chip because of a single lost response.
            throw .card(.otherChip(tag.chip.name, known.card.chip))
        }
        guard let chip = tag.chip.model, let layout = CardLayout(chip) else {
            throw .refused(unsupported(tag, identity))
        }
        return try await reading(
            of: identity, uid, tag.memory, layout, known: known, tag: tag, chip: chip)
    }

    /// Reads a tag's identifying data and the given pages (by default, the pages of a card).
    /// If `allowsHidden` is true, accepts a tag that refuses to return some of its pages.
    func scanTag(
        of identity: TagIdentity, allowsHidden: Bool = false,
        _ pages: @escaping @Sendable (Type2Chip) -> ClosedRange<UInt8> = { chip in
            chip.model.flatMap(CardLayout.init)?.pages ?? chip.userPages
        }
    ) async throws(Interruption) -> ScannedTag {
        let tag = try await reader.performInTap(
            ScanTag(
                identity, maximumAnswerLength: await reader.maximumAnswerLength,
                allowsHidden: allowsHidden, cardPages: pages),
            on: nil)
        // A tag that refused a command, such as the one for its signature, stops responding until
        // it is selected again.
        guard tag.chip.hasFastRead ? tag.signature == nil : tag.version == nil else { return tag }
        try await selectAgain(identity)
        return tag
    }

    /// Selects the tag again. A tag stops responding after it refuses a command.
    func selectAgain(_ identity: TagIdentity) async throws(Interruption) {
        guard try await select(within: Station.returnLimit).uid == identity.uid else {
            throw .card(CardStoreError(.otherTag, "a different tag is on the reader now"))
        }
    }

    private func reading(
        of identity: TagIdentity, _ uid: CardUID, _ bytes: [UInt8], _ layout: CardLayout,
        known: KnownCard?, tag: ScannedTag?, chip: Chip
    ) async throws(Interruption) -> CardReading {
        guard let image = CardImage(bytes, layout: layout) else {
            throw .card(CardStoreError(.garbled, "the tag returned fewer pages than requested"))
        }
        // The most likely holder comes first, because a seal has to be computed for every holder
        // tried.
        var holders: [Holder] = []
        if let holder = known?.card.holder { holders.append(holder) }
        if let leftover = image.remains(in: currency), !holders.contains(leftover.holder) {
            holders.append(leftover.holder)
        }
        // The ledger may have been restored from a backup made before the name was removed.
        if let holder = known?.card.holder { holders.append(Holder(id: holder.id, name: nil)) }
        holders.append(.nobody)
        let slots = RecordSlots(
            image.records, uid: uid, holders: holders, currency: currency, keys: keys)
        return try await judged(
            identity, uid, .pages(TagPages(layout: layout, image: image, tag: tag)), slots,
            image.content(in: currency), known: known, chip: chip, thoroughly: tag != nil)
    }

    /// Compares the data read from the tag with the ledger, and returns the complete reading. If
    /// `thoroughly` is true, it includes the ledger's records for all slots.
    func judged(
        _ identity: TagIdentity, _ uid: CardUID, _ medium: CardReading.Medium, _ slots: RecordSlots,
        _ content: TagContent, known: KnownCard?, chip: Chip, thoroughly: Bool
    ) async throws(Interruption) -> CardReading {
        // Most cards match what the ledger said before they were read, so the ledger is not asked
        // again. When a payment begins, the ledger checks that nothing has changed since.
        if !thoroughly, let known, known.open == nil, !slots.hasInvalidSeal, !slots.hasRetired,
            case .trusted(let record) = Judgment(slots, known)
        {
            return CardReading(
                uid: uid, identity: identity, medium: medium, slots: slots, content: content,
                known: known, judgment: .trusted(record), chip: chip)
        }
        let latest = try await asking(await ledger.knownCard(of: uid, holding: slots.sequences))
        // If another station has changed the card since its bytes were read, a genuine card would
        // look like an old copy.
        guard known.map(CardVersion.init) == latest.map(CardVersion.init),
            known?.keyPolicy == latest?.keyPolicy
        else { throw .overtaken }
        // A record that the ledger issued remains valid even if the name covered by its seal has
        // been removed.
        let accepted = slots.acceptingIssued { bytes in isIssued(bytes, latest) }
        return CardReading(
            uid: uid, identity: identity, medium: medium, slots: accepted, content: content,
            known: latest, judgment: Judgment(accepted, latest), chip: chip)
    }

    /// Rereads the keys. The ledger is read first, so that a key retired in the meantime is
    /// noticed.
    private func refreshKeys(for known: KnownCard?) async throws(Interruption) {
        let policy: KeyPolicy
        if let known {
            policy = known.keyPolicy
        } else {
            policy = try await asking(await ledger.keyPolicy())
        }
        try translating(keySource.refresh(by: policy), into: Interruption.refused)
    }

    /// Whether the ledger issued exactly these bytes for this card, under a key that is still
    /// trusted.
    ///
    /// If the record's key was retired while an operation was open, the record is not a forgery. It
    /// is accepted until that operation is resolved and a new record is sealed with another key.
    private func isIssued(_ bytes: [UInt8], _ known: KnownCard?) -> Bool {
        guard let known, let record = SealedRecord(bytes),
            known.issued[record.sequence]?.bytes == bytes
        else { return false }
        return keys.entry(record.keyID)?.status != .retired
            || (known.open != nil && record.sequence >= known.card.confirmed)
    }

    private func unsupported(_ tag: ScannedTag, _ identity: TagIdentity) -> TapcardError {
        let content = TagContent(decoding: tag.memory, currency: currency)
        let shown: String
        switch content {
        case .empty, .unreadable: shown = "no card data"
        case .text, .uri, .other: shown = "other content (\(content.word))"
        case .tapcard, .foreignCard, .badCard:
            shown =
                "card data that can be read but not written on this chip"
        }
        let foreign = TapcardError.foreign(tag.kind, identity)
        return foreign.reworded("\(foreign.what) The tag holds \(shown).")
    }

    private func select(within limit: Duration) async throws(Interruption) -> TagIdentity {
        try await translating(
            awaiting: await reader.select(within: limit), into: Interruption.reader)
    }
}
