import Cards
import Ledger
import Tags
import TapcardDomain

/// What a chip's lock bits and settings say about write access.
struct TagAccess: Sendable, Hashable {
    /// Whether lock bits are set for any user page.
    let isLocked: Bool
    /// Whether writing to any page requires a password.
    let isProtected: Bool
    /// Nil for a chip without settings.
    let configuration: AccessConfiguration?
    /// The configuration pages; zero for a chip without settings.
    var cfg0 = Page.zero
    var cfg1 = Page.zero
    /// The static lock bytes, then the dynamic ones.
    var lockBytes: [UInt8] = []
}

extension ScannedTag {
    /// Whether the tag's capability container can still be changed to the correct one for its chip:
    /// bits can be set but never cleared.
    fileprivate var canBeFormatted: Bool {
        zip(capability, chip.factoryCapability.bytes).allSatisfy { found, wanted in
            found & ~wanted == 0
        }
    }
}

/// Determines whether a tag can be written to and can hold a card.
struct TagFitness: StationWork {
    let station: Station

    /// Reads the lock bits and the configuration. This takes one more command.
    /// Pass `layout` for a chip that cannot become a card.
    func access(
        of tag: ScannedTag, _ layout: Type2Chip? = nil
    ) async throws(Interruption) -> TagAccess {
        let chip = layout ?? tag.chip
        guard let first = chip.configurationPage else {
            return TagAccess(
                isLocked: tag.locks.contains { $0 != 0 }, isProtected: false, configuration: nil,
                lockBytes: tag.locks)
        }
        // The three pages are adjacent: dynamic lock bits, which small chips lack, CFG0, and CFG1.
        let start = chip.dynamicLockPage ?? first
        let bytes = try await reader.performInTap(
            ReadPages(start...first + 1, maximumAnswerLength: await reader.maximumAnswerLength))
        let dynamic = bytes.dropLast(2 * Page.size).prefix(3)
        guard let cfg0 = Page(bytes.suffix(2 * Page.size).prefix(Page.size)),
            let cfg1 = Page(bytes.suffix(Page.size))
        else {
            throw .card(CardStoreError(.garbled, "the tag returned fewer pages than requested"))
        }
        let configuration = AccessConfiguration(cfg0, cfg1)
        return TagAccess(
            isLocked: (tag.locks + dynamic).contains { $0 != 0 },
            isProtected: chip.isProtected(by: configuration), configuration: configuration,
            cfg0: cfg0, cfg1: cfg1, lockBytes: tag.locks + dynamic)
    }

    /// Refuses one of our cards if its tag has lock bits set, which can never be cleared.
    func requireUnlocked(_ reading: CardReading, _ chip: Type2Chip) async throws(Interruption) {
        guard let lockPage = chip.dynamicLockPage, let pages = reading.pages?.layout.pages else {
            return
        }
        let maxLength = await reader.maximumAnswerLength
        // Page 02h contains the static lock bytes.
        let fixed = try await reader.performInTap(ReadPages(2...2, maximumAnswerLength: maxLength))
        let dynamic = try await reader.performInTap(
            ReadPages(lockPage...lockPage, maximumAnswerLength: maxLength))
        guard let fixed = Page(fixed[...]), let dynamic = Page(dynamic[...]) else {
            throw .card(CardStoreError(.garbled, "the tag returned fewer pages than requested"))
        }
        guard pages.contains(where: { chip.isLocked($0, by: fixed, dynamic) }) else { return }
        throw .refused(
            .lockedTag,
            "Someone set the tag's lock bits, so the pages with the card's data can never be "
                + "written to again.",
            meaning: TapcardError.moneyIsSafe,
            next: [.trust(.replace(nil)), .tag(.show)], uid: reading.uid)
    }

    /// Refuses one of our cards if its settings make the tag return bytes other than those written
    /// to its records.
    func requireShown(
        _ reading: CardReading, _ settings: AccessConfiguration
    ) throws(Interruption) {
        guard let layout = reading.pages?.layout, let first = layout.recordPages.first,
            settings.mirrors(onto: first...layout.pages.upperBound)
        else { return }
        throw .refused(mirrorError(reading.uid, .trust(.replace(nil))))
    }

    private func mirrorError(_ uid: CardUID, _ step: NextStep) -> TapcardError {
        TapcardError(
            .unsupportedTag,
            "The tag cannot be used because its ASCII mirror is turned on: it shows its UID or "
                + "counter in place of the bytes "
                + "written.", meaning: TapcardError.nothingWritten, next: [step],
            uid: uid)
    }

    /// Refuses a tag that cannot hold a card, based on its first reading.
    func requireFit(_ tag: ScannedTag, _ uid: CardUID) throws(Interruption) {
        let unchanged = TapcardError.nothingWritten
        let capability = tag.capability
        // These are the magic number of an NFC Forum tag and major version 1.
        guard capability[0] == 0xE1, capability[1] >> 4 == 1 else {
            throw .refused(
                .unsupportedTag,
                "The tag cannot be used as a card: it has no NDEF format (no capability "
                    + "container).",
                meaning: unchanged,
                next: [.tag(tag.canBeFormatted ? .formatForNFC : .useFactoryTag)], uid: uid)
        }
        guard let layout = tag.chip.model.flatMap(CardLayout.init) else {
            throw .refused(
                .unsupportedTag,
                "\(tag.kind.withArticle) cannot be used as a card: tapcard can only read this chip "
                    + "model.",
                meaning: unchanged, next: [.tag(.useKnownChip)], uid: uid)
        }
        // The capability container specifies the available space in units of eight bytes.
        guard Int(capability[2]) * 8 >= layout.ndefByteCount else {
            throw .refused(
                .unsupportedTag,
                "The tag cannot be used as a card: its capability container states "
                    + "\(Int(capability[2]) * 8) bytes, but \(layout.ndefByteCount) are "
                    + "needed.", meaning: unchanged,
                next: [.tag(.useKnownChip)], uid: uid)
        }
        // The low nibble is the write access condition; 0 means unrestricted.
        if capability[3] & 0x0F != 0 || tag.locks.contains(where: { $0 != 0 }) {
            throw .refused(lockedTag(uid))
        }
    }

    private func lockedTag(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .lockedTag,
            "The tag cannot be used as a card: it is write-locked and can only be read.",
            meaning: TapcardError.nothingWritten, next: [.tag(.useUnlocked)], uid: uid)
    }

    /// Refuses a tag that cannot hold a card, before anything is written to it. Returns the state
    /// of its protection, based on the tag's own evidence and the ledger's state.
    func requireWritable(
        _ tag: ScannedTag, _ identity: TagIdentity, _ uid: CardUID, known: LedgerCard?,
        protecting: Bool = false
    ) async throws(Interruption) -> CardProtection {
        try requireFit(tag, uid)
        let access = try await access(of: tag)
        if access.isLocked { throw .refused(lockedTag(uid)) }
        guard let configuration = access.configuration else { return .off }
        // A mirror replaces bytes on every read, so a record could not be read back as written.
        if configuration.mirrorPage != nil {
            throw .refused(
                mirrorError(
                    uid,
                    known.map { $0.protection != .off } ?? false
                        ? .tag(.protectAgain) : .tag(.useAnother)))
        }
        if protecting, configuration.isLocked { throw .refused(.lockedSettings(uid)) }
        let recorded = known?.protection
        // No password is sent to a tag that is unprotected and will stay unprotected.
        guard access.isProtected || protecting || recorded ?? .off != .off else { return .off }
        return (recorded ?? .off).corrected(
            by: try await station.passwords.evidence(
                on: identity, tag.chip, configuration, noted: recorded))
    }
}

extension TapcardError {
    /// The error for a chip whose manufacturer's signature is invalid.
    static func invalidSignature(_ reading: CardReading) -> TapcardError {
        TapcardError(
            .unsupportedTag,
            "The manufacturer's signature is invalid; the chip claims to be \(reading.chip) but is "
                + "counterfeit.", meaning: nothingWritten,
            next: [.tag(.useAnotherOrAllowAnyChip)], uid: reading.uid)
    }
}
