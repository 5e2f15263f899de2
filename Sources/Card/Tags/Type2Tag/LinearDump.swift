import TextCodecs

/// A dump in the form in which Flipper and Proxmark3 files store it: the pages from page 0 without
/// a gap, the password and PACK in the pages where the tag stores them, and zeros for everything
/// unknown.
struct LinearDump {
    let chip: Type2Chip
    let uid: [UInt8]
    /// The signature: 32 bytes, all zeros if unknown.
    let signature: [UInt8]
    /// The counter: zero if unknown.
    let counter: UInt32
    let failedPasswords: Int
    /// The pages, starting at page 0.
    let pages: [Page]

    /// The index of an NTAG21x's counter; the two before it belong to other chips.
    static let counterNumber = 2
    static let counterNumbers = 0...2

    /// Converts this to a `TagDump`. Zeros mean unknown, unless the secrets show that the dump is
    /// complete.
    func dump() throws(Type2Error) -> TagDump {
        guard pages.count <= chip.pageCount else {
            throw Type2Error(
                .excessPage, "\(pages.count) pages, but \(chip.name) has \(chip.pageCount)")
        }
        guard hasOwnPages else { throw Type2Error(.contradiction, mismatch) }
        var visible: [Page?] = pages
        visible += [Page?](repeating: nil, count: chip.pageCount - pages.count)
        var secrets: TagDump.Secrets?
        if let passwordPage = chip.passwordPage.map(Int.init),
            let packPage = chip.packPage.map(Int.init)
        {
            if pages.indices.contains(packPage) {
                secrets = try self.secrets(pages[passwordPage], pages[packPage])
            }
            // In a `TagDump`, these pages are zeros, as every reader sees them; `secrets` has the
            // real content.
            for page in [passwordPage, packPage] where pages.indices.contains(page) {
                visible[page] = .zero
            }
        }
        let isAllKnown = secrets != nil
        // In a complete dump, even a signature of zeros counts as known.
        let isSigned = isAllKnown || signature.contains { $0 != 0 }
        var dump = try TagDump(
            chip: chip, uid: uid, pages: visible, signature: isSigned ? signature : nil,
            counter: isAllKnown || counter > 0 ? counter : nil)
        dump.secrets = secrets
        return dump
    }

    private func secrets(
        _ password: Page, _ pack: Page
    ) throws(Type2Error) -> TagDump.Secrets? {
        let pack = Array(pack.bytes.prefix(TagMemory.packLength))
        // No reader can read the password and PACK, so most dumps have zeros here.
        if password == .zero && pack.allSatisfy({ $0 == 0 }) { return nil }
        return try TagDump.Secrets(
            password: password.bytes, pack: pack,
            failedPasswords: min(failedPasswords, TagMemory.maximumFailedPasswords))
    }

    /// Whether the first pages contain this UID and its check bytes. The rest of the third page
    /// does not depend on the UID.
    private var hasOwnPages: Bool {
        let serial = TagMemory.serialPages(of: uid)
        let checkedBytes = 2 * Page.size + 1
        return zip(pages.flatMap(\.bytes), serial.flatMap(\.bytes)).prefix(checkedBytes)
            .allSatisfy { $0 == $1 }
    }

    private var mismatch: String {
        "pages 0 to 2 do not match the UID \(Hexadecimal.encode(uid))"
    }
}

extension LinearDump {
    /// Throws for a dump that only tapcard's own format can represent.
    init(_ dump: TagDump) throws(Type2Error) {
        guard dump.chip.version != nil else {
            throw Type2Error(.inexpressible, "the chip of a \(dump.chip.name)")
        }
        var pages = dump.pages.prefix { $0 != nil }.compactMap(\.self)
        // These formats do not allow gaps: a dump ends at the first page that could not be read.
        if let late = dump.pages.indices.first(where: { $0 > pages.count && dump.pages[$0] != nil })
        {
            throw Type2Error(
                .inexpressible,
                "that page \(pages.count) was unreadable while page \(late) was readable")
        }
        let hidden = [dump.chip.passwordPage, dump.chip.packPage].compactMap(\.self).map(Int.init)
        // In these formats, the pages contain PWD and PACK themselves, or zeros if they are
        // unknown.
        guard hidden.allSatisfy({ dump.pages[$0] == nil || dump.pages[$0] == .zero }) else {
            throw Type2Error(
                .inexpressible, "content in pages that a reader sees only as zeros")
        }
        if let secrets = dump.secrets {
            try LinearDump.put(secrets, into: &pages, of: dump.chip)
        }
        chip = dump.chip
        uid = dump.uid
        signature = dump.signature ?? [UInt8](repeating: 0, count: TagMemory.signatureLength)
        counter = dump.counter ?? 0
        failedPasswords = dump.secrets?.failedPasswords ?? 0
        self.pages = pages
        guard hasOwnPages else { throw Type2Error(.inexpressible, "that " + mismatch) }
    }

    private static func put(
        _ secrets: TagDump.Secrets, into pages: inout [Page], of chip: Type2Chip
    ) throws(Type2Error) {
        guard pages.count == chip.pageCount else {
            throw Type2Error(.inexpressible, "the password of a partly read tag")
        }
        // Zeros would be read back as unknown.
        guard (secrets.password + secrets.pack).contains(where: { $0 != 0 }) else {
            throw Type2Error(.inexpressible, "a password and PACK that are known to be zero")
        }
        // On every chip with a password, PWD and PACK are the last two pages.
        pages[pages.count - 2] = Page(secrets.password) ?? .zero
        pages[pages.count - 1] = Page(secrets.pack + [0, 0]) ?? .zero
    }
}
