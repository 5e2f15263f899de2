import SimulatedReader
import Tags
import Testing

/// What a phone reads on a simulated tag, and the NTAG's counter of its readings.
@Suite("A phone at a simulated tag") struct PhoneTests {
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// A chip whose file shows its number and its counter in a message that takes several reads.
    private static func chip(_ read: AccessCondition = .free) throws -> NTAG424Memory {
        var chip = NTAG424Memory.signedExample
        let message = Array(String(repeating: "x", count: 150).utf8)
        chip[.ndef].bytes.replaceSubrange(0..<152, with: [0, 150] + message)
        chip[.ndef].settings = FileSettings(
            mode: .plain,
            rights: AccessRights(
                read: read, write: .key(.four), readWrite: .key(.four),
                change: .key(.application)),
            mirror: MirrorSettings(identity: .plain(uid: 10, reads: 110), proof: nil))
        return chip
    }

    @Test("A phone gets the whole message, and each reading raises the counter by one")
    func counts() throws {
        var field = Simulation(chips: [try Self.chip()])
        let number = field.chips[0].number
        for reading in 1...3 {
            let seen = field.showToPhone(number, random: Self.zeros)
            guard case .message(let message?, let reads)? = seen else {
                Issue.record("the chip lets everybody read")
                return
            }
            #expect(reads == UInt32(reading) && message.count == 150)
            let text = String(decoding: message, as: UTF8.self)
            #expect(text.dropFirst(8).prefix(14) == "04518DFAA96180")
            #expect(text.dropFirst(108).prefix(6) == "00000\(reading)")
        }
        #expect(field.chips[0].reads == 3 && field.onReader.isEmpty)
    }

    @Test("A phone gets nothing from a locked chip or a missing tag, and never reads past the file")
    func refused() throws {
        var chip = try Self.chip(.key(.four))
        var field = Simulation(chips: [chip])
        let locked = field.showToPhone(chip.number, random: Self.zeros)
        #expect(locked == .message(nil, reads: 0))
        let missing = field.showToPhone([1, 2, 3], random: Self.zeros)
        #expect(missing == nil)
        // A message that says it is longer than its file ends with the file.
        chip = try Self.chip()
        chip[.ndef].bytes.replaceSubrange(0..<2, with: [0xFF, 0xFF])
        field = Simulation(chips: [chip])
        guard
            case .message(let message?, _)? = field.showToPhone(
                chip.number, random: Self.zeros)
        else {
            Issue.record("the chip lets everybody read")
            return
        }
        #expect(message.count == FileNumber.ndef.size - 2)
    }

    @Test("A phone gets the user pages of a Type 2 tag and no more")
    func pages() throws {
        for model in Type2Chip.known {
            let tag = try #require(TagMemory.blank(model, uid: [4, 1, 2, 3, 4, 5, 6]))
            var field = Simulation([tag])
            let seen = field.showToPhone(tag.uid, random: Self.zeros)
            let area = model.userPages.flatMap { tag.visible($0).bytes }
            #expect(seen == .area(area), "\(model.name)")
            #expect(field.tag(tag.uid) == tag)
        }
    }
}
