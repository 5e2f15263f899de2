import CardCryptography
import Cards
import TapcardDomain
import TestSupport
import Testing

/// No content of a tag may stop the program or change how its undamaged parts are read.
@Suite("Damaged card images")
struct DamagedImageTests {
    /// Reads an image in every way that the program does.
    private func readEverything(_ image: CardImage) -> TagContent {
        _ = image.remains(in: .usd)
        _ = image.records.map(SealedRecord.init)
        return image.content(in: .usd)
    }

    @Test(
        "A card cut short before its terminator is not read as a card",
        arguments: [CardLayout.ntag213, .larger])
    func truncated(layout: CardLayout) throws {
        let image = try Example().image(layout)
        let bytes = image.area + image.records.joined()
        let end = try #require(image.area.lastIndex(of: 0xFE))
        for count in bytes.indices {
            let content = TagContent(decoding: Array(bytes[..<count]), currency: .usd)
            // The terminator may be missing, nothing before it.
            #expect((content.face != nil) == (count >= end), "\(count)")
        }
    }

    @Test(
        "One changed byte never stops the program or affects another part of the card",
        arguments: [CardLayout.ntag213, .larger])
    func changedByte(layout: CardLayout) throws {
        let image = try Example().image(layout)
        let bytes = image.area + image.records.joined()
        let content = readEverything(image)
        let end = try #require(image.area.lastIndex(of: 0xFE))
        for index in bytes.indices {
            for value in Thoroughness.some(Array(UInt8.min...UInt8.max), of: 5)
            where value != bytes[index] {
                var changed = bytes
                changed[index] = value
                let damaged = try #require(CardImage(changed, layout: layout))
                let found = readEverything(damaged)
                if index > end && found != content { Issue.record("byte \(index) = \(value)") }
                if index < layout.ndefByteCount { continue }
                let place = (index - layout.ndefByteCount) / 16
                if damaged.records[1 - place] != image.records[1 - place] {
                    Issue.record("byte \(index) is in another record")
                }
            }
        }
    }

    @Test("Random bytes are never read as a card", arguments: [CardLayout.ntag213, .larger])
    func random(layout: CardLayout) throws {
        var chance = HashChain(seed: "a card with damage")
        let heads = try [
            "", "03 68 D1 01 64 54", "03 FF 00 68", "03 60 D1 01 5C 54 02 65 6E 7B 22",
        ]
        .map { try bytes($0) }
        for round in 0..<4_000 {
            let bytes = heads[round % heads.count] + chance.bytes(layout.byteCount)
            let image = try #require(
                CardImage(Array(bytes.prefix(layout.byteCount)), layout: layout))
            let content = readEverything(image)
            if content.face != nil { Issue.record("a card made of chance: \(bytes)") }
        }
    }
}

/// Bytes that look random and repeat in every run.
private struct HashChain {
    private var link: [UInt8]

    init(seed: String) { link = SHA256.digest(Array(seed.utf8)) }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            link = SHA256.digest(link)
            bytes += link
        }
        return Array(bytes.prefix(count))
    }
}
