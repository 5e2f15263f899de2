import CardCryptography
import Tags
import Testing

@Suite("Secure messaging with an NTAG 424")
struct SecureMessagingTests {
    /// A command from a published example or a recording, with its answer.
    struct Example: Sendable, CustomStringConvertible {
        let name: String
        let command: CardCommand
        var file = CommunicationMode.plain
        let encryption: String
        let authentication: String
        let transaction: String
        var commands: UInt16 = 0
        let sent: String
        let answer: String
        let data: String

        var description: String { name }

        var session: SecureSession {
            SecureSession(
                encryption: key(encryption), authentication: key(authentication),
                transaction: bytes(transaction), commands: commands)
        }
    }

    private static let ndef = bytes(
        "0051D1014D550463686F6F73652E75726C2E636F6D2F6E7461673432343F653D"
            + "3030303030303030303030303030303030303030303030303030303030303030"
            + "26633D30303030303030303030303030303030")

    static let examples = [
        Example(
            name: "AN12196 5.4, GetFileSettings", command: .getFileSettings(.ndef),
            encryption: "00000000000000000000000000000000",
            authentication: "8248134A386E86EB7FAF54A52E536CB6", transaction: "7A21085E",
            sent: "90F5000009026597A457C8CD442C00",
            answer: "0040EEEE000100D1FE001F00004400004400002000006A00002A474282E7A479869100",
            data: "0040EEEE000100D1FE001F00004400004400002000006A0000"),
        Example(
            name: "AN12196 5.8.2, WriteData",
            command: .writeData(
                .ndef, offset: 0,
                data: ndef + [UInt8](repeating: 0, count: 128 - ndef.count)),
            file: .full, encryption: "1309C877509E5A215007FF0ED19CA564",
            authentication: "4C6626F5E72EA694202139295C7A7FC7", transaction: "9D00C4DF",
            sent: "908D00009F02000000800000"
                + "421C73A27D827658AF481FDFF20A5025B559D0E3AA21E58D347F343CFFC768BF"
                + "E596C706BC00F2176781D4B0242642A0FF5A42C461AAF894D9A1284B8C76BCFA"
                + "658ACD40555D362E08DB15CF421B51283F9064BCBE20E96CAE545B407C9D651A"
                + "3315B27373772E5DA2367D2064AE054AF996C6F1F669170FA88CE8C4E3A4A7BB"
                + "BEF0FD971FF532C3A802AF745660F2B4D1D9A8499661EBF300",
            answer: "FC222E5F7A5424529100", data: ""),
        Example(
            name: "AN12196 5.16.1, ChangeKey of another key",
            command: .changeKey(
                KeyChange(
                    .two, to: key("F3847D627727ED3BC9C4CC050489B966"), version: 1,
                    from: factoryKey)),
            encryption: "4CF3CB41A22583A61E89B158D252FC53",
            authentication: "5529860B2FC5FB6154B7F28361D30BF9", transaction: "7614281A",
            commands: 2,
            sent: "90C4000029022CF362B7BF4311FF3BE1DAA295E8C68DE09050560D19B9E16C2393AE9CD1FAC7"
                + "5D0CE20BCD1D06E600",
            answer: "203BB55D1089D5879100", data: ""),
        Example(
            name: "AN12196 5.16.2, ChangeKey of the application key",
            command: .changeKey(
                KeyChange(
                    .application, to: key("5004BF991F408672B1EF00F08F9E8647"), version: 1,
                    from: factoryKey)),
            encryption: "4CF3CB41A22583A61E89B158D252FC53",
            authentication: "5529860B2FC5FB6154B7F28361D30BF9", transaction: "7614281A",
            commands: 3,
            sent: "90C400002900C0EB4DEEFEDDF0B513A03A95A75491818580503190D4D05053FF75668A01D6FD"
                + "A6610234BDED643200",
            answer: "9100", data: ""),
        Example(
            name: "AN12196 6.2, SetConfiguration with an answer that is proved",
            command: .setConfiguration(.randomUID),
            encryption: "7951A705F47F3C29B596454DC1490383",
            authentication: "FE4EDBF46536557E304682F33E63A84F", transaction: "D779B1D0",
            sent: "905C000019008EA0138A7AF6FC8E99DF2A3A305602C43A7A3C9228C3134A00",
            answer: "86044208CAD1676A9100", data: ""),
        Example(
            name: "AN12321 5, SetConfiguration",
            command: .setConfiguration(.leakageResilience),
            encryption: "66A8CB93269DC9BC2885B7A91B9C697B",
            authentication: "7DE5F7E244A46D22E536804D07E8D70E", transaction: "ED56F6E6",
            sent: "905C0000190541B2BA963075730426D0858D2AA6C4982F579E77FAB49F8300",
            answer: "9100", data: ""),
        Example(
            name: "AN12196 6.3, GetCardUID", command: .getCardUID,
            encryption: "2B4D963C014DC36F24F69A50A394F875",
            authentication: "379D32130CE61705DD5FD8C36B95D764", transaction: "DF055522",
            sent: "90510000088E2C155ADDA99BE300",
            answer: "70756055688505B52A5E26E59E329CD6595F672298EA41B79100",
            data: "04958CAA5C5E80"),
    ]

    private func conversation(_ session: SecureSession) -> NTAG424Conversation {
        NTAG424Conversation(in: session)
    }

    @Test("Published commands and answers are reproduced by the reader's side", arguments: examples)
    func published(example: Example) throws {
        var conversation = conversation(example.session)
        let step = try conversation.begin(example.command, file: example.file)
        #expect(step == .send(bytes(example.sent)))
        #expect(
            try conversation.receive(bytes(example.answer))
                == (example.answer == "9100" ? .doneWithoutMAC : .finished(bytes(example.data))))
        if case .changeKey(let change) = example.command, change.number == .application {
            #expect(conversation.session == nil)
        } else {
            #expect(conversation.session?.commands == example.commands + 1)
        }
    }

    @Test(
        "The card's side reads the published commands and gives the published answers",
        arguments: examples)
    func cardSide(example: Example) throws {
        let apdu = try #require(CommandAPDU(bytes(example.sent)))
        #expect(apdu.bytes == bytes(example.sent))
        let opcode = try #require(NTAG424Opcode(rawValue: apdu.instruction))
        let mode = example.command.mode(file: example.file)
        var session = example.session
        let (header, data) = try session.open(opcode, apdu.data, mode)
        #expect(try CardCommand(opcode, header: header, data: data) == example.command)
        let sealed = session.seal(bytes(example.data), mode)
        if example.answer != "9100" {
            #expect(sealed + [0x91, 0x00] == bytes(example.answer))
        }
    }

    @Test(
        "The card refuses a command with any bit changed or any bytes cut off", arguments: examples)
    func changedCommand(example: Example) throws {
        let apdu = try #require(CommandAPDU(bytes(example.sent)))
        let opcode = try #require(NTAG424Opcode(rawValue: apdu.instruction))
        let mode = example.command.mode(file: example.file)
        for bit in 0..<(apdu.data.count * 8) {
            var body = apdu.data
            body[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: StatusFault(0x911E)) {
                _ = try example.session.open(opcode, body, mode)
            }
        }
        for count in 0..<apdu.data.count {
            #expect(throws: StatusFault.self) {
                _ = try example.session.open(opcode, Array(apdu.data.prefix(count)), mode)
            }
        }
    }

    @Test("The reader refuses a proved answer with any bit changed", arguments: examples)
    func changedAnswer(example: Example) throws {
        let answer = Array(bytes(example.answer).dropLast(2))
        for bit in 0..<(answer.count * 8) {
            var changed = answer
            changed[bit / 8] ^= 1 << (bit % 8)
            var conversation = conversation(example.session)
            _ = try conversation.begin(example.command, file: example.file)
            #expect(throws: NTAG424Error(.unauthenticated)) {
                _ = try conversation.receive(changed + [0x91, 0x00])
            }
            #expect(conversation.session == nil)
        }
    }

    @Test("The card refuses a repeated command and one of another session")
    func repeated() throws {
        let example = Self.examples[0]
        let apdu = try #require(CommandAPDU(bytes(example.sent)))
        var session = example.session
        _ = try session.open(.getFileSettings, apdu.data, .authenticated)
        _ = session.seal([], .authenticated)
        #expect(throws: StatusFault(0x911E)) {
            _ = try session.open(.getFileSettings, apdu.data, .authenticated)
        }
        let other = Self.examples[6].session
        #expect(throws: StatusFault(0x911E)) {
            _ = try other.open(.getFileSettings, apdu.data, .authenticated)
        }
    }

    @Test("A session ends with its last count, and a command that is too long is not sent")
    func limits() throws {
        let example = Self.examples[0]
        var last = conversation(
            SecureSession(
                encryption: factoryKey, authentication: key(example.authentication),
                transaction: bytes(example.transaction), commands: .max))
        #expect(throws: NTAG424Error(.sessionEnded)) { _ = try last.begin(example.command) }
        #expect(last.session == nil)
        var long = conversation(example.session)
        let data = [UInt8](repeating: 1, count: 240)
        #expect(throws: NTAG424Error(.tooLong)) {
            _ = try long.begin(.writeData(.ndef, offset: 0, data: data), file: .full)
        }
        let fitting = CardCommand.writeData(.ndef, offset: 0, data: Array(data.prefix(239)))
        guard case .send(let sent) = try long.begin(fitting, file: .full) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(sent.count == 5 + 255 + 1)
    }

    @Test("A recorded Read_Sig answer with its own status is accepted")
    func signature() throws {
        // TI 085BC941, the second command of its session.
        let reader = bytes("C4028B41E6F497099C7087768E78A191")
        let card = factoryKey.decrypt(bytes("7858A0B9DBC468F0FF1B2F773D6DF9FC"))
        var conversation = conversation(
            SecureSession(
                key: factoryKey, reader: reader, card: card, transaction: bytes("085BC941"),
                commands: 1))
        #expect(
            try conversation.begin(.readSignature)
                == .send(bytes("903C0000090032E6A647B984427F00")))
        let step = try conversation.receive(
            bytes(
                "C2907EA2100DA5336DDDF17EE7AD70A240915DCD38E6319A663445D69E14825AF42F6AC725487F16"
                    + "3ECC696B504F90390DF67BC5D8C0DBFCE2158FFB5A2A427AE1E8BDA4D293F5289190"))
        guard case .finished(let signature) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(signature.count == 56)
    }

    @Test("GetVersion comes in three parts, with one code over all of them in a session")
    func version() throws {
        let parts = [
            bytes("04040830001105"), bytes("04040201021105"),
            bytes("04984C7A0B1090CF5D9045104621"),
        ]
        var plain = NTAG424Conversation()
        #expect(try plain.begin(.getVersion) == .send(bytes("9060000000")))
        #expect(try plain.receive(parts[0] + [0x91, 0xAF]) == .send(bytes("90AF000000")))
        #expect(try plain.receive(parts[1] + [0x91, 0xAF]) == .send(bytes("90AF000000")))
        #expect(try plain.receive(parts[2] + [0x91, 0x00]) == .finished(parts.flatMap(\.self)))

        let session = Self.examples[1].session
        var card = session
        let sealed = card.seal(parts.flatMap(\.self), .authenticated)
        var conversation = conversation(session)
        _ = try conversation.begin(.getVersion)
        _ = try conversation.receive(Array(sealed[..<7]) + [0x91, 0xAF])
        _ = try conversation.receive(Array(sealed[7..<14]) + [0x91, 0xAF])
        let end = try conversation.receive(Array(sealed[14...]) + [0x91, 0x00])
        #expect(end == .finished(parts.flatMap(\.self)))
        #expect(conversation.session?.commands == 1)

        var endless = NTAG424Conversation()
        _ = try endless.begin(.getVersion)
        _ = try endless.receive(parts[0] + [0x91, 0xAF])
        _ = try endless.receive(parts[1] + [0x91, 0xAF])
        #expect(throws: NTAG424Error(.malformed)) { _ = try endless.receive([0x91, 0xAF]) }
    }

    @Test(
        "Session codes match AN12343, tables 32 to 37, for DESFire Light",
        arguments: [
            (
                0, 0x8B, 0,
                "01000000100000721590E8D0C26E9F3394F33A131553788226661ABC3A6910AC3C7230ADF4D105",
                "B5D409E07A0532F3"
            ),
            (0, 0x00, 1, "", "DB552FD9D33408EF"),
            (0, 0xC8, 1, "28BF1982BE086FBC60A22DAEB66613EE", "A706434973471F1E"),
            (0, 0x00, 2, "A1963F1BB9FC916A8B15B2DC58002531", "B11FF6023DF464E0"),
            (0, 0xC7, 2, "01", "E516751A0725A624"),
            (0, 0x00, 3, "0400000094A3205E41588BA9", "F4697772DA9DDB82"),
            (1, 0x6C, 0, "03", "B775DA280F3E7300"),
            (1, 0x00, 1, "BC2CE0D37364B3C355C4B9B9A98802FF", "24035F8D39D40CE0"),
            (1, 0x0C, 1, "039DCDD6C409DABB0C9D5834D04FBD6E26", "68AFCFFD9EFB9234"),
            (1, 0x00, 2, "", "1004E8EA74C2871F"),
        ] as [(Int, UInt8, UInt16, String, String)])
    func lightCodes(session: Int, first: UInt8, count: UInt16, body: String, code: String) {
        #expect(Self.lightSessions[session].code(first, count, bytes(body)) == bytes(code))
    }

    private static let lightSessions = [
        SecureSession(
            encryption: key("78240CC5596B751D90023827B0B7E73D"),
            authentication: key("6F64B98D7241EA993137DF880BEE1B89"), transaction: bytes("2D0611EC")),
        SecureSession(
            encryption: key("4C4C0E575943FF670CF85BAE2E0D201D"),
            authentication: key("D1CC5CE9FC9F1970348D33D01FAFEF8F"), transaction: bytes("E412166F")),
    ]

    @Test("The code of a debit matches AN12343, table 37")
    func lightDebit() {
        let session = Self.lightSessions[1]
        let zeros = [UInt8](repeating: 0, count: 8)
        let vector = session.encryption.encrypt(bytes("A55AE412166F0300") + zeros)
        let value = bytes("71000000800000000000000000000000")
        let data = session.encryption.encrypt(value, vector: vector)
        #expect(session.code(0xDC, 3, [3] + data) == bytes("0CA9B6B519A49F49"))
    }

    @Test("Session keys and the code of a write match AN12343 for DESFire Light")
    func light() {
        let session = SecureSession(
            key: factoryKey, reader: bytes("B04D0787C93EE0CC8CACC8E86F16C6FE"),
            card: bytes("FA659AD0DCA738DD65DC7DC38612AD81"), transaction: [0, 0, 0, 0])
        #expect(session.encryption == key("63DC07286289A7A6C0334CA31C314A04"))
        #expect(session.authentication == key("774F26743ECE6AF5033B6AE8522946F6"))
        let writing = SecureSession(
            encryption: factoryKey, authentication: key("9366FA195EB566F5BD2BAD4020B83002"),
            transaction: bytes("E2D3AF69"))
        let command = CardCommand.writeData(
            .capability, offset: 0, data: [UInt8](repeating: 0x22, count: 25))
        // Light has a file 0, which this chip has not: the code is over the same bytes but one.
        var body = command.header + command.data
        body[0] = 0
        #expect(
            (try? writing.open(.writeData, body + bytes("68F2C28C575A1628"), .authenticated))?
                .data == command.data)
    }
}
