import CardCryptography
import Cards
import Ledger
public import Tags
public import TapcardDomain

/// Information about a tag, whether or not it is a card.
public struct TagInfo: Sendable, Hashable {
    /// The result of checking the manufacturer's signature. The signature proves who made the chip,
    /// but not that the card is the original.
    public enum Originality: String, Sendable, CaseIterable {
        /// `none` means that the signature consists of zeros, as on chips from some manufacturers,
        /// or that the chip did not return a signature.
        case valid, invalid, none
        /// The chip was not asked, because its model is not known to have a signature.
        case notAsked = "not-asked"

        init(_ signature: [UInt8]?, of uid: CardUID, on chip: Chip? = nil) {
            let isGenuine = signature.flatMap { signature in
                signature.allSatisfy { $0 == 0 }
                    ? nil
                    : CardCryptography.Originality.verify(
                        uid: uid.bytes, signature: signature,
                        of: chip == .ntag424 ? .ntag424 : .ntag21x)
            }
            self.init(isGenuine: isGenuine)
        }

        /// Converts the ledger's value.
        public init(isGenuine: Bool?) {
            self = isGenuine.map { $0 ? .valid : .invalid } ?? .none
        }

        var isGenuine: Bool? {
            switch self {
            case .valid: true
            case .invalid: false
            case .none, .notAsked: nil
            }
        }
    }

    /// The tag's number.
    public let uid: CardUID
    /// The name of the chip.
    public let chip: String
    /// The chip's pages; nil for a chip that has files and keys instead.
    public let pages: Type2Chip?
    /// The number of bytes available to users.
    public let userByteCount: Int
    /// The versions of the chip's keys, starting with key 0; empty for a chip with pages.
    public let keyVersions: [UInt8]
    /// The response to GET_VERSION; nil for a tag that does not support this command.
    public let version: [UInt8]?
    /// The result of checking the manufacturer's signature.
    public let originality: Originality
    /// The kind of content on the tag, as a word in JSON.
    public let ndef: String
    /// How many bytes longer the message on the tag could be.
    public let freeBytes: Int
    /// Whether some pages of the tag can never be written to again.
    public let isLocked: Bool
    /// Whether writing to the tag requires a password or a key.
    public let isProtected: Bool
    /// The chip's settings; nil if it has none.
    public let configuration: AccessConfiguration?
    /// The number of reads since the counter was turned on; nil if it is off.
    public let counter: UInt32?
    /// What a chip with keys reports about itself as a card; nil for a chip with pages.
    package let ntag424Card: NTAG424CardInfo?
}

/// What a chip with keys reports about itself as a card. Nothing here is verified; only a tap
/// verifies a card.
package struct NTAG424CardInfo: Sendable, Hashable {
    /// The ID of this station's key that matches the chip's key versions; nil if none matches.
    package let issuerKey: UInt8?
    /// Whether that key is retired here.
    package let isRetired: Bool
    /// Whether the chip's keys have different versions, because making the card or changing its
    /// keys was interrupted.
    package let isPartlyMade: Bool
    /// The host of the page that phones open when they read the card; nil if there is none.
    package let host: String?
    /// Whether someone permanently switched the chip to its other protocol (LRP). This is detected
    /// only on a card with one of our addresses.
    package let usesLRP: Bool
}

/// Tools for tags of any kind, whether or not they are cards. They never move money.
struct TagTools: StationWork {
    let station: Station

    /// Reads all the information about the tag on the reader.
    func info() async throws(TapcardError) -> TagInfo {
        try await withTag { identity, uid throws(Interruption) in
            if identity.usesBlocks { return try await chipInfo(identity, uid) }
            let tag = try await station.scanner.scanTag(of: identity) { $0.userPages }
            let access = try await station.fitness.access(of: tag)
            var counter: UInt32?
            if access.configuration?.counts == true {
                let bytes = try? await reader.exchange(Type2Command.readCounter.frame)
                // The chip sends its three bytes in little-endian order.
                counter = bytes.flatMap { $0.count == 3 ? $0 : nil }?
                    .reversed().reduce(0) { $0 << 8 | UInt32($1) }
            }
            // The low nibble of the byte is the write access condition; 0 means unrestricted.
            let isReadOnly = tag.capability[3] & 0x0F != 0
            let content = TagContent(decoding: tag.memory, currency: currency)
            return TagInfo(
                uid: uid, chip: tag.kind, pages: tag.chip,
                // A page is four bytes.
                userByteCount: tag.chip.userPages.count * 4, keyVersions: [],
                version: tag.version,
                originality: tag.chip.hasFastRead
                    ? TagInfo.Originality(tag.signature, of: uid) : .notAsked,
                ndef: content.word,
                freeBytes: TagTools.freeBytes(tag.memory, of: tag.chip, content),
                isLocked: access.isLocked || isReadOnly, isProtected: access.isProtected,
                configuration: access.configuration, counter: counter, ntag424Card: nil)
        }
    }

    /// How many bytes longer the message could be. On a card, the space for it ends where the
    /// records begin; on any other tag, the space ends with the user pages.
    private static func freeBytes(
        _ memory: [UInt8], of chip: Type2Chip, _ content: TagContent
    )
        -> Int
    {
        var room = memory.count
        if case .tapcard = content, let layout = chip.model.flatMap(CardLayout.init) {
            room = layout.ndefByteCount
        }
        // If the message cannot be parsed, it is not known which bytes are free.
        guard let area = try? TLVArea(decoding: memory) else { return 0 }
        let terminatorBytes = 1
        let shortHeaderBytes = 2
        // A new message overwrites the padding before the old one, so padding counts as free.
        let used =
            area.message.map {
                $0.valueOffset + $0.value.count - $0.offset + MessagePlan.offset(on: memory)
            } ?? shortHeaderBytes
        return max(0, room - used - terminatorBytes)
    }

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

    /// Waits for a tag of any kind, runs the body, and always releases the tag. If no `refusal` is
    /// given, chips with files instead of pages are accepted, too.
    private func withTag<Success: Sendable>(
        orRefuseChip refusal: TapcardError? = nil,
        _ body: (TagIdentity, CardUID) async throws(Interruption) -> Success
    ) async throws(TapcardError) -> Success {
        let identity = try await waitForTag()
        let hasFiles = identity.usesBlocks
        if hasFiles, let refusal {
            await reader.release()
            throw refusal
        }
        guard let uid = CardUID(bytes: identity.uid), identity.isType2 || hasFiles else {
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

extension TagTools {
    /// Reads everything that a chip reports without authentication. If the result casts doubt on
    /// the chip, the chip is read again in another session.
    private func chipInfo(
        _ identity: TagIdentity, _ uid: CardUID
    ) async throws(Interruption) -> TagInfo {
        do throws(Interruption) {
            let info = try await answeredInfo(identity, uid)
            if info.originality != .invalid { return info }
        } catch {
            guard error.isClaim else { throw error }
        }
        guard try await station.scanner.find(within: Station.returnLimit).uid == uid else {
            throw .card(CardStoreError(.otherTag, "a different tag is on the reader now"))
        }
        return try await answeredInfo(identity, uid)
    }

    private func answeredInfo(
        _ identity: TagIdentity, _ uid: CardUID
    ) async throws(Interruption) -> TagInfo {
        var history = TapHistory()
        let answers = try await station.ntag424Scanner.ask(.all, identity, &history)
        let message = answers.message
        // The file begins with the length of its message.
        let size = FileNumber.ndef.size - AddressFile.lengthByteCount
        let versions = KeyNumber.allCases.compactMap { answers.keyVersions[$0] }
        return TagInfo(
            uid: uid, chip: Chip.ntag424.name, pages: nil, userByteCount: size,
            keyVersions: versions, version: answers.version,
            originality: TagInfo.Originality(answers.signature, of: uid, on: .ntag424),
            ndef: (message.isEmpty
                ? TagContent.empty : TagContent(message: message, currency: currency)).word,
            freeBytes: max(0, size - message.count), isLocked: false,
            // The factory keys are public, so they protect nothing.
            isProtected: versions.contains { $0 != NTAG424CardKeys.factory.version },
            configuration: nil, counter: nil, ntag424Card: card(answers))
    }

    /// What the chip reports about itself as a card. When a card is made, key 3 is changed early
    /// and key 0 last, so the version of key 3 shows which issuer a partly made card belongs to.
    private func card(_ answers: NTAG424Answers) -> NTAG424CardInfo {
        let selling = answers.sellingVersion
        let named =
            selling == NTAG424CardKeys.factory.version
            ? answers.keyVersions.values.max() ?? selling : selling
        let entry =
            named == NTAG424CardKeys.factory.version
            ? nil : keys.entries.first { NTAG424CardKeys.version(of: $0.id) == named }
        var host: String?
        if case .uri(let address) = TagContent(message: answers.message, currency: currency),
            let start = address.firstRange(of: "://")
        {
            let name = address[start.upperBound...].prefix { !"/?#".contains($0) }
            host = name == AddressFile.placeholderHost ? nil : String(name)
        }
        return NTAG424CardInfo(
            issuerKey: entry?.id, isRetired: entry?.status == .retired,
            isPartlyMade: Set(answers.keyVersions.values).count > 1, host: host,
            usesLRP: answers.showsLRP)
    }
}
