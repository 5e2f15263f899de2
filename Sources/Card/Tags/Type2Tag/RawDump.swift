/// The file that libnfc's nfc-mfultralight writes (.mfd). It contains nothing but the bytes of the
/// pages, so the chip can be identified only by the file's length. The password and PACK, which no
/// reader can see, are zeros.
enum RawDump {
    /// Reads a raw dump. `nil` if no chip's dump has this length, or if the file looks like text.
    static func parsing(_ file: [UInt8]) throws(Type2Error) -> TagDump? {
        guard let chip = Type2Chip.known.first(where: { $0.pageCount * Page.size == file.count }),
            // A text file may happen to have this length, but it has no zero byte, whereas every
            // raw dump has at least one.
            file.contains(0)
        else { return nil }
        // The length is a multiple of the page size, so no page is dropped.
        let pages = stride(from: 0, to: file.count, by: Page.size).compactMap {
            Page(Array(file[$0..<$0 + Page.size]))
        }
        // The start of a longer dump must not be mistaken for the dump of a smaller chip.
        if let other = Type2Chip.known.first(where: { $0.factoryCapability == pages[3] }),
            other != chip
        {
            throw Type2Error(
                .contradiction,
                "the file's length fits \(chip.name), but page 3 belongs to \(other.name)")
        }
        // The fourth byte is the check byte for the first three.
        return try LinearDump(
            chip: chip, uid: Array(file[0..<3] + file[4..<8]),
            signature: [UInt8](repeating: 0, count: TagMemory.signatureLength), counter: 0,
            failedPasswords: 0, pages: pages
        ).dump()
    }

    /// The possible lengths of such a file, as text.
    static var lengths: String {
        Type2Chip.known.map { "\($0.pageCount * Page.size) for an \($0.name)" }
            .joined(separator: ", ")
    }
}
