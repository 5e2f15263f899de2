import CardCryptography
import Tags
import TapcardDomain
import Testing
import TextCodecs

@Suite("Mirrored addresses and torn writes of an NTAG 424")
struct MirrorAndTearTests {
    private static let metaKey = key("00112233445566778899AABBCCDDEEFF")
    private static let fileKey = key("0123456789ABCDEF0123456789ABCDEF")
    private static let start = "https://example.org/c?p="
    /// The offset in the file, after the length and the head of the record.
    private static let identityAt = 7 + start.utf8.count
    private static let dataAt = identityAt + 32 + 3
    private static let codeAt = dataAt + 64 + 3

    /// A chip set up by an issuer, which mirrors its identity and a proof into its address.
    private func personalized() throws -> PlayedNTAG424 {
        var chip = PlayedNTAG424()
        try chip.tapAgain()
        try chip.authenticate(.application)
        _ = try chip.run(
            .changeKey(KeyChange(.one, to: Self.metaKey, version: 1, from: factoryKey)))
        _ = try chip.run(
            .changeKey(KeyChange(.two, to: Self.fileKey, version: 1, from: factoryKey)))
        let address =
            Array(Self.start.utf8) + [UInt8](repeating: 0x30, count: 32) + Array("&d=".utf8)
            + Array(0..<32) + [UInt8](repeating: 0x30, count: 32) + Array("&m=".utf8)
            + [UInt8](repeating: 0x30, count: 16)
        let record = [0, UInt8(address.count + 5), 0xD1, 1, UInt8(address.count + 1), 0x55, 0]
        let content = record + address
        _ = try chip.run(.writeData(.ndef, offset: 0, data: Array(content.prefix(100))))
        _ = try chip.run(.writeData(.ndef, offset: 100, data: Array(content.dropFirst(100))))
        let mirror = MirrorSettings(
            identity: .encrypted(with: .one, at: Self.identityAt),
            proof: .init(
                key: .two, from: Self.identityAt, at: Self.codeAt,
                data: Self.dataAt..<(Self.dataAt + 64)),
            countAccess: .key(.three))
        _ = try chip.run(
            .changeFileSettings(
                .ndef,
                FileSettings(
                    mode: .full,
                    rights: AccessRights(
                        read: .free, write: .key(.four), readWrite: .key(.four),
                        change: .key(.application)),
                    mirror: mirror)))
        return chip
    }

    private func message(_ content: [UInt8]) throws -> TapMessage {
        func text(_ place: Int, _ count: Int) -> String {
            String(decoding: content[place..<(place + count)], as: UTF8.self)
        }
        return try TapMessage(
            identity: text(Self.identityAt, 32), data: text(Self.dataAt, 64),
            code: text(Self.codeAt, 16))
    }

    @Test("Each tap of a phone gives a new address, and each address is verified")
    func mirrored() throws {
        var chip = try personalized()
        var seen: Set<String> = []
        for tap in 1...5 {
            try chip.tapAgain()
            _ = try chip.run(.selectFile(.ndef))
            let length = try chip.run(.readBinary(nil, offset: 0, length: 2))
            let content = try chip.run(.readBinary(nil, offset: 0, length: 256))
            #expect(length == Array(content.prefix(2)))
            // Read in parts, as phones do, it is still one address.
            let parts = try stride(from: 0, to: 256, by: 50).flatMap { place in
                try chip.run(.readBinary(nil, offset: place, length: min(50, 256 - place)))
            }
            #expect(parts == content)
            let message = try message(content)
            let content2 = try message.verify(metaKey: Self.metaKey) { _ in Self.fileKey }
            #expect(content2.identity.uid.bytes == PlayedNTAG424.uid)
            #expect(content2.identity.reads == UInt32(tap))
            #expect(content2.fileData == Array(0..<32))
            seen.insert(message.query)
        }
        #expect(seen.count == 5)
        #expect(chip.memory.reads == 5)
    }

    @Test("A read in a session neither counts nor mirrors")
    func readInSession() throws {
        var chip = try personalized()
        try chip.tapAgain()
        try chip.authenticate(.four)
        let content = try chip.run(
            .readData(.ndef, offset: Self.identityAt, length: 32), file: .full)
        #expect(content == [UInt8](repeating: 0x30, count: 32))
        #expect(chip.memory.reads == 0)
    }

    @Test("The read counter is given only after authentication with its key")
    func counters() throws {
        var chip = try personalized()
        try chip.tapAgain()
        _ = try chip.run(.readData(.ndef, offset: 0, length: 2))
        #expect(chip.status(.getFileCounters(.ndef)) == 0x919D)
        try chip.tapAgain()
        try chip.authenticate(.three)
        #expect(try chip.run(.getFileCounters(.ndef)) == [1, 0, 0, 0, 0])
    }

    @Test("A read limit ends reading without authentication")
    func readLimit() throws {
        var chip = PlayedNTAG424()
        try chip.tapAgain()
        try chip.authenticate(.application)
        _ = try chip.run(
            .changeFileSettings(
                .ndef,
                FileSettings(
                    mode: .plain,
                    rights: AccessRights(
                        read: .free, write: .free, readWrite: .free, change: .key(.application)),
                    mirror: MirrorSettings(
                        identity: .plain(uid: 20, reads: 40), proof: nil, readLimit: 2))))
        for tap in 1...2 {
            try chip.tapAgain()
            let content = try chip.run(.readData(.ndef, offset: 0, length: 0))
            #expect(content[20..<34].elementsEqual(Hexadecimal.encode(PlayedNTAG424.uid).utf8))
            #expect(content[40..<46].elementsEqual("00000\(tap)".utf8))
        }
        try chip.tapAgain()
        #expect(chip.status(.readData(.ndef, offset: 0, length: 1)) == 0x919D)
        #expect(chip.status(.readBinary(.ndef, offset: 0, length: 1)) == 0x6982)
    }

    @Test("A torn write in one block leaves either the old file or the new one")
    func tornWhole() throws {
        var chip = PlayedNTAG424()
        try chip.tapAgain()
        try chip.authenticate(.three)
        let before = chip.memory
        _ = try chip.run(
            .writeData(.data, offset: 32, data: [UInt8](repeating: 0xEE, count: 31)),
            file: .full)
        for place in 0...40 {
            let torn = NTAG424Memory.torn(
                from: before, to: chip.memory, at: place, isChained: false)
            #expect(torn == (place < 31 ? before : chip.memory))
        }
    }

    @Test("A chained write may be torn at any byte")
    func tornChained() throws {
        var chip = PlayedNTAG424()
        try chip.tapAgain()
        let before = chip.memory
        _ = try chip.run(.writeData(.ndef, offset: 0, data: [UInt8](repeating: 7, count: 200)))
        for place in 0...200 {
            let torn = NTAG424Memory.torn(
                from: before, to: chip.memory, at: place, isChained: true)
            let expected = [UInt8](repeating: 7, count: place) + before[.ndef].bytes[place...]
            #expect(torn[.ndef].bytes == Array(expected))
        }
    }

    @Test("A torn key change leaves either the old key or the new one")
    func tornKey() throws {
        var chip = PlayedNTAG424()
        try chip.tapAgain()
        try chip.authenticate(.application)
        let before = chip.memory
        _ = try chip.run(
            .changeKey(KeyChange(.one, to: Self.metaKey, version: 1, from: factoryKey)))
        #expect(
            NTAG424Memory.torn(from: before, to: chip.memory, at: 0, isChained: false) == before)
        #expect(
            NTAG424Memory.torn(from: before, to: chip.memory, at: 1, isChained: false)
                == chip.memory)
    }

    @Test("A flipped bit in an answer ends the session, and a copy with other keys is refused")
    func tampered() throws {
        for bit in 0..<(58 * 8) {
            var chip = try personalized()
            try chip.tapAgain()
            try chip.authenticate(.three)
            let before = chip.memory
            chip.alter = { answer in
                var changed = answer
                // The status is not covered by the code: another one is a refusal.
                changed[bit / 8 % (changed.count - 2)] ^= 1 << (bit % 8)
                return changed
            }
            #expect(throws: NTAG424Error(.unauthenticated)) {
                _ = try chip.run(.readData(.data, offset: 0, length: 32), file: .full)
            }
            #expect(chip.memory == before)
        }
        var copy = PlayedNTAG424()
        try copy.tapAgain()
        #expect(throws: NTAG424Error(.refused(.authenticationFailed))) {
            try copy.authenticate(.two, Self.fileKey)
        }
    }

    @Test("A write is carried out at most once, whichever block arrives twice")
    func duplicatedBlocks() throws {
        let answerToSelect: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]
        let parameters = try #require(AnswerToSelect(frame: answerToSelect))
        for doubled in 0..<4 {
            var chip = PlayedNTAG424()
            try chip.tapAgain()
            try chip.authenticate(.three)
            var reader = ReaderSide(parameters)
            var card = CardSide(answerToSelect: answerToSelect)
            _ = card.receive(AnswerToSelect.request(frameSize: .of64))
            var statuses: [UInt16] = []
            var sent = 0
            // A write of 96 bytes comes in two blocks.
            let write = CardCommand.writeData(
                .data, offset: 0, data: [UInt8](repeating: 9, count: 120))
            guard case .send(let command) = try chip.conversation.begin(write, file: .full) else {
                Issue.record("nothing to send")
                return
            }
            var action = reader.begin(command)
            while case .send(let frame, _) = action {
                var answers: [[UInt8]] = []
                for _ in 0..<(sent == doubled ? 2 : 1) {
                    switch card.receive(frame) {
                    case .send(let answer), .end(let answer): answers.append(answer)
                    case .run(let command):
                        let answer = chip.send(command)
                        statuses.append(answer.suffix(2).reduce(0) { $0 << 8 | UInt16($1) })
                        answers.append(card.answer(answer))
                    case .silence: break
                    }
                }
                sent += 1
                action = reader.receive(answers.first.map { .frame($0) } ?? .silence)
            }
            #expect(statuses.filter { $0 == 0x9100 }.count <= 1)
            let isWritten = statuses.contains(0x9100)
            #expect(chip.memory[.data].bytes[119] == (isWritten ? 9 : 0))
        }
    }
}
