import Cards
import Ledger
import Tags
import TapcardDomain

/// Tools for tags of any kind, whether or not they are cards. They never move money.
struct TagTools: StationWork {
    let station: Station

    /// Reads all readable pages of the tag.
    func dump() async throws(TapcardError) -> TagDump {
        try await withTag(
            orRefuseChip: TapcardError(
                .unsupportedTag,
                "This chip has key-protected files instead of pages, as an NTAG 424 does: it "
                    + "cannot be dumped.", meaning: TapcardError.unchanged, next: [.tag(.show)])
        ) { identity, uid throws(Interruption) in
            // Pages may be protected against reading, so the chip has to be identified first.
            let tag = try await station.scanner.scanTag(of: identity) { chip in
                chip.hasFastRead ? 0...0 : chip.userPages
            }
            let pages: [Page?]
            if tag.chip.hasFastRead {
                let all = 0...UInt8(tag.chip.pageCount - 1)
                pages = try await reader.performInTap(
                    ReadReadablePages(
                        all, identity: identity,
                        maximumAnswerLength: await reader.maximumAnswerLength))
            } else {
                let bytes = tag.header + tag.memory
                pages = stride(from: 0, to: bytes.count, by: 4)
                    .map { Page(bytes[$0..<min($0 + 4, bytes.count)]) }
            }
            return try translating(
                TagDump(chip: tag.chip, uid: uid.bytes, pages: pages, signature: tag.signature)
            ) { (error: Type2Error) in Interruption.card(CardStoreError(.garbled, error.detail)) }
        }
    }

    /// Writes the user pages of a dump to a tag that may be overwritten.
    func restore(
        _ dump: TagDump, overwriting: Bool
    ) async throws(TapcardError) -> CardUID {
        try await rewrite(
            overwriting, orRefuseChip: "a dump cannot be restored to it"
        ) { tag, uid, _ throws(Interruption) in
            guard tag.chip == dump.chip else {
                throw .refused(
                    .unsupportedTag,
                    "The dump comes from the chip model \(dump.chip.name), but this tag has "
                        + "\(tag.chip.name).",
                    meaning: TapcardError.nothingWritten, next: [.tag(.useSameChip)], uid: uid)
            }
            return tag.chip.userPages.compactMap { number in
                // Phones take these pages for lock bits, so they are left unchanged.
                tag.chip.zeroPages?.contains(number) == true
                    ? nil : dump.pages[Int(number)].map { PageWrite(number, $0) }
            }
        }
    }

    /// Makes the tag blank again: it then contains an empty message, followed by zeros.
    func format(overwriting: Bool) async throws(TapcardError) -> CardUID {
        try await rewrite(
            overwriting, orRefuseChip: "it cannot be made blank again"
        ) { tag, uid, known throws(Interruption) in
            try known?.requireEnded()
            // An empty NDEF message (type 03h, length 0) and the terminator (FEh).
            let blank = Page(0x03, 0x00, 0xFE, 0x00)
            return tag.chip.userPages.map { number in
                PageWrite(number, number == tag.chip.userPages.lowerBound ? blank : .zero)
            }
        }
    }

    /// Writes pages to a tag that may be overwritten. `pages` either refuses the tag or returns the
    /// pages to write, based on the tag's contents and what the ledger knows.
    private func rewrite(
        _ overwriting: Bool, orRefuseChip reason: String,
        with pages: (ScannedTag, CardUID, KnownCard?) throws(Interruption) -> [PageWrite]
    ) async throws(TapcardError) -> CardUID {
        try await withTag(
            orRefuseChip: TapcardError(
                .unsupportedTag,
                "This chip has key-protected files instead of pages, as an NTAG 424 does: "
                    + "\(reason).",
                meaning: TapcardError.nothingWritten, next: [.card(.reissueTag), .tag(.show)])
        ) { identity, uid throws(Interruption) in
            let tag = try await station.scanner.scanTag(of: identity)
            let known = try await asking(await ledger.knownCard(of: uid))
            let writes = try pages(tag, uid, known)
            try requireOverwritable(tag, uid, known, overwriting)
            let protection = try await station.fitness.requireWritable(
                tag, identity, uid, known: known?.card)
            try await rewrite(tag.chip, writes, of: uid, protection)
            return uid
        }
    }

    /// Reads the user pages and writes only those that have to change.
    private func rewrite(
        _ chip: Type2Chip, _ desired: [PageWrite], of uid: CardUID, _ protection: CardProtection
    ) async throws(Interruption) {
        let password = try station.passwords.writePassword(protection, of: uid)
        let bytes = try await reader.performInTap(
            ReadPages(chip.userPages, maximumAnswerLength: await reader.maximumAnswerLength))
        let first = Int(chip.userPages.lowerBound)
        let writes = desired.filter { write in
            let start = (Int(write.page) - first) * 4
            return !bytes.indices.contains(start + 3)
                || Array(bytes[start..<start + 4]) != write.content.bytes
        }
        guard !writes.isEmpty else { return }
        do throws(Interruption) {
            _ = try await reader.performInTap(
                WritePages(
                    writes, maximumAnswerLength: await reader.maximumAnswerLength,
                    password: password))
        } catch {
            // Some pages may already have been written, so this cannot be reported as "not done".
            let error = error.error
            throw .refused(
                TapcardError(
                    error.kind, error.what, meaning: "The tag may be only partly written.",
                    next: error.next + [.tag(.resume)]))
        }
    }

    private func requireOverwritable(
        _ tag: ScannedTag, _ uid: CardUID, _ known: KnownCard?, _ overwriting: Bool
    ) throws(Interruption) {
        if overwriting { return }
        let content = TagContent(decoding: tag.memory, currency: currency)
        let closed = known.flatMap { $0.card.status == .closed ? $0.card : nil }
        // An empty tag, or what a closed card left behind, is of no value to anyone.
        if closed.map(content.isLeftover) ?? (known == nil && content == .empty) { return }
        if known == nil, let layout = tag.chip.model.flatMap(CardLayout.init),
            let image = CardImage(tag.memory, layout: layout),
            let other = station.unknownTags.sealedElsewhere(image.records, image, uid)?.currency
        {
            throw .refused(station.unknownTags.otherCurrency(other, uid))
        }
        let isCard = known != nil && closed == nil
        let what = isCard ? "a card of this ledger" : "other content (\(content.word))"
        throw .refused(
            isCard ? .refusal(.cardKnown) : .notACard,
            "The tag was not overwritten: it holds \(what).",
            meaning: TapcardError.nothingWritten, next: [.tag(.overwrite)], uid: uid)
    }

    /// The number of the card on the reader, found without reading its memory.
    func cardNumber() async throws(TapcardError) -> CardUID {
        let identity = try await waitForTag()
        await reader.release()
        guard let uid = CardUID(bytes: identity.uid) else {
            throw TapcardError(
                .unsupportedTag, "This tag cannot be a card, because its UID is not 7 bytes long.")
        }
        return uid
    }

    /// Waits for a tag of any kind. The caller has to release it.
    private func waitForTag() async throws(TapcardError) -> TagIdentity {
        dependencies.progress(.waitingForCard)
        return try await translating(
            awaiting: await reader.select(within: settings.wait)
        ) { (error: ReaderError) in TapcardError(error) }
    }

    /// Waits for a Type 2 tag, runs the body, and always releases the tag. Refuses chips with files
    /// instead of pages with `refusal`.
    private func withTag<Success: Sendable>(
        orRefuseChip refusal: TapcardError,
        _ body: (TagIdentity, CardUID) async throws(Interruption) -> Success
    ) async throws(TapcardError) -> Success {
        let identity = try await waitForTag()
        if identity.usesBlocks {
            await reader.release()
            throw refusal
        }
        guard let uid = CardUID(bytes: identity.uid), identity.isType2 else {
            await reader.release()
            throw .foreign(identity.kind, identity)
        }
        do {
            let success = try await body(identity, uid)
            await reader.release()
            return success
        } catch {
            await reader.release()
            throw error.error.naming(uid)
        }
    }
}

extension KnownCard {
    /// Throws an error unless the card is closed or replaced. A zero balance is not enough.
    func requireEnded() throws(Interruption) {
        if card.status == .closed || card.status == .replaced { return }
        throw .refused(
            Refusal(
                .cardHasMoney,
                "card \(card.uid) is not closed and has a balance of \(balance.shown)"),
            uid: card.uid)
    }
}
