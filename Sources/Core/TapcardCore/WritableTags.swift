import CardImage
import CardStore
import Ledger
import TagReading
import TapcardDomain
import Type2Tag

/// What a chip's settings say about writing, beside its memory.
struct TagAccess: Sendable, Hashable {
    /// Lock bits are set for some user pages.
    let isLocked: Bool
    /// A password is asked for from some page on.
    let isProtected: Bool
    /// The NFC counter counts.
    let countsReads: Bool
}

extension Station {
    private static let counterEnabled: UInt8 = 0x10

    /// Reads lock bits and configuration: one command beyond the first sight.
    func access(of tag: SightedTag) async throws(Interruption) -> TagAccess {
        let isLocked = tag.locks.contains { $0 != 0 }
        guard let lockPage = tag.chip.dynamicLockPage, let first = tag.chip.configurationPage else {
            return TagAccess(isLocked: isLocked, isProtected: false, countsReads: false)
        }
        let bytes = try await performing(
            ReadPages(lockPage...first + 1, longestAnswer: await reader.longestAnswer))
        guard bytes.count == 12 else {
            throw .card(CardStoreError(.garbled, "the tag gave fewer pages than asked for"))
        }
        return TagAccess(
            isLocked: isLocked || bytes[0..<3].contains { $0 != 0 },
            isProtected: Int(bytes[7]) < tag.chip.pageCount,
            countsReads: bytes[8] & Station.counterEnabled != 0)
    }

    /// Refuses a tag on which a card could not be kept, before anything is written to it.
    func requireWritable(_ tag: SightedTag, _ uid: CardUID) async throws(Interruption) {
        let unchanged = "Nothing was written to it."
        let capability = tag.capability
        guard capability[0] == 0xE1, capability[1] >> 4 == 1 else {
            throw .refused(
                TapcardError(
                    .unsupportedTag,
                    "The tag is not formatted for NFC: its capability container is missing.",
                    meaning: unchanged,
                    advice: "Such bits can never be taken back; use a tag from the factory.",
                    uid: uid))
        }
        guard let layout = CardLayout(chipNamed: tag.chip.name) else {
            throw .refused(
                TapcardError(
                    .unsupportedTag, "A \(tag.chip.name) is a chip that tapcard only reads.",
                    meaning: unchanged, advice: "Use NTAG213, 215 or 216.", uid: uid))
        }
        guard Int(capability[2]) * 8 >= layout.ndefByteCount else {
            throw .refused(
                TapcardError(
                    .unsupportedTag,
                    "The tag says it has room for \(Int(capability[2]) * 8) bytes; "
                        + "a card takes \(layout.ndefByteCount).", meaning: unchanged,
                    advice: "Use NTAG213, 215 or 216.", uid: uid))
        }
        let access = try await access(of: tag)
        if capability[3] & 0x0F != 0 || access.isLocked {
            throw .refused(
                TapcardError(
                    .lockedTag, "The tag is locked: it can only be read.", meaning: unchanged,
                    advice: "Lock bits can never be taken back; use another tag.",
                    uid: uid))
        }
        if access.isProtected {
            throw .refused(
                TapcardError(
                    .protectedTag, "The tag is protected by somebody's password.",
                    meaning: unchanged, advice: "Use another tag.", uid: uid))
        }
    }
}
