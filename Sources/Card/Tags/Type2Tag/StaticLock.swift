/// The lock bits for pages 3 to 15: bytes 2 and 3 of page 2.
struct StaticLock {
    /// Starting with bit 3, bit n locks page n. Bits 0 to 2 freeze the lock bits of page 3, of
    /// pages 4 to 9, and of pages 10 to 15.
    private let bits: UInt16

    init(_ page: Page) {
        bits = UInt16(page[2]) | UInt16(page[3]) << 8
    }

    func locks(_ page: UInt8) -> Bool {
        // In Swift, `<<` binds more tightly than `&`.
        (3...15).contains(page) && bits & 1 << page != 0
    }

    /// Page 2 after a write: the serial number stays the same, and bits can only be set, never
    /// cleared.
    static func merging(_ written: Page, into page: Page) -> Page {
        let old = StaticLock(page)
        // The old block bits apply, so one write can set a lock bit and freeze it.
        let bits = old.bits | StaticLock(written).bits & ~old.frozen
        return Page(
            page[0], page[1], UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8))
    }

    private var frozen: UInt16 {
        var mask: UInt16 = 0
        if bits & 0b001 != 0 { mask |= 0x0008 }
        if bits & 0b010 != 0 { mask |= 0x03F0 }
        if bits & 0b100 != 0 { mask |= 0xFC00 }
        return mask
    }
}
