import Cards
import Tags

/// Reads and writes the message of a Type 4 tag. Anyone may do so if the tag's capability container
/// allows it; no key is used.
struct Type4Files: StationWork {
    let station: Station

    /// Selects the tag's application and reads its capability container.
    func capability() async throws(Interruption) -> Type4Capability {
        try await send(CardCommand.selectApplication.plain)
        try await send(.selecting(file: Type4Capability.fileIdentifier))
        let bytes = try await read(at: 0, count: Type4Capability.byteCount)
        guard let capability = Type4Capability(bytes) else {
            throw .refused(
                .unsupportedTag, "The tag's description of its message file cannot be used.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
        }
        try await send(.selecting(file: capability.file))
        return capability
    }

    /// Reads the message from the selected file.
    func message(_ capability: Type4Capability) async throws(Interruption) -> [UInt8] {
        let prefix = Type4Capability.lengthByteCount
        let length = try await read(at: 0, count: prefix)
        let count = Int(length[0]) << 8 | Int(length[1])
        guard count <= capability.maximumByteCount else {
            throw .card(CardStoreError(.garbled, "the message is longer than its file"))
        }
        return try await read(at: prefix, count: count, capability)
    }

    /// Reads the settings of the message file, which requires no key. Returns nil if the tag is not
    /// an NTAG 424.
    func settings(_ capability: Type4Capability) async throws(Interruption) -> FileSettings? {
        guard capability.file == FileNumber.ndef.identifier else { return nil }
        let response = try await exchange(CardCommand.getFileSettings(.ndef).plain)
        switch response.status.refusal {
        case nil:
            let report = FileSettings.reported(response.data)
            if let report, report.size == FileNumber.ndef.size { return report.settings }
            guard !FileSettings.reportsMirror(response.data) else {
                throw .refused(
                    .unsupportedTag,
                    "The chip inserts data into the tag's message in a way that is not supported.",
                    meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
            }
            return nil
        // An NTAG 424 does not refuse the command, so something disturbed it.
        case .memory, .aborted, .integrity:
            throw .card(CardStoreError(.garbled, "the tag refused the command"))
        case .some: return nil
        }
    }

    /// Removes the message by setting its length to zero.
    func remove() async throws(Interruption) { try await update(at: 0, [0, 0]) }

    /// Writes a message after the old one was removed. A tag that is pulled away holds no message
    /// or the new one: the length is set last, after the message has been read back. `isShown`
    /// checks the message that was read back.
    func write(
        _ message: [UInt8], _ capability: Type4Capability, isShown: ([UInt8]) -> Bool
    ) async throws(Interruption) {
        let prefix = Type4Capability.lengthByteCount
        for start in stride(from: 0, to: message.count, by: capability.maximumWrite) {
            let end = min(start + capability.maximumWrite, message.count)
            try await update(at: prefix + start, Array(message[start..<end]))
        }
        let shown = try await read(at: prefix, count: message.count, capability)
        guard isShown(shown) else { throw Type4Files.differs }
        let length = [
            UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count),
        ]
        try await update(at: 0, length)
        guard try await read(at: 0, count: prefix) == length else { throw Type4Files.differs }
    }

    private static let differs = Interruption.card(
        CardStoreError(.differs, "the content that was read back differs from what was written"))

    /// The error for a tag that accepts a change only with a key that this station lacks.
    static let requiresKey = Interruption.refused(
        .protectedTag, "The tag does not allow this without its key.",
        meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])

    private func read(
        at offset: Int, count: Int, _ capability: Type4Capability
    ) async throws(Interruption) -> [UInt8] {
        // Two bytes of each response are the status.
        let most = max(1, min(capability.maximumRead, await reader.maximumAnswerLength - 2))
        var bytes: [UInt8] = []
        while bytes.count < count {
            bytes += try await read(at: offset + bytes.count, count: min(most, count - bytes.count))
        }
        return bytes
    }

    private func read(at offset: Int, count: Int) async throws(Interruption) -> [UInt8] {
        let data = try await send(CardCommand.readBinary(nil, offset: offset, length: count).plain)
        guard data.count == count else {
            throw .card(CardStoreError(.garbled, "the tag's response has the wrong length"))
        }
        return data
    }

    private func update(at offset: Int, _ data: [UInt8]) async throws(Interruption) {
        do throws(Interruption) {
            try await send(CardCommand.updateBinary(nil, offset: offset, data: data).plain)
        } catch .card(let error) {
            guard case .reader(let kind) = error.kind else { throw .card(error) }
            throw .card(CardStoreError(.interrupted(kind), error.detail))
        }
    }

    @discardableResult private func send(
        _ command: CommandAPDU
    ) async throws(Interruption) -> [UInt8] {
        let response = try await exchange(command)
        switch response.status.refusal {
        case nil: return response.data
        case .notAllowed: throw Type4Files.requiresKey
        case .unknownCommand, .noSuchFile, .wrongParameter:
            throw .refused(
                .unsupportedTag, "The tag has no NDEF files.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
        case .some:
            throw .card(CardStoreError(.garbled, "the tag refused the command"))
        }
    }
    private func exchange(_ command: CommandAPDU) async throws(Interruption) -> ResponseAPDU {
        let bytes = try await translating(
            awaiting: await reader.exchange(command: command.bytes)
        ) { (error: ReaderError) in
            Interruption.card(CardStoreError(.reader(error.kind), error.description))
        }
        guard let response = ResponseAPDU(bytes) else {
            throw .card(CardStoreError(.garbled, "the tag's response has the wrong length"))
        }
        return response
    }
}
