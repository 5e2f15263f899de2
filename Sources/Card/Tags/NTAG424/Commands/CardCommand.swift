/// A command for the chip. The reader and the card share this codec.
package enum CardCommand: Hashable, Sendable {
    /// Selects the application by name.
    case selectApplication
    case selectFile(FileNumber)
    /// ISO/IEC 7816 READ BINARY, for a file given by its short identifier or for the selected file.
    case readBinary(FileNumber?, offset: Int, length: Int)
    /// ISO/IEC 7816 UPDATE BINARY.
    case updateBinary(FileNumber?, offset: Int, data: [UInt8])
    /// The first authentication (AuthenticateEV2First).
    case authenticateFirst(KeyNumber)
    /// A further authentication in the same session (AuthenticateEV2NonFirst).
    case authenticateNext(KeyNumber)
    /// The second part of an authentication, or a request for the rest of a response.
    case more([UInt8])
    case getVersion
    case getCardUID
    case getKeyVersion(KeyNumber)
    case getFileSettings(FileNumber)
    /// Requests the read count of the NDEF file.
    case getFileCounters(FileNumber)
    case readSignature
    case changeKey(KeyChange)
    case changeFileSettings(FileNumber, FileSettings)
    case setConfiguration(NTAG424Configuration)
    /// Length 0 means the rest of the file.
    case readData(FileNumber, offset: Int, length: Int)
    case writeData(FileNumber, offset: Int, data: [UInt8])

    /// The maximum number of bytes that one command can read.
    package static let maximumRead = 256

    static let nativeClass: UInt8 = 0x90

    /// How the command is protected in a session. `file` is the mode of the file that the command
    /// reads or writes.
    package func mode(file: CommunicationMode) -> CommunicationMode {
        switch self {
        // The data sheet specifies a fixed mode for each command, except that the mode of ReadData
        // and WriteData depends on the file.
        case .getVersion, .getKeyVersion, .getFileSettings: .authenticated
        case .getCardUID, .getFileCounters, .readSignature, .changeKey, .changeFileSettings,
            .setConfiguration:
            .full
        case .readData, .writeData: file
        default: .plain
        }
    }

    /// The command without protection.
    package var plain: CommandAPDU {
        switch self {
        case .selectApplication:
            // P1 is 04h: select by the name of the application.
            CommandAPDU(0, ISO.select, 0x04, data: NTAG424Application.name)
        case .selectFile(let file): .selecting(file: file.identifier)
        case .readBinary(let file, let offset, let length):
            CommandAPDU(
                0, ISO.readBinary, ISO.first(file, offset), UInt8(truncatingIfNeeded: offset),
                expected: UInt8(truncatingIfNeeded: length))
        case .updateBinary(let file, let offset, let data):
            CommandAPDU(
                0, ISO.updateBinary, ISO.first(file, offset), UInt8(truncatingIfNeeded: offset),
                data: data, expected: nil)
        default: native(header + data)
        }
    }

    /// The chip's native command with this body.
    func native(_ body: [UInt8]) -> CommandAPDU {
        CommandAPDU(CardCommand.nativeClass, opcode?.rawValue ?? 0, data: body)
    }

    private enum ISO {
        static let select: UInt8 = 0xA4
        static let readBinary: UInt8 = 0xB0
        static let updateBinary: UInt8 = 0xD6
        static let noAnswer: UInt8 = 0x0C
        static let short: UInt8 = 0x80
        // The file identifier of the NDEF application.
        static let application: UInt16 = 0xE110

        static func bytes(_ identifier: UInt16) -> [UInt8] {
            [UInt8(identifier >> 8), UInt8(truncatingIfNeeded: identifier)]
        }

        static func first(_ file: FileNumber?, _ offset: Int) -> UInt8 {
            // Bit 8 of P1 marks a short file identifier; without it, P1 is the high byte of the
            // offset.
            file.map { short | $0.shortIdentifier } ?? UInt8(offset >> 8)
        }
    }
}

extension CardCommand {
    /// Parses an ISO/IEC 7816 command. Throws the status that the chip returns for an invalid
    /// command.
    package init(iso apdu: CommandAPDU) throws(StatusFault) {
        // 6700h means a wrong length, 6A82h a missing file or application, 6A86h a wrong parameter,
        // and 6D00h an unknown instruction.
        switch apdu.instruction {
        case ISO.select: self = try CardCommand.select(apdu)
        case ISO.readBinary:
            guard apdu.data.isEmpty, let expected = apdu.expected else {
                throw StatusFault(0x6700)
            }
            let (file, offset) = try CardCommand.target(apdu)
            // An expected length of 0 means 256 (ISO/IEC 7816-4).
            let length = expected == 0 ? CardCommand.maximumRead : Int(expected)
            self = .readBinary(file, offset: offset, length: length)
        case ISO.updateBinary:
            guard !apdu.data.isEmpty else { throw StatusFault(0x6700) }
            let (file, offset) = try CardCommand.target(apdu)
            self = .updateBinary(file, offset: offset, data: apdu.data)
        default: throw StatusFault(0x6D00)
        }
    }

    private static func select(_ apdu: CommandAPDU) throws(StatusFault) -> CardCommand {
        guard apdu.second == 0 || apdu.second == ISO.noAnswer else { throw StatusFault(0x6A86) }
        switch apdu.first {
        case 0x04:
            guard apdu.data == NTAG424Application.name else { throw StatusFault(0x6A82) }
            return .selectApplication
        case 0x00, 0x02:
            guard apdu.data.count == 2 else { throw StatusFault(0x6700) }
            if apdu.first == 0, apdu.data == ISO.bytes(ISO.application) {
                return .selectApplication
            }
            let identifier = UInt16(apdu.data[0]) << 8 | UInt16(apdu.data[1])
            guard let file = FileNumber(identifier: identifier) else { throw StatusFault(0x6A82) }
            return .selectFile(file)
        default: throw StatusFault(0x6A86)
        }
    }

    private static func target(
        _ apdu: CommandAPDU
    ) throws(StatusFault) -> (FileNumber?, offset: Int) {
        guard apdu.first & ISO.short != 0 else {
            return (nil, Int(apdu.first) << 8 | Int(apdu.second))
        }
        // Apart from bit 8 and the five bits of the identifier, P1 has to be zero.
        guard apdu.first & 0x60 == 0 else { throw StatusFault(0x6A86) }
        guard let file = FileNumber(short: apdu.first & 0x1F) else { throw StatusFault(0x6A82) }
        return (file, Int(apdu.second))
    }
}

/// The status that the card returns when it refuses a command.
package struct StatusFault: Error, Hashable {
    package let status: StatusWord

    package init(_ status: UInt16) { self.status = StatusWord(status) }
}
