import CardCryptography
import Tags
import Testing

@Suite("NTAG 424 commands and file settings")
struct CommandCodecTests {
    private static let rights = AccessRights(
        read: .free, write: .key(.four), readWrite: .never, change: .key(.application))

    private static let mirrors: [MirrorSettings] = [
        MirrorSettings(identity: .hidden, proof: nil),
        MirrorSettings(identity: .plain(uid: 10, reads: nil), proof: nil),
        MirrorSettings(identity: .plain(uid: nil, reads: 0x012345), proof: nil, readLimit: 9),
        MirrorSettings(
            identity: .plain(uid: 1, reads: 2),
            proof: .init(key: .two, from: 3, at: 4), countAccess: .free),
        MirrorSettings(
            identity: .encrypted(with: .one, at: 32),
            proof: .init(key: .two, from: 32, at: 140, data: 70..<134),
            countAccess: .key(.three), readLimit: 1000),
    ]

    static let settings: [FileSettings] =
        [FileSettings(mode: .plain, rights: rights), FileSettings(mode: .full, rights: rights)]
        + mirrors.map { FileSettings(mode: .authenticated, rights: rights, mirror: $0) }

    static let commands: [CardCommand] =
        [
            .getVersion, .getCardUID, .readSignature, .more([1, 2]), .more([]),
            .getFileCounters(.ndef),
            .changeKey(KeyChange(.one, to: factoryKey, version: 7, from: factoryKey)),
            .readData(.data, offset: 0x010203, length: 0), .readData(.ndef, offset: 0, length: 31),
            .writeData(.data, offset: 96, data: [1, 2, 3]),
            .setConfiguration(.randomUID), .setConfiguration(.noChainedWriting),
            .setConfiguration(.leakageResilience), .setConfiguration(.noFailureCounter),
            .setConfiguration(.failureCounter(limit: 1000, decrement: 10)),
        ] + KeyNumber.allCases.map { .authenticateFirst($0) }
        + KeyNumber.allCases.map { .authenticateNext($0) }
        + KeyNumber.allCases.map { .getKeyVersion($0) }
        + FileNumber.allCases.map { .getFileSettings($0) }
        + settings.map { .changeFileSettings(.ndef, $0) }

    private func read(_ frame: [UInt8]) throws -> CardCommand? {
        guard let apdu = CommandAPDU(frame), let opcode = NTAG424Opcode(rawValue: apdu.instruction)
        else { return nil }
        let size = opcode.headerSize
        return try CardCommand(
            opcode, header: Array(apdu.data.prefix(size)),
            data: Array(apdu.data.dropFirst(size)))
    }

    @Test("Each native command survives a round trip through its frame", arguments: commands)
    func bothWays(command: CardCommand) throws {
        let frame = command.plain.bytes
        #expect(frame[0] == 0x90)
        #expect(frame.last == 0)
        #expect(try read(frame) == command)
    }

    @Test(
        "A native command cut short is refused or read as exactly what is left",
        arguments: commands)
    func cut(command: CardCommand) throws {
        let body = command.header + command.data
        let opcode = try #require(command.opcode)
        for count in 0..<body.count {
            let size = opcode.headerSize
            let part = Array(body.prefix(count))
            let read = try? CardCommand(
                opcode, header: Array(part.prefix(size)), data: Array(part.dropFirst(size)))
            #expect(read == nil || (read.map { $0.header + $0.data } == part), "\(count)")
        }
    }

    @Test("Commands with unknown files, keys, options or lengths are refused")
    func unknown() {
        for (opcode, header, status) in [
            (.getKeyVersion, [5], 0x9140), (.getFileSettings, [0], 0x91F0),
            (.getFileSettings, [4], 0x91F0), (.readSignature, [1], 0x919E),
            (.setConfiguration, [0x0B], 0x919E), (.changeKey, [0xE0], 0x9140),
            (.writeData, [2, 0, 0, 0, 0, 0, 0], 0x919E),
            (.writeData, [2, 0, 0, 0, 1, 0, 0], 0x917E), (.readData, [2, 0, 0], 0x917E),
        ] as [(NTAG424Opcode, [UInt8], UInt16)] {
            #expect(throws: StatusFault(status)) {
                _ = try CardCommand(opcode, header: header, data: [])
            }
        }
    }

    static let iso: [(CardCommand, [UInt8])] = [
        (.selectApplication, bytes("00A4040007D276000085010100")),
        (.selectFile(.capability), bytes("00A4000C02E103")),
        (.selectFile(.ndef), bytes("00A4000C02E104")),
        (.selectFile(.data), bytes("00A4000C02E105")),
        (.readBinary(nil, offset: 0x0102, length: 15), bytes("00B001020F")),
        (.readBinary(.ndef, offset: 5, length: 256), bytes("00B0840500")),
        (.readBinary(.capability, offset: 0, length: 32), bytes("00B0830020")),
        (.updateBinary(nil, offset: 2, data: [9, 8]), bytes("00D60002020908")),
        (.updateBinary(.data, offset: 2, data: [9]), bytes("00D685020109")),
    ]

    @Test("Each ISO/IEC 7816 command survives a round trip through its frame", arguments: 0..<9)
    func isoCommands(index: Int) throws {
        let (command, frame) = Self.iso[index]
        #expect(command.plain.bytes == frame)
        #expect(try CardCommand(iso: try #require(CommandAPDU(frame))) == command)
    }

    @Test(
        "Invalid ISO/IEC 7816 commands are refused with the chip's status",
        arguments: [
            ("00A4040007D276000085010000", 0x6A82), ("00A4040006D27600008501", 0x6A82),
            ("00A4030002E103", 0x6A86), ("00A4000502E103", 0x6A86), ("00A4000002E106", 0x6A82),
            ("00A4000001E1", 0x6700), ("00B00000", 0x6700), ("00B0000001FF", 0x6700),
            ("00B0A00001", 0x6A86), ("00B0860001", 0x6A82), ("00D60000", 0x6700),
            ("00CA000000", 0x6D00),
        ] as [(String, UInt16)])
    func isoRefused(frame: String, status: UInt16) throws {
        let apdu = try #require(CommandAPDU(bytes(frame)))
        #expect(throws: StatusFault(status)) { _ = try CardCommand(iso: apdu) }
    }

    @Test("Frames that are not short APDUs are refused")
    func frames() {
        for frame in [
            "", "00", "00A404", "00A4040002AA", "00A40400020102030405", "0000000000AA",
            "00B0000000BB",
        ] {
            #expect(CommandAPDU(bytes(frame)) == nil, "\(frame)")
        }
        #expect(ResponseAPDU([0x90]) == nil)
        #expect(ResponseAPDU([1, 0x91, 0x00])?.data == [1])
    }

    @Test("File settings survive a round trip in both of their forms", arguments: settings)
    func settingsBothWays(settings: FileSettings) throws {
        #expect(FileSettings(change: settings.change) == settings)
        let reported = try #require(FileSettings.reported(settings.report(size: 256)))
        #expect(reported.settings == settings)
        #expect(reported.size == 256)
        for count in 0..<settings.change.count {
            let part = Array(settings.change.prefix(count))
            #expect(FileSettings(change: part).map { $0.change == part } ?? true)
        }
        #expect(FileSettings(change: settings.change + [0]) == nil)
    }

    @Test("The file settings of AN12196, tables 7 and 18, are read and written")
    func publishedSettings() throws {
        let table7 = bytes("0040EEEE000100D1FE001F0000440000440000200000" + "6A0000")
        let (settings, size) = try #require(FileSettings.reported(table7))
        #expect(size == 256)
        #expect(
            settings.mirror
                == MirrorSettings(
                    identity: .encrypted(with: .application, at: 0x1F),
                    proof: .init(
                        key: .application, from: 0x44, at: 0x6A, data: 0x44..<0x64),
                    countAccess: .free))
        #expect(settings.report(size: 256) == table7)
        let table18 = FileSettings(
            mode: .plain,
            rights: AccessRights(
                read: .free, write: .key(.application), readWrite: .key(.application),
                change: .key(.application)),
            mirror: MirrorSettings(
                identity: .encrypted(with: .two, at: 0x20),
                proof: .init(key: .one, from: 0x43, at: 0x43), countAccess: .key(.one)))
        #expect(table18.change == bytes("4000E0C1F121200000430000430000"))
    }

    @Test("Each refusal has a description and a next step of its own")
    func words() {
        let statuses: [UInt16] = [
            0x911C, 0x911E, 0x9140, 0x917E, 0x919D, 0x919E, 0x91AD, 0x91AE, 0x91BE, 0x91CA, 0x91EE,
            0x91F0, 0x6F00,
        ]
        let errors = statuses.compactMap { StatusWord($0).refusal }.map {
            NTAG424Error(.refused($0))
        }
        #expect(errors.count == statuses.count)
        #expect(Set(errors.map(\.description)).count == statuses.count)
        #expect(errors.allSatisfy { $0.nextStep.hasSuffix(".") })
        #expect(NTAG424Error(.refused(.other(StatusWord(0x6F00)))).description.contains("6F00"))
        let others: [NTAG424Error.Kind] = [
            .unauthenticated, .impostor, .lrpMode, .malformed, .sessionEnded, .keyAlreadyRefused,
            .tooLong,
        ]
        #expect(Set(others.map { NTAG424Error($0).description }).count == others.count)
        #expect(others.allSatisfy { NTAG424Error($0).nextStep.hasSuffix(".") })
        for good in [0x9000, 0x9100, 0x91AF, 0x9190] as [UInt16] {
            #expect(StatusWord(good).refusal == nil)
        }
        // ISO/IEC 7816 has other numbers for the same reasons.
        for (iso, native) in [
            (0x6D00, 0x911C), (0x6700, 0x917E), (0x6982, 0x919D), (0x6A82, 0x91F0),
            (0x6A86, 0x919E), (0x6581, 0x91EE),
        ] as [(UInt16, UInt16)] {
            #expect(StatusWord(iso).refusal == StatusWord(native).refusal)
        }
    }
}
