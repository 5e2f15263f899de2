/// The lock bits for user pages 16 and up: bytes 0 and 1 of the dynamic lock page.
///
/// Bits that belong to no page are kept as written; they have no effect.
struct DynamicLock {
    static let firstPage: UInt8 = 16
    /// The fixed value of byte 3.
    static let mark: UInt8 = 0xBD

    /// The lock bits: bit n locks the n-th run of pages.
    private let bits: UInt16
    /// The block bits: bit n freezes the lock bits 2n and 2n + 1.
    private let blocks: UInt8

    init(_ page: Page) {
        bits = UInt16(page[0]) | UInt16(page[1]) << 8
        blocks = page[2]
    }

    /// Whether a user page is locked when each bit locks this many pages.
    func locks(_ page: UInt8, pagesPerBit: UInt8) -> Bool {
        guard page >= DynamicLock.firstPage, pagesPerBit > 0 else { return false }
        // In Swift, `<<` binds more tightly than `&`.
        return bits & 1 << ((page - DynamicLock.firstPage) / pagesPerBit) != 0
    }

    /// Returns the lock page that makes this many pages read-only and freezes their lock bits.
    static func locking(_ pageCount: Int, pagesPerBit: UInt8) -> Page {
        let bitCount = (pageCount + Int(pagesPerBit) - 1) / Int(pagesPerBit)
        let bits = UInt16(truncatingIfNeeded: (1 << bitCount) - 1)
        // Each block bit freezes two lock bits.
        let blocks = UInt8(truncatingIfNeeded: (1 << ((bitCount + 1) / 2)) - 1)
        return Page(
            UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8), blocks, mark)
    }

    /// The lock page after a write: bits can only be set, never cleared.
    static func merging(_ written: Page, into page: Page) -> Page {
        let old = DynamicLock(page)
        let new = DynamicLock(written)
        let bits = old.bits | new.bits & ~old.frozen
        return Page(
            UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
            old.blocks | new.blocks, mark)
    }

    private var frozen: UInt16 {
        // A block bit freezes the two corresponding lock bits: they can no longer be set.
        (0..<8).reduce(0) { blocks & 1 << $1 == 0 ? $0 : $0 | 0b11 << (2 * $1) }
    }
}
