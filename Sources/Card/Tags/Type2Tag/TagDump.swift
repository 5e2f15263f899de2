import TextCodecs

/// The known content of a tag's memory. Its text form is versioned, and people can read, compare,
/// and edit it.
///
///     tapcard tag 1
///     chip: NTAG213
///     uid: 04AC6B72BA6C80
///     page 00: 04 AC 6B 4B
///     ...
///
/// Lines that begin with `#` are comments. A page that could not be read is `-- -- -- --`.
public struct TagDump: Hashable, Sendable {
    /// The maximum length of the text that is read, in bytes.
    public static let maximumTextBytes = 65_536

    /// The tag's chip.
    public let chip: Type2Chip
    /// Seven bytes.
    public let uid: [UInt8]
    /// One element for each page of the chip; `nil` for a page that could not be read.
    public let pages: [Page?]
    /// 32 bytes, if the chip returned them.
    public let signature: [UInt8]?
    /// 24 bits, if the chip counts reads and returned its counter.
    public let counter: UInt32?
    /// The parts that no reader can read; `nil` if the dump does not have them.
    public var secrets: Secrets?

    /// Throws if these values cannot form a dump of this chip.
    public init(
        chip: Type2Chip, uid: [UInt8], pages: [Page?], signature: [UInt8]? = nil,
        counter: UInt32? = nil
    ) throws(Type2Error) {
        guard uid.count == TagMemory.uidLength else {
            throw Type2Error(
                .wrongUID, "the UID has \(uid.count) bytes, not \(TagMemory.uidLength)")
        }
        guard pages.count == chip.pageCount else {
            throw Type2Error(
                pages.count < chip.pageCount ? .missingPage : .excessPage,
                "\(pages.count) pages, but \(chip.name) has \(chip.pageCount)")
        }
        guard signature.map({ $0.count == TagMemory.signatureLength }) ?? true else {
            throw Type2Error(
                .badValue, "the signature must have \(TagMemory.signatureLength) bytes")
        }
        guard counter.map({ $0 <= TagMemory.maximumCounter }) ?? true else {
            throw Type2Error(.badValue, "the counter can be at most \(TagMemory.maximumCounter)")
        }
        // Only the NTAG21x family has the commands that return these two values.
        guard chip.hasFastRead || (signature == nil && counter == nil) else {
            throw Type2Error(
                .contradiction, "a \(chip.name) has neither a signature nor a counter")
        }
        self.chip = chip
        self.uid = uid
        self.pages = pages
        self.signature = signature
        self.counter = counter
    }

    /// The dump that a reader with access to every page would produce.
    public init(_ memory: TagMemory) {
        self.init(memory: memory, withSecrets: false)
    }

    /// A dump with everything that the tag stores, or with only what a reader would see.
    public init(memory: TagMemory, withSecrets: Bool) {
        chip = memory.chip
        uid = memory.uid
        pages = memory.pages.indices.map { UInt8(exactly: $0).map(memory.visible) }
        signature = chip.hasFastRead ? memory.signature : nil
        // A tag that does not count reads refuses to return its counter.
        let showsCounter = withSecrets || AccessConfiguration(of: memory).counts
        counter = chip.hasFastRead && showsCounter ? memory.counter : nil
        secrets = withSecrets ? Secrets(of: memory) : nil
    }

    /// The memory of a tag that would produce this dump.
    ///
    /// Missing secrets are replaced with the factory values, because the real ones cannot be read.
    /// Throws if a page could not be read, or if the pages belong to a different UID.
    public func memory() throws(Type2Error) -> TagMemory {
        let blank =
            if let signature {
                TagMemory.blank(chip, uid: uid, signature: signature)
            } else {
                TagMemory.blank(chip, uid: uid)
            }
        guard var memory = blank else {
            throw Type2Error(.contradiction, "no tag can have these values")
        }
        for (number, page) in zip(UInt8.min..., pages) {
            guard let page else {
                throw Type2Error(.unreadPage, "page \(Hexadecimal.encode([number]))")
            }
            let role = chip.role(of: number)
            // In the dump, these pages are zeros, so the factory values stay unless `secrets` has
            // other values.
            if role == .password || role == .pack { continue }
            // `blank` has already written the serial pages for this UID.
            guard role != .serial || page == memory[number] else {
                throw Type2Error(
                    .contradiction, "page \(Hexadecimal.encode([number])) does not match this UID")
            }
            memory[number] = page
        }
        memory.counter = counter ?? 0
        secrets?.write(to: &memory)
        return memory
    }
}
