import Cards
import SimulatedReader
import Tags
import Testing

@Suite("Writing a message to the pages of a tag")
struct MessagePlanTests {
    /// Messages of all the lengths at which the layout changes.
    static let messages: [[UInt8]] = [
        [], uri(0), uri(1), uri(5), text(30), text(100), media("a/bc", 40), two(20), text(246),
        text(247), text(248), text(300), media("text/vcard", 60),
    ]

    /// The data areas that tags come with: as from the factory, blank, with padding, with blocks of
    /// other kinds, and with a message without a terminator.
    static let areas: [(name: String, bytes: [UInt8])] = [
        ("NTAG213", [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x00, 0xFE]),
        ("NTAG215", [0x03, 0x00, 0xFE]),
        ("blank", []),
        ("padding", [0x00, 0x00, 0x00] + block(uri(9))),
        ("proprietary", [0xFD, 0x02, 0xAA, 0xBB] + block(text(40))),
        ("without an end", Array(block(two(30)).dropLast())),
        ("two control blocks", [0x01, 0x03, 1, 2, 3, 0x02, 0x03, 4, 5, 6] + block(text(70))),
        ("long length", [0x03, 0xFF, 0x00, 0x05] + uri(1) + [0xFE]),
        ("length in another page", [0x01, 0x01, 0x00] + block(text(20))),
    ]

    static func uri(_ count: Int) -> [UInt8] {
        encoded([NDEFURI("https://" + letters(count)).record])
    }
    static func text(_ count: Int) -> [UInt8] {
        encoded([NDEFText(language: "en", text: letters(count)).record])
    }
    static func media(_ type: String, _ count: Int) -> [UInt8] {
        encoded([.media(type, (0..<count).map { UInt8($0 * 7 % 256) })])
    }
    static func two(_ count: Int) -> [UInt8] {
        encoded([
            NDEFURI("http://" + letters(count)).record,
            NDEFText(language: "de", text: letters(count)).record,
        ])
    }
    private static func letters(_ count: Int) -> String {
        String((0..<count).map { Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8($0 % 26))) })
    }
    private static func encoded(_ records: [NDEFRecord]) -> [UInt8] {
        (try? NDEFMessage(records).encoded()) ?? []
    }
    private static func block(_ message: [UInt8]) -> [UInt8] { TLVArea.encoded(message: message) }

    /// A data area of the smallest size in steps of eight bytes that holds both, plus some room.
    private static func area(_ beginning: [UInt8], room: Int) -> [UInt8] {
        let count = (max(beginning.count, room) + 23) / 8 * 8
        return beginning + [UInt8](repeating: 0, count: count - beginning.count)
    }

    private static func apply(_ writes: some Sequence<PageWrite>, to area: inout [UInt8]) {
        for write in writes {
            let start = (Int(write.page) - 4) * 4
            area.replaceSubrange(start..<start + 4, with: write.content.bytes)
        }
    }

    private static func message(in area: [UInt8]) -> [UInt8]? {
        TLVArea.leadingBlocks(of: area).last.flatMap { $0.kind == .message ? $0.value : nil }
    }

    @Test("After all WRITEs, the tag holds the message", arguments: areas.indices)
    func written(index: Int) throws {
        for message in Self.messages {
            var area = Self.area(Self.areas[index].bytes, room: message.count + 40)
            let plan = try MessagePlan(message, on: area)
            Self.apply(plan.preparation, to: &area)
            #expect((Self.message(in: area) ?? []).isEmpty)
            Self.apply(plan.completion, to: &area)
            #expect(Self.message(in: area) == message)
            #expect(plan.completion.count <= 1)
            // A second time, there is nothing left to write.
            let again = try MessagePlan(message, on: area)
            #expect(again.preparation.isEmpty && again.completion.isEmpty)
        }
    }

    @Test("Control blocks stay where they are, and no other block does")
    func controlBlocks() throws {
        let factory = Self.area(Self.areas[0].bytes, room: 100)
        let message = Self.uri(5)
        #expect(try Self.beginning(message, factory) == [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03])
        let padded = Self.area(Self.areas[3].bytes, room: 100)
        #expect(
            try Self.beginning(message, padded) == [0x03, UInt8(message.count)] + message.prefix(4))
    }

    private static func beginning(_ message: [UInt8], _ area: [UInt8]) throws -> [UInt8] {
        var area = area
        let plan = try MessagePlan(message, on: area)
        apply(plan.preparation + plan.completion, to: &area)
        return Array(area.prefix(6))
    }

    /// Everything that a WRITE which is cut off may leave in its page.
    static let tears: [TornPage] =
        [.unchanged, .new, .zero]
        + (0..<24).map { .mix(seed: $0) } + (0..<24).map { .someOnes(seed: $0) }
        + (0..<24).map { .erasedToSomeOnes(seed: $0) }
        + (0..<32).flatMap { count -> [TornPage] in
            [
                .lowestOnes(count), .highestOnes(count), .erasedToLowestOnes(count),
                .erasedToHighestOnes(count),
            ]
        }

    @Test(
        "A torn WRITE leaves the old message, none, or the new one", arguments: areas.indices)
    func torn(index: Int) throws {
        var count = 0
        for message in Self.messages {
            let start = Self.area(Self.areas[index].bytes, room: message.count + 40)
            let plan = try MessagePlan(message, on: start)
            let writes = plan.preparation + plan.completion
            for position in writes.indices {
                var before = start
                Self.apply(writes[..<position], to: &before)
                let write = writes[position]
                let first = (Int(write.page) - 4) * 4
                let old = Page(before[first..<first + 4]) ?? .zero
                for tear in Self.tears {
                    var after = before
                    after.replaceSubrange(
                        first..<first + 4, with: tear.content(old: old, new: write.content).bytes)
                    count += 1
                    let what =
                        "\(Self.areas[index].name), \(message.count) bytes, WRITE \(position), \(tear)"
                    Self.expectOldNoneOrNew(after, Self.message(in: start), message, what)
                    // Whatever is left can be written over.
                    let repair = try MessagePlan(message, on: after)
                    Self.apply(repair.preparation + repair.completion, to: &after)
                    #expect(Self.message(in: after) == message)
                }
            }
        }
        #expect(count > 1000)
    }

    /// A phone opens only a valid message. The one mixture that this admits is a message whose type
    /// name was cut short, so that no app is registered for it: its length and the length of its
    /// type lost the same bits.
    private static func expectOldNoneOrNew(
        _ area: [UInt8], _ old: [UInt8]?, _ new: [UInt8], _ what: String
    ) {
        guard let found = message(in: area), !found.isEmpty, found != old, found != new,
            let message = try? NDEFMessage(decoding: found, .strict)
        else { return }
        Issue.record("\(what): \(message)")
    }

    @Test("A message that does not fit is refused with the maximum length")
    func tooLong() throws {
        for size in [48, 144, 256, 264, 496, 872] {
            let area =
                Self.area(Self.areas[1].bytes, room: 0) + [UInt8](repeating: 0, count: size - 24)
            let maximum = MessagePlan.maximumByteCount(in: area.count)
            let fitting = [UInt8](repeating: 0xD0, count: maximum)
            var written = area
            let plan = try MessagePlan(fitting, on: area)
            Self.apply(plan.preparation + plan.completion, to: &written)
            #expect(Self.message(in: written) == fitting)
            #expect(throws: MessageTooLong(byteCount: maximum + 1, maximum: maximum)) {
                try MessagePlan(fitting + [0], on: area)
            }
        }
    }
}
