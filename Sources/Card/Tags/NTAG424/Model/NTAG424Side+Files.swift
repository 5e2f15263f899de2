import CardCryptography
import TapcardDomain

/// How the chip executes commands on its files, keys, and settings. Any MAC has already been
/// checked.
extension NTAG424Side {
    mutating func carryOut(
        _ command: CardCommand, _ memory: inout NTAG424Memory, _ context: CommandContext
    ) throws(StatusFault) -> [UInt8] {
        // 919Dh means that the access is not allowed, 91AEh that a session is missing, 91BEh that
        // the range is outside the file, and 91F0h that the file is missing.
        switch command {
        case .getKeyVersion(let key):
            guard isSelected else { throw StatusFault(0x9140) }
            return [memory[key].version]
        case .readSignature: return memory.signature
        case .getCardUID:
            guard session != nil else { throw StatusFault(0x91AE) }
            return memory.uid.bytes
        case .getFileSettings(let file):
            guard isSelected else { throw StatusFault(0x91F0) }
            return memory[file].settings.report(size: file.size)
        case .getFileCounters(let file): return try counters(file, memory)
        case .readData(let file, let offset, let length):
            return try read(file, offset, length, &memory, context)
        case .writeData(let file, let offset, let data):
            try write(file, offset, data, &memory)
        case .changeKey(let change): try changeKey(change, &memory)
        case .changeFileSettings(let file, let settings):
            try changeSettings(file, settings, &memory)
        case .setConfiguration(let configuration): try configure(configuration, &memory)
        default: throw StatusFault(0x911C)
        }
        return []
    }

    /// Whether the session's key, or one of the other conditions, grants this right or the right to
    /// both read and write.
    static func allows(
        _ others: [AccessCondition], _ settings: FileSettings,
        _ right: KeyPath<AccessRights, AccessCondition>, _ key: KeyNumber?
    ) -> Bool {
        let held = (key.map { [.key($0)] } ?? []) + others
        return [settings.rights[keyPath: right], settings.rights.readWrite]
            .contains { held.contains($0) }
    }

    private mutating func read(
        _ file: FileNumber, _ offset: Int, _ length: Int, _ memory: inout NTAG424Memory,
        _ context: CommandContext
    ) throws(StatusFault) -> [UInt8] {
        let content = try readable(file, &memory, context, refused: 0x919D)
        let count = length == 0 ? content.count - offset : length
        guard offset < content.count, count > 0, offset + count <= content.count else {
            throw StatusFault(0x91BE)
        }
        // A protected response also needs room for padding (16 bytes) and a MAC (8 bytes).
        let room = session == nil ? CardCommand.maximumRead : CardCommand.maximumRead - 24
        guard count <= room || !isProtected(file, memory) else { throw StatusFault(0x917E) }
        return Array(content[offset..<(offset + count)])
    }

    private func isProtected(_ file: FileNumber, _ memory: NTAG424Memory) -> Bool {
        NTAG424Side.allows([], memory[file].settings, \.read, sessionKey)
            && memory[file].settings.mode != .plain
    }

    /// The content of a file as this reader sees it, including mirrored values.
    mutating func readable(
        _ file: FileNumber, _ memory: inout NTAG424Memory, _ context: CommandContext,
        refused: UInt16
    ) throws(StatusFault) -> [UInt8] {
        guard isSelected else { throw StatusFault(refused == 0x6982 ? 0x6985 : 0x91F0) }
        let settings = memory[file].settings
        guard NTAG424Side.allows([.free], settings, \.read, sessionKey) else {
            throw StatusFault(refused)
        }
        // Mirrored values are for phones; a session reads the stored bytes.
        guard session == nil, let mirror = settings.mirror else { return memory[file].bytes }
        if let limit = mirror.readLimit, memory.reads >= limit, filling == nil {
            throw StatusFault(refused)
        }
        // Counted once per selection, because a phone may read the file in several parts.
        if filling == nil, memory.reads < TapIdentity.maximumReads { memory.reads += 1 }
        let bytes = filling ?? context.random(TapIdentity.fillingSize)
        filling = bytes
        return memory.mirrored(mirror, filling: bytes)
    }

    private func counters(
        _ file: FileNumber, _ memory: NTAG424Memory
    ) throws(StatusFault) -> [UInt8] {
        guard let mirror = memory[file].settings.mirror else { throw StatusFault(0x919D) }
        switch mirror.countAccess {
        case .never: throw StatusFault(0x919D)
        case .free: break
        case .key(let key):
            guard sessionKey == key else { throw StatusFault(0x919D) }
        }
        // The response ends with two reserved bytes.
        return SettingsReader.bytes(Int(memory.reads)) + [0, 0]
    }

    private func write(
        _ file: FileNumber, _ offset: Int, _ data: [UInt8], _ memory: inout NTAG424Memory
    ) throws(StatusFault) {
        guard isSelected else { throw StatusFault(0x91F0) }
        guard NTAG424Side.allows([.free], memory[file].settings, \.write, sessionKey) else {
            throw StatusFault(0x919D)
        }
        guard offset + data.count <= file.size else { throw StatusFault(0x91BE) }
        memory[file].bytes.replaceSubrange(offset..<(offset + data.count), with: data)
    }

    private func changeKey(
        _ change: KeyChange, _ memory: inout NTAG424Memory
    ) throws(StatusFault) {
        guard session != nil else { throw StatusFault(0x91AE) }
        guard sessionKey == .application else { throw StatusFault(0x919D) }
        guard let (key, version) = change.open(old: memory[change.number].key) else {
            throw StatusFault(0x911E)
        }
        memory[change.number] = NTAG424Memory.Key(
            key: key, version: version, failures: 0, failuresInARow: 0, delays: 0)
    }

    private func changeSettings(
        _ file: FileNumber, _ settings: FileSettings, _ memory: inout NTAG424Memory
    ) throws(StatusFault) {
        guard session != nil else { throw StatusFault(0x91AE) }
        guard case .key(let key) = memory[file].settings.rights.change, key == sessionKey else {
            throw StatusFault(0x919D)
        }
        if let mirror = settings.mirror {
            guard file == .ndef, mirror.fits(file.size) else { throw StatusFault(0x919E) }
        }
        memory[file].settings = settings
        // The data sheet does not specify this; docs/CARDS.md documents the choice.
        if settings.mirror == nil { memory.reads = 0 }
    }

    private func configure(
        _ configuration: NTAG424Configuration, _ memory: inout NTAG424Memory
    ) throws(StatusFault) {
        guard session != nil else { throw StatusFault(0x91AE) }
        guard sessionKey == .application else { throw StatusFault(0x919D) }
        switch configuration {
        case .noChainedWriting: memory.forbidsChaining = true
        case .failureCounter(let limit, let decrement):
            memory.failureRule = NTAG424Memory.FailureRule(limit: limit, decrement: decrement)
        case .noFailureCounter: memory.failureRule = nil
        case .leakageResilience:
            // The mirrored values of that protocol are not simulated.
            guard memory[.ndef].settings.mirror == nil else { throw StatusFault(0x919E) }
            memory.usesLRP = true
        // A random UID is not simulated. On a real chip, it can never be turned off again.
        case .randomUID: throw StatusFault(0x919E)
        }
    }
}

extension NTAG424Memory {
    mutating func countFailure(_ number: KeyNumber) {
        guard failureRule != nil else { return }
        // Both counts stop one below the maximum, so that adding 1 never overflows.
        self[number].failures = min(self[number].failures + 1, .max - 1)
        self[number].failuresInARow = min(self[number].failuresInARow + 1, .max - 1)
        let streak = self[number].failuresInARow
        if streak >= NTAG424Side.failuresBeforeDelay {
            self[number].delays = min(
                streak - NTAG424Side.failuresBeforeDelay + 1, NTAG424Side.maximumDelays)
        }
    }

    mutating func countSuccess(_ number: KeyNumber) {
        self[number].failuresInARow = 0
        let decrement = failureRule?.decrement ?? 0
        self[number].failures -= min(self[number].failures, decrement)
    }
}
