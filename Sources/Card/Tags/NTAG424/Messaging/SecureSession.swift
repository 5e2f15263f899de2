package import CardCryptography

/// A session between the reader and the chip after authentication: its keys, its number, and the
/// command counter. Each MAC depends on all three, so no message can be replayed, left out, or
/// moved to another session. Both sides share this type.
package struct SecureSession: Sendable, Hashable {
    /// The number of the session, chosen by the card (TI).
    package let transaction: [UInt8]
    /// The number of commands so far (CmdCtr).
    package private(set) var commands: UInt16

    package let encryption: AESKey
    package let authentication: AESKey

    static let transactionSize = 4
    package static let randomSize = AESKey.blockSize
    private static let paddingStart: UInt8 = 0x80

    private enum Direction {
        case command
        case answer

        var label: [UInt8] { self == .command ? [0xA5, 0x5A] : [0x5A, 0xA5] }
    }

    package init(
        encryption: AESKey, authentication: AESKey, transaction: [UInt8], commands: UInt16 = 0
    ) {
        (self.encryption, self.authentication) = (encryption, authentication)
        (self.transaction, self.commands) = (transaction, commands)
    }

    /// The session that results from an authentication with this key. A further authentication
    /// keeps the number and the counter.
    package init(
        key: AESKey, reader: [UInt8], card: [UInt8], transaction: [UInt8], commands: UInt16 = 0
    ) {
        // SV1 and SV2 of the data sheet use both random numbers, so that neither side can force the
        // use of an old key.
        let context =
            [0x00, 0x01, 0x00, 0x80] + reader[..<2] + zip(reader[2..<8], card[..<6]).map { $0 ^ $1 }
            + card[6...] + reader[8...]
        self.init(
            encryption: key.derivedKey(for: Direction.command.label + context),
            authentication: key.derivedKey(for: Direction.answer.label + context),
            transaction: transaction, commands: commands)
    }

    /// The protected command, as sent by the reader. `nil` if the command has no protected form or
    /// is too long.
    func protect(_ command: CardCommand, _ mode: CommunicationMode) -> CommandAPDU? {
        guard let opcode = command.opcode else { return nil }
        guard mode != .plain else { return command.plain }
        // Wiped, because the data may include a new key.
        var plain = command.data
        defer { Wiping.wipe(&plain) }
        let data =
            mode == .full && !plain.isEmpty ? encrypt(plain, .command, commands) : plain
        let body = command.header + data
        let code = code(opcode.rawValue, commands, body)
        guard body.count + code.count <= CommandAPDU.maximumData else { return nil }
        return command.native(body + code)
    }

    /// The header and the data of a command, as the card decodes them. Throws the status that the
    /// chip returns for an invalid command.
    package func open(
        _ opcode: NTAG424Opcode, _ body: [UInt8], _ mode: CommunicationMode
    ) throws(StatusFault) -> (header: [UInt8], data: [UInt8]) {
        // The counter must not wrap; otherwise MACs would repeat.
        guard commands < .max else { throw StatusFault(0x91CA) }
        guard mode != .plain else {
            return (Array(body.prefix(opcode.headerSize)), Array(body.dropFirst(opcode.headerSize)))
        }
        let content = Array(body.dropLast(AESKey.shortCodeSize))
        guard body.count >= opcode.headerSize + AESKey.shortCodeSize else {
            throw StatusFault(0x917E)
        }
        guard
            ConstantTime.equal(
                code(opcode.rawValue, commands, content),
                Array(body.suffix(AESKey.shortCodeSize)))
        else { throw StatusFault(0x911E) }
        let header = Array(content.prefix(opcode.headerSize))
        let data = Array(content.dropFirst(opcode.headerSize))
        guard mode == .full, !data.isEmpty else { return (header, data) }
        guard let plain = decrypt(data, .command, commands) else { throw StatusFault(0x911E) }
        return (header, plain)
    }

    /// The protected response, as sent by the card. Counts the command.
    package mutating func seal(
        _ answer: [UInt8], _ mode: CommunicationMode, status: StatusWord = .done
    ) -> [UInt8] {
        // The MAC of the response already uses the next count.
        commands += 1
        guard mode != .plain else { return answer }
        let data = mode == .full && !answer.isEmpty ? encrypt(answer, .answer, commands) : answer
        return data + code(status.code, commands, data)
    }

    /// Checks the MAC of a protected response and returns its data. Counts the command.
    mutating func unseal(
        _ answer: [UInt8], _ mode: CommunicationMode, status: StatusWord
    ) throws(NTAG424Error) -> [UInt8] {
        commands += 1
        guard mode != .plain else { return answer }
        guard answer.count >= AESKey.shortCodeSize else { throw NTAG424Error(.malformed) }
        let data = Array(answer.dropLast(AESKey.shortCodeSize))
        guard
            ConstantTime.equal(
                code(status.code, commands, data), Array(answer.suffix(AESKey.shortCodeSize)))
        else { throw NTAG424Error(.unauthenticated) }
        guard mode == .full, !data.isEmpty else { return data }
        guard let plain = decrypt(data, .answer, commands) else { throw NTAG424Error(.malformed) }
        return plain
    }

    /// Counts a command whose response has no MAC.
    mutating func countWithoutMAC() { commands += 1 }

    /// The MAC of a command or a response. `first` is the opcode or the status code.
    package func code(_ first: UInt8, _ count: UInt16, _ body: [UInt8]) -> [UInt8] {
        authentication.shortCode(
            for: [first, UInt8(truncatingIfNeeded: count), UInt8(count >> 8)] + transaction + body)
    }

    private func encrypt(
        _ plain: [UInt8], _ direction: Direction, _ count: UInt16
    ) -> [UInt8] {
        // Padding per ISO/IEC 9797-1, method 2: 80h and zeros, even if the data fills whole blocks.
        let padding = AESKey.blockSize - plain.count % AESKey.blockSize
        var padded =
            plain + [SecureSession.paddingStart] + [UInt8](repeating: 0, count: padding - 1)
        defer { Wiping.wipe(&padded) }
        return encryption.encrypt(padded, vector: vector(direction, count))
    }

    /// `nil` for an incomplete block, or for padding that `encrypt` would not add.
    private func decrypt(
        _ encrypted: [UInt8], _ direction: Direction, _ count: UInt16
    ) -> [UInt8]? {
        guard encrypted.count.isMultiple(of: AESKey.blockSize) else { return nil }
        let padded = encryption.decrypt(encrypted, vector: vector(direction, count))
        guard let end = padded.lastIndex(where: { $0 != 0 }),
            padded[end] == SecureSession.paddingStart,
            padded.count - end <= AESKey.blockSize
        else { return nil }
        return Array(padded[..<end])
    }

    private func vector(_ direction: Direction, _ count: UInt16) -> [UInt8] {
        // The vector is the encrypted counter, so equal data never looks the same when encrypted
        // (data sheet, full mode).
        let start =
            direction.label + transaction + [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
        let zeros = AESKey.blockSize - start.count
        return encryption.encrypt(start + [UInt8](repeating: 0, count: zeros))
    }
}
