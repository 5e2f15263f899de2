import CardCryptography
import Tags
import TapcardDomain
import Testing

@Suite("The simulated NTAG 424")
struct NTAG424ModelTests {
    private static let newKey = key("F3847D627727ED3BC9C4CC050489B966")

    private func tapped() throws -> PlayedNTAG424 {
        var chip = PlayedNTAG424()
        try chip.tapAgain()
        return chip
    }

    private func expect(
        _ refusal: NTAG424Refusal, _ body: () throws -> Void, _ comment: Comment? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: NTAG424Error(.refused(refusal)), comment, sourceLocation: location) {
            try body()
        }
    }

    @Test("A factory chip reports its version, UID, settings, key versions and signature")
    func factory() throws {
        var chip = try tapped()
        let version = try chip.run(.getVersion)
        #expect(version.count == 28)
        #expect(Array(version[14..<21]) == PlayedNTAG424.uid)
        for number in KeyNumber.allCases { #expect(try chip.run(.getKeyVersion(number)) == [0]) }
        for file in FileNumber.allCases {
            let report = try chip.run(.getFileSettings(file))
            #expect(FileSettings.reported(report)?.size == file.size)
        }
        #expect(try chip.run(.readSignature).count == 56)
        #expect(
            try chip.run(.readData(.capability, offset: 0, length: 0)).prefix(3)
                == [0x00, 0x17, 0x20])
        try chip.authenticate(.application)
        #expect(try chip.run(.getCardUID) == PlayedNTAG424.uid)
        #expect(try chip.run(.getVersion) == version)
        #expect(try chip.run(.getKeyVersion(.three)) == [0])
        #expect(try chip.run(.readSignature).count == 56)
    }

    @Test("Without the application selected, keys and files are not found")
    func unselected() {
        var chip = PlayedNTAG424()
        #expect(chip.status(.authenticateFirst(.application)) == 0x9140)
        #expect(chip.status(.readData(.ndef, offset: 0, length: 1)) == 0x91F0)
        #expect(chip.status(.getFileSettings(.ndef)) == 0x91F0)
        #expect(chip.status(.selectFile(.ndef)) == 0x6A82)
        #expect(chip.status(.readBinary(.ndef, offset: 0, length: 1)) == 0x6985)
    }

    @Test("A phone can read the capability file and read and write the message")
    func phone() throws {
        var chip = try tapped()
        _ = try chip.run(.selectFile(.capability))
        #expect(try chip.run(.readBinary(nil, offset: 0, length: 15)).count == 15)
        _ = try chip.run(.selectFile(.ndef))
        _ = try chip.run(.updateBinary(nil, offset: 2, data: [1, 2, 3]))
        #expect(
            try chip.run(.readBinary(nil, offset: 0, length: 256)).prefix(6) == [0, 0, 1, 2, 3, 0])
        #expect(chip.status(.readBinary(nil, offset: 256, length: 1)) == 0x6A86)
        #expect(chip.status(.readBinary(.data, offset: 0, length: 1)) == 0x6982)
        #expect(chip.status(.updateBinary(.capability, offset: 0, data: [1])) == 0x6982)
        #expect(chip.status(.updateBinary(.ndef, offset: 255, data: [1, 2])) == 0x6A86)
    }

    @Test("Each right of a file is granted to its keys alone", arguments: KeyNumber.allCases)
    func rights(number: KeyNumber) throws {
        var chip = try tapped()
        try chip.authenticate(number)
        let mayRead = number == .two || number == .three
        if mayRead {
            #expect(
                try chip.run(.readData(.data, offset: 0, length: 2), file: .full) == [0, 0x7E])
        } else {
            expect(.notAllowed) { _ = try chip.run(.readData(.data, offset: 0, length: 2)) }
        }
        try chip.tapAgain()
        try chip.authenticate(number)
        if number == .three {
            _ = try chip.run(.writeData(.data, offset: 0, data: [5]), file: .full)
            #expect(chip.memory[.data].bytes[0] == 5)
        } else {
            expect(.notAllowed) { _ = try chip.run(.writeData(.data, offset: 0, data: [5])) }
        }
        try chip.tapAgain()
        try chip.authenticate(number)
        let change = CardCommand.changeKey(
            KeyChange(.two, to: Self.newKey, version: 1, from: factoryKey))
        if number == .application {
            _ = try chip.run(change)
            #expect(chip.memory[.two].key == Self.newKey)
        } else {
            expect(.notAllowed) { _ = try chip.run(change) }
        }
    }

    @Test("A key change based on the wrong old key is refused")
    func wrongOldKey() throws {
        var chip = try tapped()
        try chip.authenticate(.application)
        expect(.integrity) {
            _ = try chip.run(
                .changeKey(KeyChange(.two, to: Self.newKey, version: 1, from: Self.newKey)))
        }
        #expect(chip.memory[.two].key == factoryKey)
    }

    @Test("A new application key ends the session and takes effect at once")
    func applicationKey() throws {
        var chip = try tapped()
        try chip.authenticate(.application)
        _ = try chip.run(
            .changeKey(KeyChange(.application, to: Self.newKey, version: 9, from: factoryKey)))
        #expect(chip.conversation.session == nil)
        try chip.authenticate(.application, Self.newKey)
        #expect(try chip.run(.getKeyVersion(.application)) == [9])
    }

    @Test("Reads and writes beyond a file are refused")
    func bounds() throws {
        for command in [
            CardCommand.readData(.data, offset: 128, length: 1),
            .readData(.data, offset: 0, length: 129),
            .writeData(.data, offset: 127, data: [1, 2]),
            .writeData(.data, offset: 0xFF_FFFF, data: [1]),
        ] {
            var chip = try tapped()
            try chip.authenticate(.three)
            let before = chip.memory
            expect(.outsideFile) { _ = try chip.run(command, file: .full) }
            #expect(chip.memory == before)
        }
    }

    @Test("Wrong keys are counted, delayed and finally block that key, but no other")
    func wrongKeys() throws {
        var chip = try tapped()
        var delays = 0
        for attempt in 1...1000 {
            // A new tap each time: within one, only one wrong key is tried.
            try chip.tapAgain()
            while true {
                do {
                    try chip.authenticate(.three, Self.newKey)
                    Issue.record("a wrong key was accepted")
                } catch NTAG424Error(.refused(.authenticationDelayed)) {
                    delays += 1
                    continue
                } catch {
                    #expect(error == NTAG424Error(.refused(.authenticationFailed)))
                }
                break
            }
            #expect(chip.memory[.three].failures == attempt)
            if attempt < 50 { #expect(delays == 0) }
        }
        #expect(delays > 10_000)
        try chip.tapAgain()
        expect(.notAllowed) { try chip.authenticate(.three) }
        chip.conversation = NTAG424Conversation()
        try chip.authenticate(.application)
        _ = try chip.run(
            .changeKey(KeyChange(.three, to: Self.newKey, version: 1, from: factoryKey)))
        try chip.tapAgain()
        try chip.authenticate(.three, Self.newKey)
    }

    @Test("A success takes ten failures back and ends the delays")
    func forgiven() throws {
        var chip = try tapped()
        for _ in 0..<49 {
            try chip.tapAgain()
            try? chip.authenticate(.two, Self.newKey)
        }
        #expect(chip.memory[.two].failures == 49)
        try chip.tapAgain()
        try chip.authenticate(.two)
        #expect(chip.memory[.two].failures == 39)
        #expect(chip.memory[.two].failuresInARow == 0)
        #expect(chip.memory[.three].failures == 0)
    }

    @Test("Failures do not count with the counter off, and a key works after ten below the limit")
    func tenWrongKeys() throws {
        var chip = try tapped()
        try chip.authenticate(.application)
        _ = try chip.run(.setConfiguration(.noFailureCounter))
        for _ in 0..<10 {
            try chip.tapAgain()
            try? chip.authenticate(.application, Self.newKey)
        }
        #expect(chip.memory[.application].failures == 0)
        try chip.tapAgain()
        try chip.authenticate(.application)
        _ = try chip.run(.setConfiguration(.failureCounter(limit: 20, decrement: 5)))
        for _ in 0..<10 {
            try chip.tapAgain()
            try? chip.authenticate(.application, Self.newKey)
        }
        #expect(chip.memory[.application].failures == 10)
        try chip.tapAgain()
        try chip.authenticate(.application)
        #expect(chip.memory[.application].failures == 5)
    }

    @Test("Chained writing can be forbidden in a session, and only there")
    func chainedWriting() throws {
        var chip = try tapped()
        try chip.authenticate(.application)
        _ = try chip.run(.setConfiguration(.noChainedWriting))
        try chip.authenticate(.three)
        chip.blocks = 2
        let write = CardCommand.writeData(.data, offset: 0, data: [UInt8](repeating: 1, count: 64))
        expect(.wrongLength) { _ = try chip.run(write, file: .full) }
        try chip.tapAgain()
        _ = try chip.run(.writeData(.ndef, offset: 0, data: [UInt8](repeating: 1, count: 200)))
        chip.blocks = 1
        try chip.authenticate(.three)
        _ = try chip.run(write, file: .full)
        #expect(chip.memory[.data].bytes[63] == 1)
    }

    @Test("Settings that do not fit, or that the simulation lacks, are refused")
    func settings() throws {
        let rights = AccessRights(
            read: .free, write: .key(.four), readWrite: .never, change: .key(.application))
        let mirrors: [(FileNumber, MirrorSettings)] = [
            (.data, MirrorSettings(identity: .plain(uid: 0, reads: nil), proof: nil)),
            (.ndef, MirrorSettings(identity: .plain(uid: 243, reads: nil), proof: nil)),
            (.ndef, MirrorSettings(identity: .plain(uid: 0, reads: 13), proof: nil)),
            (.ndef, MirrorSettings(identity: .encrypted(with: .one, at: 225), proof: nil)),
            (
                .ndef,
                MirrorSettings(
                    identity: .encrypted(with: .one, at: 0),
                    proof: .init(key: .two, from: 50, at: 40))
            ),
            (
                .ndef,
                MirrorSettings(
                    identity: .encrypted(with: .one, at: 0),
                    proof: .init(key: .two, from: 32, at: 100, data: 40..<56))
            ),
        ]
        for (file, mirror) in mirrors {
            var chip = try tapped()
            try chip.authenticate(.application)
            let settings = FileSettings(mode: .plain, rights: rights, mirror: mirror)
            expect(.wrongParameter) { _ = try chip.run(.changeFileSettings(file, settings)) }
        }
        var chip = try tapped()
        try chip.authenticate(.application)
        expect(.wrongParameter) { _ = try chip.run(.setConfiguration(.randomUID)) }
    }

    @Test("A chip's text is read back as the same state, and an incomplete text is refused")
    func text() throws {
        var chip = try tapped()
        try chip.authenticate(.application)
        _ = try chip.run(
            .changeKey(KeyChange(.two, to: Self.newKey, version: 200, from: factoryKey)))
        _ = try chip.run(.setConfiguration(.noChainedWriting))
        try? chip.authenticate(.four, Self.newKey)
        let text = chip.memory.text
        #expect(NTAG424Memory(parsing: text) == chip.memory)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for index in lines.indices.dropLast() {
            var fewer = lines
            fewer.remove(at: index)
            #expect(NTAG424Memory(parsing: fewer.joined(separator: "\n")) == nil, "\(index)")
        }
        for count in stride(from: 0, to: text.count, by: 7) {
            #expect(NTAG424Memory(parsing: String(text.prefix(count))) == nil)
        }
        #expect(NTAG424Memory(parsing: text + "more: 1\n") == nil)
    }

    @Test("The text of a factory chip is the fixture, byte for byte")
    func factoryFile() throws {
        #expect(NTAG424Memory.signedExample.text == (try chipFixture("factory-ntag424.txt")))
    }
}
