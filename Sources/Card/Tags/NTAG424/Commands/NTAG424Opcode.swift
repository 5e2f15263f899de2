/// The instruction bytes of the chip's native commands.
package enum NTAG424Opcode: UInt8, CaseIterable {
    case readSignature = 0x3C
    case getCardUID = 0x51
    case setConfiguration = 0x5C
    case changeFileSettings = 0x5F
    case getVersion = 0x60
    case getKeyVersion = 0x64
    case authenticateFirst = 0x71
    case authenticateNext = 0x77
    case writeData = 0x8D
    case readData = 0xAD
    case more = 0xAF
    case changeKey = 0xC4
    case getFileSettings = 0xF5
    case getFileCounters = 0xF6

    /// The number of bytes before the data. Those bytes are never encrypted.
    package var headerSize: Int {
        switch self {
        case .getCardUID, .getVersion, .more: 0
        case .readData, .writeData: 7
        case .authenticateFirst, .authenticateNext, .readSignature, .setConfiguration,
            .changeFileSettings, .getKeyVersion, .changeKey, .getFileSettings, .getFileCounters:
            1
        }
    }
}

extension CardCommand {
    package var opcode: NTAG424Opcode? {
        switch self {
        case .selectApplication, .selectFile, .readBinary, .updateBinary: nil
        case .authenticateFirst: .authenticateFirst
        case .authenticateNext: .authenticateNext
        case .more: .more
        case .getVersion: .getVersion
        case .getCardUID: .getCardUID
        case .getKeyVersion: .getKeyVersion
        case .getFileSettings: .getFileSettings
        case .getFileCounters: .getFileCounters
        case .readSignature: .readSignature
        case .changeKey: .changeKey
        case .changeFileSettings: .changeFileSettings
        case .setConfiguration: .setConfiguration
        case .readData: .readData
        case .writeData: .writeData
        }
    }

    /// The bytes before the data, which are never encrypted.
    package var header: [UInt8] {
        switch self {
        case .authenticateFirst(let key), .authenticateNext(let key), .getKeyVersion(let key):
            [key.rawValue]
        case .getFileSettings(let file), .getFileCounters(let file),
            .changeFileSettings(let file, _):
            [file.rawValue]
        case .changeKey(let change): [change.number.rawValue]
        // 0 is the only address that Read_Sig supports.
        case .readSignature: [0]
        case .setConfiguration(let configuration): [configuration.option]
        case .readData(let file, let offset, let length):
            [file.rawValue] + SettingsReader.bytes(offset) + SettingsReader.bytes(length)
        case .writeData(let file, let offset, let data):
            [file.rawValue] + SettingsReader.bytes(offset) + SettingsReader.bytes(data.count)
        default: []
        }
    }

    /// The bytes after the header, which are encrypted in full mode.
    package var data: [UInt8] {
        switch self {
        // The length of the reader's capabilities is 0, so none follow.
        case .authenticateFirst: [0]
        case .more(let data), .writeData(_, _, let data): data
        case .changeKey(let change): change.data
        case .changeFileSettings(_, let settings): settings.change
        case .setConfiguration(let configuration): configuration.bytes
        default: []
        }
    }

    /// Parses one of the chip's native commands, with its protection removed. Throws the status
    /// that the chip returns for an invalid command.
    package init(_ opcode: NTAG424Opcode, header: [UInt8], data: [UInt8]) throws(StatusFault) {
        // 917Eh means a wrong length, 919Eh a wrong value.
        guard header.count == opcode.headerSize else { throw StatusFault(0x917E) }
        switch opcode {
        case .authenticateFirst:
            // The reader's capabilities are optional: a count, then at most six bytes.
            guard let count = data.first, Int(count) == data.count - 1, count <= 6 else {
                throw StatusFault(0x917E)
            }
            self = .authenticateFirst(try CardCommand.key(header))
            return
        case .more:
            self = .more(data)
            return
        case .changeKey:
            self = .changeKey(KeyChange(number: try CardCommand.key(header), data: data))
            return
        case .changeFileSettings:
            let file = try CardCommand.file(header)
            guard let settings = FileSettings(change: data) else { throw StatusFault(0x919E) }
            self = .changeFileSettings(file, settings)
            return
        case .setConfiguration:
            guard let configuration = NTAG424Configuration(option: header[0], data) else {
                throw StatusFault(0x919E)
            }
            self = .setConfiguration(configuration)
            return
        case .writeData:
            let (file, offset, length) = try CardCommand.span(header)
            // Only in ReadData does a length of 0 mean the rest of the file.
            guard length > 0 else { throw StatusFault(0x919E) }
            guard length == data.count else { throw StatusFault(0x917E) }
            self = .writeData(file, offset: offset, data: data)
            return
        default: break
        }
        guard data.isEmpty else { throw StatusFault(0x917E) }
        self =
            switch opcode {
            case .authenticateNext: .authenticateNext(try CardCommand.key(header))
            case .getKeyVersion: .getKeyVersion(try CardCommand.key(header))
            case .getFileSettings: .getFileSettings(try CardCommand.file(header))
            case .getFileCounters: .getFileCounters(try CardCommand.file(header))
            case .getCardUID: .getCardUID
            case .readSignature: try CardCommand.signature(header)
            case .readData: try CardCommand.read(header)
            // Every other opcode was handled above.
            default: .getVersion
            }
    }

    private static func key(_ header: [UInt8]) throws(StatusFault) -> KeyNumber {
        guard let key = KeyNumber(rawValue: header[0]) else { throw StatusFault(0x9140) }
        return key
    }

    private static func file(_ header: [UInt8]) throws(StatusFault) -> FileNumber {
        guard let file = FileNumber(rawValue: header[0]) else { throw StatusFault(0x91F0) }
        return file
    }

    private static func signature(_ header: [UInt8]) throws(StatusFault) -> CardCommand {
        guard header[0] == 0 else { throw StatusFault(0x919E) }
        return .readSignature
    }

    private static func read(_ header: [UInt8]) throws(StatusFault) -> CardCommand {
        let (file, offset, length) = try span(header)
        return .readData(file, offset: offset, length: length)
    }

    private static func span(
        _ header: [UInt8]
    ) throws(StatusFault) -> (FileNumber, offset: Int, length: Int) {
        let file = try file(header)
        var reader = SettingsReader(Array(header.dropFirst()))
        guard let offset = reader.offset(), let length = reader.offset() else {
            throw StatusFault(0x917E)
        }
        return (file, offset, length)
    }
}
