import CardCryptography
import Cards
import TapcardDomain
import TextCodecs

extension FuzzTarget {
    static let cards = [
        FuzzTarget("card-image", checkImage), FuzzTarget("json", checkJSON),
        FuzzTarget("record", checkRecords), FuzzTarget("chip", checkChip),
    ]
}

/// The file of a chip's slots, a grant and an address: the result of reading matches those bytes.
private func checkChip(_ input: [UInt8]) throws {
    let padding = [UInt8](repeating: 0, count: max(0, NTAG424Slots.byteCount - input.count))
    let bytes = Array(input.prefix(NTAG424Slots.byteCount)) + padding
    let found = try unwrap(NTAG424Slots(bytes), "no file of the right size")
    for (place, slot) in found.slots.enumerated() {
        guard let slot else { continue }
        let start = place * NTAG424Slots.byteCount / NTAG424Slots.count
        try require(
            slot.bytes == Array(bytes[start..<(start + NTAG424Slot.byteCount)]),
            "a slot is read as another one")
        try require((0...Grant.maximum).contains(slot.spent), "a sum that no card has")
        try require(found.records[place] == slot.record, "another record")
    }
    let uid = try unwrap(CardUID(bytes: [0x04] + bytes.prefix(6)), "no number")
    let masters = CardKeys(
        macMaster: [UInt8](repeating: 1, count: CardKeys.masterSize),
        passwordMaster: [UInt8](repeating: 2, count: CardKeys.masterSize), keyID: bytes[0] % 16)
    let card = SellingKey(of: uid, from: masters, .usd)
    if let grant = Grant(Array(bytes.prefix(Grant.byteCount)), for: card) {
        try require(
            grant.sealed(for: card) == Array(bytes.prefix(Grant.byteCount)), "another grant")
    }
    if let text = String(validating: input, as: UTF8.self), let file = try? AddressFile(page: text)
    {
        let whole = file.bytes(grant: [UInt8](repeating: 7, count: Grant.byteCount))
        try require(whole.count <= AddressFile.maximumByteCount, "an address that is too long")
        try require(
            AddressFile.grantAt(length: Array(whole.prefix(2))) == file.grantAt,
            "the grant is at another place")
    }
}

private let layouts: [CardLayout] = [.ntag213, .larger]

/// The first byte selects layout and currency, the others are the memory from page 4 on.
private func checkImage(_ input: [UInt8]) throws {
    var choices = Choices(input)
    let choice = Int(choices.byte())
    let layout = layouts[choice % layouts.count]
    let currency = Currency.known[choice / layouts.count % Currency.known.count]
    var memory = choices.bytes(layout.byteCount)
    memory += [UInt8](repeating: 0, count: layout.byteCount - memory.count)
    let image = try unwrap(CardImage(memory, layout: layout), "no image of the right size")
    let content = image.content(in: currency)
    try require(
        content == TagContent(decoding: memory, currency: currency), "records hide a message")
    if let face = content.face { try checkFace(face, layout, currency) }
    if let face = image.remainingFace(in: currency) {
        let remains = try unwrap(image.remains(in: currency), "a face without remains")
        try require(remains.holder == face.holder, "another holder remains")
        try require(remains.extras == face.extras, "other members remain")
    }
}

/// A face that was read can be written again unchanged, as far as the chip has room for it; the
/// app's form leaves code and state to the ledger.
private func checkFace(_ face: CardFace, _ layout: CardLayout, _ currency: Currency) throws {
    try require(
        (0...Currency.largestBalance).contains(face.balance.minorUnits),
        "a balance that no card has")
    guard let area = try? face.area(in: layout) else { return }
    try require(area.count == layout.ndefByteCount, "an area of another size")
    let read = TagContent(decoding: area, currency: currency)
    var expected = face.shown(in: layout)
    if face.style == .iosApp { expected.scratch = .none }
    try require(read.face == expected, "a face is read as another one")
    try? face.requireRoomForCode(in: layout)
}

private func checkJSON(_ input: [UInt8]) throws {
    let prefix = try? JSONValue.parsingPrefix(of: input)
    guard let value = try? JSONValue.parsing(input) else { return }
    let found = try unwrap(prefix, "a whole text is no beginning of one")
    try require(found.value == value && found.end <= input.count, "a beginning is another value")
    for text in [value.text, value.prettyText] {
        try require(try JSONValue.parsing(Array(text.utf8)) == value, "another value is read")
    }
    for currency in [Currency.usd, Currency.known[14], Currency.known[16]] {
        guard let face = try? CardFace(value, currency: currency) else { continue }
        for layout in layouts { try checkFace(face, layout, currency) }
    }
}

private let masters = Array(UInt8(0)..<0x20)
private let uid = CardUID(bytes: [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
private let keys = KeyRing.fresh(created: "2026-01-01") { Array(masters.prefix($0)) }
private let holders: [Holder] = [
    .nobody, Holder(id: try? HolderID(1), name: try? HolderName("Amanda Gonzalez")),
]

/// The bytes of two records: whatever is accepted was sealed with our key, to the last bit.
private func checkRecords(_ input: [UInt8]) throws {
    let layout = CardLayout.ntag213
    let places = (input + [UInt8](repeating: 0, count: 32)).prefix(32)
    let memory = [UInt8](repeating: 0, count: layout.ndefByteCount) + places
    let image = try unwrap(CardImage(memory, layout: layout), "no image of the right size")
    let uid = try unwrap(uid, "no number")
    let slots = RecordSlots(image.records, uid: uid, holders: holders, currency: .usd, keys: keys)
    try require(slots.bytes.flatMap(\.self) == Array(places), "other bytes in the places")
    for (slot, bytes) in zip(slots.slots, slots.bytes) {
        switch slot {
        case .blank: try require(bytes.allSatisfy { $0 == 0 }, "a blank place has content")
        case .broken: try require(SealedRecord(bytes) == nil, "a record is called broken")
        case .retired: try require(false, "no key is retired")
        case .unsealed(let record): try require(record.bytes == bytes, "a record is another one")
        case .valid(let record):
            try require(record.bytes == bytes, "a record is another one")
            let balance = Money(minorUnits: Int64(record.balance), .usd)
            let cardKey = keys.sealing.masters.cardKey(uid: uid.bytes)
            let sealed = holders.map { holder in
                SealedRecord(
                    uid: uid, sequence: record.sequence, balance: balance, state: record.state,
                    holder: holder, keyID: keys.sealing.id,
                    cardKey: cardKey)?.bytes
            }
            try require(sealed.contains(bytes), "a record is believed that was never sealed")
        }
    }
    for confirmed in slots.sequences + [.none] {
        let target = slots.target(keeping: confirmed)
        let holds = slots.slots.map { slot in
            if case .valid(let record) = slot { record.sequence == confirmed } else { false }
        }
        try require(
            holds.contains(true) ? holds[1 - target] : slots.best?.slotIndex != target,
            "the last word would be overwritten")
    }
}
