import Tags
import Testing

@Suite("Tag dumps in tapcard's own format") struct TagDumpTests {
    @Test(
        "The dump of a factory tag is read and written byte for byte",
        arguments: [
            ("factory-ntag213.txt", Type2Chip.ntag213, "04AC6B72BA6C80"),
            ("factory-ntag215.txt", .ntag215, "04A1B2C3D4E580"),
            ("factory-ntag216.txt", .ntag216, "04D9650A325E80"),
        ])
    func showsAFactoryTag(_ file: String, _ chip: Type2Chip, _ uid: String) throws {
        let text = try fixture(file)
        let dump = try TagDump(parsing: text)
        #expect(dump.text == text)
        #expect(dump.chip == chip)
        let memory = try dump.memory()
        #expect(
            memory
                == TagMemory.blank(
                    chip, uid: memory.uid, signature: try #require(dump.signature)))
        #expect(text.contains("\nuid: \(uid)\n"))
        #expect(TagDump(memory) == dump)
        #expect(TagDump(memory: memory, withSecrets: false) == dump)
    }

    @Test("The dump of a card in service keeps its secrets and drops comments")
    func showsACardInService() throws {
        let text = try fixture("tapcard-ntag213.txt")
        let dump = try TagDump(parsing: text)
        let secrets = try TagDump.Secrets(
            password: [0x30, 0x96, 0xA7, 0xDE], pack: [0xD1, 0xA1], failedPasswords: 0)
        #expect(dump.secrets == secrets)
        let memory = try dump.memory()
        #expect(memory[0x2B] == Page(0x30, 0x96, 0xA7, 0xDE))
        #expect(memory[0x2C] == Page(0xD1, 0xA1, 0, 0))
        #expect(TagDump(memory: memory, withSecrets: true) == dump)
        let comments = text.split(separator: "\n").filter { $0.hasPrefix("#") }
        #expect(comments.count == 2)
        #expect(
            dump.text
                == comments.reduce(text) { text, comment in
                    text.split(separator: "\n").filter { $0 != comment }.map { $0 + "\n" }.joined()
                })

        var bench = TagBench(memory)
        #expect(bench.send(.write(4, .zero)) == TagBench.refused)
        bench.select()
        #expect(bench.authenticate([0x30, 0x96, 0xA7, 0xDE]) == .data([0xD1, 0xA1]))
        #expect(bench.send(.write(4, .zero)) == .ack)
    }

    @Test("A whole tag survives a round trip through its dump", arguments: Type2Chip.known)
    func keepsAllThatATagKeeps(_ chip: Type2Chip) throws {
        let signature = (0..<32).map { UInt8(200 + $0) }
        var memory = try #require(
            TagMemory.blank(chip, uid: TagBench.uid, signature: signature))
        let configuration = try #require(chip.configurationPage)
        for page in chip.userPages { memory[page] = Page(page, 0xAB, ~page, 0) }
        memory[2] = Page(memory[2][0], memory[2][1], 0x18, 0x80)
        memory[configuration + 1] = Page(0x17, 5, 0, 0)
        memory[configuration + 2] = Page(1, 2, 3, 4)
        memory[configuration + 3] = Page(5, 6, 0, 0)
        memory.counter = 0xFF_FFFF
        memory.failedPasswords = 7
        let text = TagDump(memory: memory, withSecrets: true).text
        #expect(try TagDump(parsing: text).memory() == memory)
    }

    @Test("A dump without secrets hides password, PACK and unreadable counter")
    func tellsAReaderNoSecrets() throws {
        var memory = try #require(TagMemory.blank(.ntag213, uid: TagBench.uid))
        memory[0x2B] = Page(1, 2, 3, 4)
        memory[0x2C] = Page(5, 6, 0, 0)
        memory.counter = 9
        memory.failedPasswords = 3
        let hidden = TagDump(memory)
        #expect(hidden.secrets == nil)
        #expect(hidden.counter == nil)
        #expect(hidden.pages[0x2B] == .zero)
        #expect(hidden.pages[0x2C] == .zero)
        memory[0x2A] = Page(0x10, 5, 0, 0)
        #expect(TagDump(memory).counter == 9)
        // The true ones are unknown, so those of the factory stand in.
        let guess = try hidden.memory()
        #expect(guess[0x2B] == Page(0xFF, 0xFF, 0xFF, 0xFF))
        #expect(guess[0x2C] == .zero)
        #expect(guess.counter == 0)
        #expect(guess.failedPasswords == 0)
    }

    @Test("A page that could not be read is marked, and no memory is made of the dump")
    func marksWhatCouldNotBeRead() throws {
        var pages: [Page?] = try #require(TagMemory.blank(.ntag213, uid: TagBench.uid)).pages
        pages[0x10] = nil
        let dump = try TagDump(chip: .ntag213, uid: TagBench.uid, pages: pages)
        #expect(dump.text.contains("\npage 10: -- -- -- --\n"))
        #expect(!dump.text.contains("signature"))
        #expect(try TagDump(parsing: dump.text) == dump)
        #expect(throws: Type2Error(.unreadPage)) { try dump.memory() }
    }

    @Test("The dump of an unknown Type 2 chip survives a round trip")
    func showsAnotherChip() throws {
        let chip = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        let memory = try #require(TagMemory.blank(chip, uid: TagBench.uid))
        let dump = TagDump(memory: memory, withSecrets: true)
        #expect(
            dump.text.hasPrefix("tapcard tag 1\nchip: Type 2 tag\nuid: 04AC6B72BA6C80\npage 00"))
        #expect(try TagDump(parsing: dump.text) == dump)
        #expect(try dump.memory() == memory)
    }

    @Test("Pages that contradict the UID are refused")
    func refusesPagesOfAnotherUID() throws {
        let memory = try #require(TagMemory.blank(.ntag213, uid: TagBench.uid))
        for index in [0, 1] {
            var pages: [Page?] = memory.pages
            pages[index] = Page(4, 5, 6, 7)
            let dump = try TagDump(chip: .ntag213, uid: TagBench.uid, pages: pages)
            #expect(throws: Type2Error(.contradiction)) { try dump.memory() }
        }
    }

    @Test("A dump with impossible values is refused")
    func refusesWhatNoTagCanBe() throws {
        let uid = TagBench.uid
        let pages = [Page?](repeating: .zero, count: 45)
        func refusal(
            uid: [UInt8] = uid, pages: [Page?] = pages, signature: [UInt8]? = nil,
            counter: UInt32? = nil
        ) -> Type2Error? {
            #expect(throws: Type2Error.self) {
                try TagDump(
                    chip: .ntag213, uid: uid, pages: pages, signature: signature, counter: counter)
            }
        }
        #expect(refusal(uid: Array(uid.prefix(4))) == Type2Error(.wrongUID))
        #expect(refusal(pages: Array(pages.dropLast())) == Type2Error(.missingPage))
        #expect(refusal(pages: pages + [.zero]) == Type2Error(.excessPage))
        #expect(refusal(signature: [1, 2, 3]) == Type2Error(.badValue))
        #expect(refusal(counter: 0x100_0000) == Type2Error(.badValue))
        let other = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        #expect(throws: Type2Error(.contradiction)) {
            try TagDump(chip: other, uid: uid, pages: Array(pages.prefix(16)), counter: 1)
        }
    }

    @Test(
        "Secrets of impossible lengths or counts are refused",
        arguments: [(3, 2, 0), (5, 2, 0), (4, 1, 0), (4, 4, 0), (4, 2, -1), (4, 2, 8)])
    func refusesSecretsThatNoTagCanHold(_ password: Int, _ pack: Int, _ failed: Int) {
        #expect(throws: Type2Error(.badValue)) {
            try TagDump.Secrets(
                password: [UInt8](repeating: 1, count: password),
                pack: [UInt8](repeating: 1, count: pack), failedPasswords: failed)
        }
    }
}
