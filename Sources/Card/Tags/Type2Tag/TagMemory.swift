/// The permanent memory of a tag, including its secrets.
public struct TagMemory: Hashable, Sendable {
    static let uidLength = 7
    static let packLength = 2
    /// The length of a signature in bytes.
    public static let signatureLength = 32
    static let maximumCounter: UInt32 = 0xFFFFFF
    /// The maximum number of wrong passwords that can be counted: AUTHLIM has three bits.
    static let maximumFailedPasswords = 7

    /// The tag's chip.
    public let chip: Type2Chip
    /// The UID: seven bytes.
    public let uid: [UInt8]
    /// The stored pages, including the real password and PACK.
    public package(set) var pages: [Page] {
        didSet { precondition(pages.count == chip.pageCount, "a tag neither grows nor shrinks") }
    }
    /// The maker's signature for the UID: 32 bytes.
    public package(set) var signature: [UInt8]
    /// The number of reads, 24 bits.
    public package(set) var counter: UInt32 = 0
    /// The number of consecutive wrong passwords.
    public package(set) var failedPasswords = 0

    /// A tag as it leaves the factory; `nil` unless the UID has 7 bytes and the signature has 32.
    public static func blank(
        _ chip: Type2Chip, uid: [UInt8],
        signature: [UInt8] = [UInt8](repeating: 0, count: signatureLength)
    ) -> TagMemory? {
        guard uid.count == uidLength, signature.count == signatureLength else { return nil }
        var memory = TagMemory(
            chip: chip, uid: uid, pages: [Page](repeating: .zero, count: chip.pageCount),
            signature: signature)
        memory.pages.replaceSubrange(0..<3, with: serialPages(of: uid))
        memory[3] = chip.factoryCapability
        for (page, data) in zip(chip.userPages, chip.factoryUser) { memory[page] = data }
        if let page = chip.dynamicLockPage { memory[page] = Page(0, 0, 0, DynamicLock.mark) }
        if let page = chip.configurationPage {
            // The factory values of CFG0 (with AUTH0 FFh), CFG1, and PWD; PACK is zero (NTAG21x
            // data sheet).
            memory[page] = Page(0x04, 0x00, 0x00, 0xFF)
            memory[page + 1] = Page(0x00, 0x05, 0x00, 0x00)
            memory[page + 2] = Page(0xFF, 0xFF, 0xFF, 0xFF)
        }
        return memory
    }

    /// A page as stored. A page past the end reads as zeros and is ignored when set.
    public subscript(_ page: UInt8) -> Page {
        get { pages.indices.contains(Int(page)) ? pages[Int(page)] : .zero }
        set { if pages.indices.contains(Int(page)) { pages[Int(page)] = newValue } }
    }

    /// A page as a reader sees it: the password and PACK can never be read.
    public func visible(_ page: UInt8) -> Page {
        page == chip.passwordPage || page == chip.packPage ? .zero : self[page]
    }

    /// Whether lock bits make this page permanently read-only.
    func isLocked(_ page: UInt8) -> Bool {
        chip.isLocked(page, by: self[2], chip.dynamicLockPage.map { self[$0] } ?? .zero)
    }

    /// Writes a writable page as the chip does: in some pages, bits can be set, but not cleared.
    mutating func program(_ page: UInt8, _ data: Page) {
        switch chip.role(of: page) {
        case .lock: self[page] = StaticLock.merging(data, into: self[page])
        // One-time programmable: bits can be set, but never cleared.
        case .capability: self[page] = self[page] | data
        case .dynamicLock: self[page] = DynamicLock.merging(data, into: self[page])
        // Only two bytes of the page are PACK; the rest is reserved and reads as zeros.
        case .pack: self[page] = Page(data[0], data[1], 0, 0)
        case .user, .configuration, .password: self[page] = data
        case .serial, .absent: break
        }
    }

    /// Pages 0 to 2: the UID with the check bytes of its two halves, and no lock bits set.
    static func serialPages(of uid: [UInt8]) -> [Page] {
        // The check bytes are the ones used in anticollision, whose first level begins with 88h
        // (ISO/IEC 14443-3).
        let cascadeTag: UInt8 = 0x88
        let internalByte: UInt8 = 0x48
        let first = uid.prefix(3)
        let second = uid.dropFirst(3)
        let bytes =
            first + [first.reduce(cascadeTag, ^)]
            + second + [second.reduce(0, ^), internalByte, 0, 0]
        return stride(from: 0, to: bytes.count, by: Page.size).compactMap {
            Page(bytes.dropFirst($0).prefix(Page.size))
        }
    }
}

extension Type2Chip {
    /// Whether tapcard can make the chip read-only, because its lock bits are known.
    package var canLock: Bool { dynamicLockPage != nil }

    /// Page 2 and the dynamic lock page with all lock bits set; `nil` if frozen lock bits leave a
    /// page writable, or if the chip's lock bits are not known.
    package func lockedPages(
        _ fixed: Page, _ dynamic: Page
    ) -> (fixed: Page, dynamic: Page)? {
        guard canLock else { return nil }
        let count = Int(userPages.upperBound) - Int(DynamicLock.firstPage) + 1
        let all = DynamicLock.locking(count, pagesPerBit: pagesPerDynamicLock)
        let fixed = StaticLock.merging(Page(0, 0, 0xFF, 0xFF), into: fixed)
        let dynamic = DynamicLock.merging(all, into: dynamic)
        // Page 3 holds the capability container.
        let isWhole = ([3] + userPages).allSatisfy { isLocked($0, by: fixed, dynamic) }
        return isWhole ? (fixed, dynamic) : nil
    }

    /// Whether the lock bits in page 2 or in the dynamic lock page make a page permanently
    /// read-only.
    public func isLocked(_ page: UInt8, by fixed: Page, _ dynamic: Page) -> Bool {
        if StaticLock(fixed).locks(page) { return true }
        guard dynamicLockPage != nil, userPages.contains(page) else { return false }
        return DynamicLock(dynamic).locks(page, pagesPerBit: pagesPerDynamicLock)
    }
}
