/// The file that nfc-mfultralight of libnfc writes (.mfd): only the bytes of every page, so that
/// its length alone identifies the chip. Password and PACK, which no reader sees, are zero.
enum RawDump {
    /// Reads a raw dump. Nil if the length does not fit, or if it begins like text.
    static func parsing(_ file: [UInt8]) throws(Type2Error) -> TagDump? {
        guard let chip = Type2Chip.known.first(where: { $0.pageCount * Page.size == file.count }),
            file.contains(0)
        else { return nil }
        let pages = stride(from: 0, to: file.count, by: Page.size).compactMap {
            Page(Array(file[$0..<$0 + Page.size]))
        }
        // The start of a longer dump is not a dump of a smaller chip.
        if let other = Type2Chip.known.first(where: { $0.factoryCapability == pages[3] }),
            other != chip
        {
            throw Type2Error(
                .contradiction,
                "the file's length fits \(chip.name), but page 3 belongs to \(other.name)")
        }
        // The fourth byte is a check byte.
        return try LinearDump(
            chip: chip, uid: Array(file[0..<3] + file[4..<8]),
            signature: [UInt8](repeating: 0, count: TagMemory.signatureLength), counter: 0,
            failedPasswords: 0, pages: pages
        ).dump()
    }

    /// The possible lengths of such a file, in words.
    static var lengths: String {
        Type2Chip.known.map { "\($0.pageCount * Page.size) of an \($0.name)" }
            .joined(separator: ", ")
    }
}
