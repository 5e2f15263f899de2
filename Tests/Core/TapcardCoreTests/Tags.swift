import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardDomain
import Testing

/// Access to the tags of a world without the code under test.
extension World {
    func tag() async throws -> TagMemory { try await reader.change { $0.tags[0] } }

    func uid() async throws -> CardUID { try #require(CardUID(bytes: try await tag().uid)) }

    /// Puts the first tag back on the reader and disarms any fault.
    func putBack() async throws {
        try await reader.change { world in
            world.fault = nil
            world.put([world.tags[0].uid])
        }
        await reader.release()
    }

    /// Puts a new or changed tag on the reader, in place of what is there.
    func put(_ tag: TagMemory) async throws {
        try await reader.change { world in
            world.save(tag)
            world.put([tag.uid])
        }
        await reader.release()
    }

    /// Changes the first tag as another program would.
    func alter(_ body: (inout TagMemory) -> Void) async throws {
        var tag = try await tag()
        body(&tag)
        try await put(tag)
    }

    /// A blank tag with another number.
    static func otherTag(_ chip: Type2Chip = .ntag213) throws -> TagMemory {
        try #require(TagMemory.blank(chip, uid: otherUID))
    }

    /// The records on the first tag.
    func slots() async throws -> RecordSlots {
        let tag = try await tag()
        return RecordSlots(
            try tag.image.records, uid: try await uid(), holders: try tag.holders, currency: .usd,
            keys: keys)
    }
}

extension TagMemory {
    var layout: CardLayout {
        get throws { try #require(chip.model.flatMap(CardLayout.init)) }
    }

    var image: CardImage {
        get throws {
            let layout = try layout
            return try #require(CardImage(layout.pages.flatMap { self[$0].bytes }, layout: layout))
        }
    }

    var content: TagContent {
        get throws { try image.content(in: .usd) }
    }

    /// The cardholders for whom a record on the tag may have been sealed.
    var holders: [Holder] {
        get throws { [.nobody] + (try image.remains(in: .usd).map { [$0.holder] } ?? []) }
    }

    /// Puts a message where phones look for it, as any other writer would.
    mutating func lay(_ records: NDEFRecord...) throws {
        var bytes = TLVArea.encoded(message: try NDEFMessage(records).encoded())
        bytes += [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        for (index, start) in stride(from: 0, to: bytes.count, by: 4).enumerated() {
            let page = try #require(Page(bytes[start..<start + 4]))
            self[UInt8(4 + index)] = page
        }
    }

    /// Copies everything that a thief could copy from another chip.
    mutating func copy(_ other: TagMemory) {
        for page in chip.userPages { self[page] = other[page] }
    }

    /// Flips bits of one byte, counted from the start of page 0.
    mutating func flip(_ mask: UInt8, at byte: Int) {
        self[UInt8(byte / 4)][byte % 4] ^= mask
    }

    /// The JSON of the existing iPhone app, in a Text record without the language it should have.
    static func appRecord(_ json: String) -> NDEFRecord {
        NDEFRecord(format: .wellKnown, type: Array("T".utf8), id: [], payload: Array(json.utf8))
    }

    static let appJSON =
        #"{"firstName":"Amanda","lastName":"Gonzalez","accountValue":12.5,"id":1}"#
}
