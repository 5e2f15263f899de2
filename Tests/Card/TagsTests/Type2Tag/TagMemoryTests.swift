import Tags
import Testing

@Suite("The memory of a Type 2 tag") struct TagMemoryTests {
    @Test("A blank memory has the factory's content", arguments: Type2Chip.known)
    func beginsAsTheFactoryLeavesIt(_ chip: Type2Chip) throws {
        let memory = try #require(TagMemory.blank(chip, uid: TagBench.uid))
        let configuration = try #require(chip.configurationPage)
        var expected = [UInt8](repeating: 0, count: 4 * chip.pageCount)
        func put(_ bytes: [UInt8], at page: UInt8) {
            expected.replaceSubrange(4 * Int(page)..<4 * Int(page) + bytes.count, with: bytes)
        }
        put([0x04, 0xAC, 0x6B, 0x4B, 0x72, 0xBA, 0x6C, 0x80, 0x24, 0x48, 0, 0], at: 0)
        switch chip {
        case .ntag213:
            put([0xE1, 0x10, 0x12, 0x00, 0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x00, 0xFE], at: 3)
        case .ntag215: put([0xE1, 0x10, 0x3E, 0x00, 0x03, 0x00, 0xFE, 0x00], at: 3)
        case .ntag216: put([0xE1, 0x10, 0x6D, 0x00, 0x03, 0x00, 0xFE, 0x00], at: 3)
        default: Issue.record("add the factory bytes of \(chip)")
        }
        put([0, 0, 0, 0xBD, 0x04, 0, 0, 0xFF, 0, 0x05, 0, 0], at: configuration - 1)
        put([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], at: configuration + 2)
        #expect(memory.pages.flatMap(\.bytes) == expected)
        #expect(memory.uid == TagBench.uid)
        #expect(memory.signature == [UInt8](repeating: 0, count: 32))
        #expect(memory.counter == 0)
        #expect(memory.failedPasswords == 0)
    }

    @Test(
        "A memory is not made for a UID that is not seven bytes long", arguments: [0, 4, 6, 8, 10])
    func needsSevenBytesOfUID(_ count: Int) {
        #expect(TagMemory.blank(.ntag213, uid: [UInt8](repeating: 4, count: count)) == nil)
    }

    @Test(
        "A memory is not made with a signature that is not 32 bytes long", arguments: [0, 31, 33])
    func needs32BytesOfSignature(_ count: Int) {
        let signature = [UInt8](repeating: 4, count: count)
        #expect(TagMemory.blank(.ntag213, uid: TagBench.uid, signature: signature) == nil)
    }

    @Test("Password and PACK read as zeros", arguments: Type2Chip.known)
    func showsNoSecrets(_ chip: Type2Chip) throws {
        var memory = try #require(TagMemory.blank(chip, uid: TagBench.uid))
        let configuration = try #require(chip.configurationPage)
        memory[configuration + 3] = Page(0xD1, 0xA1, 0, 0)
        for page in UInt8.min...UInt8.max {
            let isSecret = page == configuration + 2 || page == configuration + 3
            #expect(memory.visible(page) == (isSecret ? .zero : memory[page]))
        }
    }

    @Test("Writing beyond the last page changes nothing")
    func endsWhereItsPagesEnd() throws {
        var memory = try #require(TagMemory.blank(.ntag213, uid: TagBench.uid))
        let before = memory
        memory[45] = Page(1, 1, 1, 1)
        memory[255] = Page(1, 1, 1, 1)
        #expect(memory == before)
        #expect(memory[45] == .zero)
    }
}
