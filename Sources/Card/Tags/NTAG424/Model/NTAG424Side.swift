import CardCryptography
import TapcardDomain

/// The chip's side of an exchange, with all its volatile state: a state machine that takes a
/// command and returns the response. It is as strict as an NTAG 424. Where the data sheet leaves
/// room for interpretation, it takes the stricter option (docs/CARDS.md lists these cases).
package struct NTAG424Side: Hashable, Sendable {
    /// The context of one command.
    struct CommandContext {
        /// The number of blocks in which the command arrived.
        let blocks: Int
        let random: (Int) -> [UInt8]
    }

    private enum Pending: Hashable {
        case nothing
        case proof(KeyNumber, card: [UInt8], isFirst: Bool)
        /// Parts of a response that still have to be sent.
        case parts([[UInt8]])
    }

    var isSelected = false
    var file: FileNumber?
    var session: SecureSession?
    var sessionKey: KeyNumber?
    private var pending = Pending.nothing
    /// The random bytes used in mirrored values since the selection; `nil` until the first read,
    /// which is the only one that is counted. A phone reads the file in several parts, which must
    /// be consistent with each other.
    var filling: [UInt8]?

    /// The number of consecutive failed attempts after which delays begin, and the maximum number
    /// of delays.
    static let failuresBeforeDelay: UInt16 = 50
    static let maximumDelays: UInt16 = 20

    /// A chip that has just been powered on.
    package init() {}

    /// Executes a complete command that arrived in this many blocks, and returns the response.
    package mutating func answer(
        _ command: [UInt8], blocks: Int = 1, _ memory: inout NTAG424Memory,
        random: (Int) -> [UInt8]
    ) -> [UInt8] {
        // The second part of a command must follow immediately; any other command discards the
        // pending state.
        let previous = pending
        pending = .nothing
        do throws(StatusFault) {
            guard let apdu = CommandAPDU(command) else { throw StatusFault(0x6700) }
            return try withoutActuallyEscaping(random) { random throws(StatusFault) in
                let context = CommandContext(blocks: blocks, random: random)
                switch apdu.commandClass {
                case 0x00: return try iso(apdu, &memory, context)
                case CardCommand.nativeClass:
                    return try native(apdu, previous, &memory, context)
                default: throw StatusFault(0x6E00)
                }
            }
        } catch {
            // Any refusal ends the session.
            (session, sessionKey) = (nil, nil)
            return ResponseAPDU([], error.status).bytes
        }
    }

    /// Whether a command writes, for fault injection and write counters.
    package static func isWrite(_ command: [UInt8]) -> Bool {
        guard command.count > 1 else { return false }
        let writing: [NTAG424Opcode] = [
            .writeData, .changeKey, .changeFileSettings, .setConfiguration,
        ]
        // D6h is UPDATE BINARY.
        return command[0] == CardCommand.nativeClass
            ? writing.contains { $0.rawValue == command[1] } : command[1] == 0xD6
    }

    private mutating func iso(
        _ apdu: CommandAPDU, _ memory: inout NTAG424Memory, _ context: CommandContext
    ) throws(StatusFault) -> [UInt8] {
        let command = try CardCommand(iso: apdu)
        switch command {
        case .selectApplication:
            (session, sessionKey, file) = (nil, nil, nil)
            // Mirrored values stay the same until the next selection, and no further read is
            // counted before that.
            (isSelected, filling) = (true, nil)
            return ResponseAPDU([], .isoDone).bytes
        case .selectFile(let requested):
            guard isSelected else { throw StatusFault(0x6A82) }
            (session, sessionKey, file, filling) = (nil, nil, requested, nil)
            return ResponseAPDU([], .isoDone).bytes
        case .readBinary(let requested, let offset, let length):
            let file = try isoFile(requested)
            let content = try readable(file, &memory, context, refused: 0x6982)
            guard offset < content.count else { throw StatusFault(0x6A86) }
            // Unlike ReadData, READ BINARY may request bytes past the end of the file.
            let end = min(content.count, offset + length)
            return ResponseAPDU(Array(content[offset..<end]), .isoDone).bytes
        case .updateBinary(let requested, let offset, let data):
            let file = try isoFile(requested)
            guard NTAG424Side.allows([.free], memory[file].settings, \.write, nil) else {
                throw StatusFault(0x6982)
            }
            guard offset + data.count <= file.size else { throw StatusFault(0x6A86) }
            memory[file].bytes.replaceSubrange(offset..<(offset + data.count), with: data)
            return ResponseAPDU([], .isoDone).bytes
        default: throw StatusFault(0x6D00)
        }
    }

    private mutating func isoFile(_ requested: FileNumber?) throws(StatusFault) -> FileNumber {
        guard isSelected else { throw StatusFault(0x6985) }
        // These commands have no protected form, so they cannot be used in a session.
        guard session == nil else { throw StatusFault(0x6982) }
        if let requested { (file, filling) = (requested, file == requested ? filling : nil) }
        guard let file else { throw StatusFault(0x6985) }
        return file
    }

    private mutating func native(
        _ apdu: CommandAPDU, _ previous: Pending, _ memory: inout NTAG424Memory,
        _ context: CommandContext
    ) throws(StatusFault) -> [UInt8] {
        guard apdu.first == 0, apdu.second == 0, apdu.expected == 0 else {
            throw StatusFault(0x919E)
        }
        guard let opcode = NTAG424Opcode(rawValue: apdu.instruction) else {
            throw StatusFault(0x911C)
        }
        if opcode == .more {
            return try continueCommand(apdu.data, previous, &memory, context)
        }
        // 91CAh: another command arrived between the parts of a command.
        guard previous == .nothing else { throw StatusFault(0x91CA) }
        let mode = try mode(opcode, apdu.data, memory)
        // SetConfiguration 04h forbids such writes, because they could be left half done.
        if opcode == .writeData, mode != .plain, context.blocks > 1, memory.forbidsChaining {
            throw StatusFault(0x917E)
        }
        let (header, data) =
            try session?.open(opcode, apdu.data, mode)
            ?? (
                Array(apdu.data.prefix(opcode.headerSize)),
                Array(apdu.data.dropFirst(opcode.headerSize))
            )
        let command = try CardCommand(opcode, header: header, data: data)
        switch command {
        case .authenticateFirst(let key), .authenticateNext(let key):
            return try challenge(key, isFirst: opcode == .authenticateFirst, &memory, context)
        case .getVersion: return version(memory)
        default: break
        }
        let answer = try carryOut(command, &memory, context)
        let status: StatusWord = opcode == .readSignature ? .signatureDone : .done
        guard session != nil else { return ResponseAPDU(answer, status).bytes }
        if case .changeKey(let change) = command, change.number == .application {
            // The session's key no longer exists, so the session ends.
            (session, sessionKey) = (nil, nil)
            return ResponseAPDU([], status).bytes
        }
        return ResponseAPDU(session?.seal(answer, mode, status: status) ?? [], status).bytes
    }

    /// How a command must be protected. Without a session, everything is plain.
    private func mode(
        _ opcode: NTAG424Opcode, _ body: [UInt8], _ memory: NTAG424Memory
    ) throws(StatusFault) -> CommunicationMode {
        guard session != nil else { return .plain }
        switch opcode {
        case .authenticateFirst, .authenticateNext, .more: return .plain
        case .getVersion, .getKeyVersion, .getFileSettings: return .authenticated
        case .readData, .writeData:
            guard let file = body.first.flatMap(FileNumber.init(rawValue:)) else {
                throw StatusFault(0x91F0)
            }
            let settings = memory[file].settings
            let right = opcode == .readData ? \AccessRights.read : \AccessRights.write
            // Access that is open to anyone is plain, even in a session.
            return NTAG424Side.allows([], settings, right, sessionKey) ? settings.mode : .plain
        default: return .full
        }
    }

    private mutating func challenge(
        _ number: KeyNumber, isFirst: Bool, _ memory: inout NTAG424Memory,
        _ context: CommandContext
    ) throws(StatusFault) -> [UInt8] {
        guard isSelected else { throw StatusFault(0x9140) }
        guard isFirst || session != nil else { throw StatusFault(0x919D) }
        let key = memory[number]
        // A locked key is refused at the first command. This is the stricter interpretation; it has
        // not been verified on a real chip.
        if let rule = memory.failureRule, key.failures >= rule.limit { throw StatusFault(0x919D) }
        if key.delays > 0 {
            memory[number].delays -= 1
            throw StatusFault(0x91AD)
        }
        // A first authentication ends an earlier session.
        if isFirst { (session, sessionKey) = (nil, nil) }
        let card = context.random(SecureSession.randomSize)
        pending = .proof(number, card: card, isFirst: isFirst)
        guard !memory.usesLRP else {
            return ResponseAPDU(KeyProof.lrpChallenge(card), .more).bytes
        }
        return ResponseAPDU(KeyProof.challenge(card, key.key), .more).bytes
    }

    private mutating func continueCommand(
        _ data: [UInt8], _ previous: Pending, _ memory: inout NTAG424Memory,
        _ context: CommandContext
    ) throws(StatusFault) -> [UInt8] {
        switch previous {
        case .nothing: throw StatusFault(0x91CA)
        case .parts(let parts):
            // The rest of the response to GetVersion is requested without data.
            guard data.isEmpty else { throw StatusFault(0x917E) }
            pending = parts.count > 1 ? .parts(Array(parts.dropFirst())) : .nothing
            return ResponseAPDU(parts[0], parts.count > 1 ? .more : .done).bytes
        case .proof(let number, let card, let isFirst):
            guard data.count == 2 * SecureSession.randomSize else { throw StatusFault(0x917E) }
            let key = memory[number].key
            // In LRP mode, authenticating with AES counts as a wrong key.
            guard !memory.usesLRP,
                let reader = KeyProof.readerRandom(data, card: card, key)
            else {
                memory.countFailure(number)
                throw StatusFault(0x91AE)
            }
            memory.countSuccess(number)
            let transaction =
                isFirst
                ? context.random(SecureSession.transactionSize) : session?.transaction ?? []
            session = SecureSession(
                key: key, reader: reader, card: card, transaction: transaction,
                commands: isFirst ? 0 : session?.commands ?? 0)
            sessionKey = number
            let confirmation = KeyProof.confirmation(
                reader, transaction: isFirst ? transaction : nil, key)
            return ResponseAPDU(confirmation, .done).bytes
        }
    }

    private mutating func version(_ memory: NTAG424Memory) -> [UInt8] {
        let parts = [
            NTAG424Side.hardware, NTAG424Side.software, memory.uid.bytes + NTAG424Side.production,
        ]
        let all = parts.flatMap(\.self)
        // One MAC covers all three parts, and is sent with the last one.
        let sealed = session?.seal(all, .authenticated) ?? all
        // The first two parts have seven bytes each; the last one also carries the MAC.
        pending = .parts([Array(sealed[7..<14]), Array(sealed[14...])])
        return ResponseAPDU(Array(sealed[..<7]), .more).bytes
    }

    private static let hardware: [UInt8] = [0x04, 0x04, 0x02, 0x30, 0x00, 0x11, 0x05]
    private static let software: [UInt8] = [0x04, 0x04, 0x02, 0x01, 0x02, 0x11, 0x05]
    private static let production: [UInt8] = [0xCF, 0x5D, 0x90, 0x45, 0x10, 0x46, 0x21]
}
