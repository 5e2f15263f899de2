package import Cards
import Ledger
package import Tags
import TapcardDomain

/// How a message is written to a tag.
package struct WriteOptions: Sendable, Hashable {
    /// Whether other content on the tag may be replaced. A card with a balance never is.
    package var overwrites = false
    /// Whether the tag is made read-only once it holds the message. This cannot be undone.
    package var locks = false
    /// The password that the tag requires, or is to require from now on.
    package var password: TagPassword?

    package init() {}
}

/// What was written to a tag.
package struct WrittenTag: Sendable, Hashable {
    package let uid: [UInt8]
    package let kind: String
    package let message: [UInt8]
    /// Whether the tag held this message before, so that nothing was written.
    package let wasThere: Bool
    package let isLocked: Bool
}

/// Reads and writes the messages of tags of all kinds. It uses no keys, and the ledger only to
/// recognize cards.
package struct TagMessages: StationWork {
    let station: Station

    /// Waits for a tag and reads its message.
    package func read() async throws(TapcardError) -> TagReading {
        try await withTag { identity throws(Interruption) in
            try await open(identity).reading
        }
    }

    /// Reads the message of a tag that has just been selected, and releases the tag.
    func read(_ identity: TagIdentity) async throws(TapcardError) -> TagReading {
        try await using(identity) { identity throws(Interruption) in
            try await open(identity).reading
        }
    }

    /// Reads the message of tag after tag until the task is canceled, or one of the closures returns
    /// false. No tag is asked whether it is a card, so `showOther` never gets `.card`.
    package func watch(
        _ show: (TagReading) async -> Bool, showOther: (Station.WatchEvent) async -> Bool
    ) async {
        await ReaderWatch(station: station).watch(showOther) { station throws(TapcardError) in
            let reading = try await station.messages.read()
            return (reading.uid, await show(reading))
        }
    }

    /// Waits for a tag and writes what `compose` makes of it. Returns only after the message has
    /// been read back.
    ///
    /// After a fault, the tag is selected and read again, as long as it stays on the reader: only
    /// what is read decides what still has to be written.
    package func write(
        _ options: WriteOptions, _ compose: (TagReading) throws(TapcardError) -> NDEFMessage
    ) async throws(TapcardError) -> WrittenTag {
        try await withTag { identity throws(Interruption) in
            var hasBegun = false
            var attempts = 0
            while true {
                attempts += 1
                do throws(Interruption) {
                    return try await write(identity, options, &hasBegun, compose)
                } catch {
                    guard attempts < TagMessages.maximumAttempts, error.mayPass,
                        await isStillThere(identity)
                    else { throw left(error, hasBegun) }
                }
            }
        }
    }

    /// Returns once this tag has been removed, or another one has taken its place.
    package func waitUntilGone(_ uid: [UInt8]?) async throws(TapcardError) {
        let lost = await ReaderWatch(station: station).waitForRemoval(
            of: uid, sawSeveral: uid == nil)
        if let lost { throw TapcardError(lost) }
    }

    private static let maximumAttempts = 3

    private func isStillThere(_ identity: TagIdentity) async -> Bool {
        (try? await reader.select(within: Station.returnLimit))?.uid == identity.uid
    }

    /// The error for a tag that was left while it was written to.
    private func left(_ error: Interruption, _ hasBegun: Bool) -> Interruption {
        switch error {
        case .refused: return error
        // The password is sent before the first WRITE.
        case .card(let cause) where cause.kind == .wrongPassword:
            return .refused(protected("The tag did not accept the password."))
        default: break
        }
        guard hasBegun else { return error }
        let cause = error.error
        return .refused(
            TapcardError(
                .outcomeUnknown, cause.what,
                meaning: "The tag holds its old message, no message, or the new one.",
                next: [.tag(.writeAgain)]))
    }

    private func write(
        _ identity: TagIdentity, _ options: WriteOptions, _ hasBegun: inout Bool,
        _ compose: (TagReading) throws(TapcardError) -> NDEFMessage
    ) async throws(Interruption) -> WrittenTag {
        let tag = try await open(identity)
        let message = try translating(
            try encoded(compose(tag.reading)), into: Interruption.refused)
        try await requireNoCard(tag)
        let lockWrites = options.locks ? try lockWrites(for: tag) : []
        let wasThere = tag.reading.message == message && !hasBegun
        if tag.reading.message != message {
            if !hasBegun { try requireReplaceable(tag, options) }
            try requireRoom(message, on: tag)
            dependencies.progress(.writing)
            hasBegun = true
            try await write(message, to: tag, options)
        }
        if !lockWrites.isEmpty {
            hasBegun = true
            try await write(lockWrites, options.password)
        }
        return WrittenTag(
            uid: identity.uid, kind: tag.reading.kind, message: message, wasThere: wasThere,
            isLocked: options.locks)
    }

    private func encoded(_ message: NDEFMessage) throws(TapcardError) -> [UInt8] {
        try translating(message.encoded()) { (error: NDEFError) in
            TapcardError(
                .usage, "The message cannot be written: \(error.detail).",
                meaning: TapcardError.nothingWritten)
        }
    }

    // MARK: - Reading

    /// A tag that has been read, and what is needed to write to it.
    private struct OpenTag {
        enum Medium {
            case pages(ScannedTag, isProtected: Bool)
            case files(Type4Capability)
        }

        let medium: Medium
        let reading: TagReading
    }

    private var files: Type4Files { Type4Files(station: station) }

    private func open(_ identity: TagIdentity) async throws(Interruption) -> OpenTag {
        if identity.usesBlocks {
            let capability = try await files.capability()
            let message = try await files.message(capability)
            return OpenTag(
                medium: .files(capability),
                reading: TagReading(
                    identity, kind: "Type 4 tag", format: .type4, message: message,
                    maximumByteCount: capability.maximumByteCount,
                    isWritable: capability.isWritable))
        }
        let tag = try await station.scanner.scanTag(of: identity) { $0.userPages }
        let area = tag.dataArea
        let blocks = TLVArea.leadingBlocks(of: area)
        let message = blocks.last.flatMap { $0.kind == .message ? $0 : nil }
        let access = try await station.fitness.access(of: tag)
        let room = area.count - (message.map(\.offset) ?? 0)
        return OpenTag(
            medium: .pages(tag, isProtected: access.isProtected),
            reading: TagReading(
                identity, kind: tag.kind, format: .type2, message: message?.value ?? [],
                otherBlocks: blocks.filter {
                    $0.kind != .message && $0.kind != .null && $0.kind != .terminator
                },
                maximumByteCount: MessagePlan.maximumByteCount(in: room),
                isWritable: !access.isLocked && tag.capability[3] & 0x0F == 0))
    }

    // MARK: - Refusing

    /// Refuses a card that may hold a balance, even if the user wants to overwrite the tag.
    private func requireNoCard(_ tag: OpenTag) async throws(Interruption) {
        guard let uid = CardUID(bytes: tag.reading.uid) else { return }
        let known = try await asking(await ledger.knownCard(of: uid))
        try known?.requireEnded()
        // A card that is not in this ledger belongs to someone else's.
        guard known == nil, case .pages(let scanned, _) = tag.medium,
            let layout = scanned.chip.model.flatMap(CardLayout.init),
            let image = CardImage(
                Array(scanned.memory.prefix(layout.pages.count * Page.size)), layout: layout),
            case .tapcard = image.content(in: currency),
            image.records.compactMap(SealedRecord.init).contains(where: { $0.balance > 0 })
        else { return }
        throw .refused(
            Refusal(
                .cardHasMoney,
                "tag \(uid) is a card from another ledger, and its record holds a balance"),
            uid: uid)
    }

    private func protected(_ what: String) -> TapcardError {
        TapcardError(
            .protectedTag, what, meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
    }

    private func requireReplaceable(
        _ tag: OpenTag, _ options: WriteOptions
    ) throws(Interruption) {
        let reading = tag.reading
        if case .pages(_, isProtected: true) = tag.medium, options.password == nil {
            throw .refused(protected("The tag requires a password for writing."))
        }
        guard reading.isWritable else {
            throw .refused(
                .lockedTag, "The tag is locked. Its content can never be changed again.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useUnlocked)])
        }
        guard !reading.isEmpty, !options.overwrites else { return }
        throw .refused(
            .notACard, "The tag already holds other content.",
            meaning: TapcardError.nothingWritten, next: [.tag(.overwrite)])
    }

    // MARK: - Writing

    private func requireRoom(_ message: [UInt8], on tag: OpenTag) throws(Interruption) {
        let maximum = tag.reading.maximumByteCount
        guard message.count > maximum else { return }
        throw .refused(tooLong(MessageTooLong(byteCount: message.count, maximum: maximum)))
    }

    private func write(
        _ message: [UInt8], to tag: OpenTag, _ options: WriteOptions
    ) async throws(Interruption) {
        switch tag.medium {
        case .files(let capability): try await files.write(message, capability)
        case .pages(let scanned, _):
            let plan = try translating(
                MessagePlan(message, on: scanned.dataArea)
            ) { (error: MessageTooLong) in Interruption.refused(tooLong(error)) }
            for writes in [plan.preparation, plan.completion] {
                try await write(writes, options.password)
            }
        }
    }

    /// The WRITEs that make the tag read-only. The capability container tells phones first; the
    /// lock bits of the page that holds it are set last.
    private func lockWrites(for tag: OpenTag) throws(Interruption) -> [PageWrite] {
        guard case .pages(let scanned, _) = tag.medium, let page = scanned.chip.dynamicLockPage,
            let dynamic = scanned.chip.lockedDynamicPage
        else {
            throw .refused(
                .unsupportedTag, "tapcard cannot lock this kind of tag.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
        }
        let header = scanned.header
        return [
            // The low nibble is the write access condition: 0Fh means that nobody may write.
            PageWrite(3, Page(header[12], header[13], header[14], header[15] | 0x0F)),
            PageWrite(page, dynamic), PageWrite(2, Page(header[8], header[9], 0xFF, 0xFF)),
        ]
    }

    private func write(
        _ writes: [PageWrite], _ password: TagPassword?
    ) async throws(Interruption) {
        guard !writes.isEmpty else { return }
        _ = try await reader.performInTap(
            WritePages(
                writes, maximumAnswerLength: await reader.maximumAnswerLength, password: password))
    }

    private func tooLong(_ error: MessageTooLong) -> TapcardError {
        TapcardError(
            .tooLong,
            "The message does not fit on the tag: it has \(error.byteCount) bytes, and the tag has "
                + "room for \(error.maximum).", meaning: TapcardError.nothingWritten,
            next: [.tag(.useAnother)])
    }

    /// Waits for a tag of any kind that can hold a message, runs the body, and always releases the
    /// tag.
    private func withTag<Success: Sendable>(
        _ body: (TagIdentity) async throws(Interruption) -> Success
    ) async throws(TapcardError) -> Success {
        dependencies.progress(.waitingForCard)
        let identity = try await translating(
            awaiting: await reader.select(within: settings.wait)
        ) { (error: ReaderError) in TapcardError(error) }
        return try await using(identity, body)
    }

    private func using<Success: Sendable>(
        _ identity: TagIdentity, _ body: (TagIdentity) async throws(Interruption) -> Success
    ) async throws(TapcardError) -> Success {
        do throws(Interruption) {
            guard identity.isType2 || identity.usesBlocks else {
                throw .refused(
                    .foreign(
                        identity.kind, identity,
                        because: "cannot be read; only Type 2 and Type 4 tags can."))
            }
            let success = try await body(identity)
            await reader.release()
            return success
        } catch {
            await reader.release()
            throw error.error
        }
    }
}

extension ScannedTag {
    /// The bytes for data blocks, as far as the capability container lets phones use them.
    fileprivate var dataArea: [UInt8] {
        // The container specifies the size in units of eight bytes.
        Array(memory.prefix(Int(capability[2]) * 8))
    }
}

extension KnownCard {
    /// Refuses a card whose account is still open, whatever its balance.
    func requireEnded() throws(Interruption) {
        if card.status == .closed || card.status == .replaced { return }
        throw .refused(
            Refusal(
                .cardHasMoney,
                "card \(card.uid) is not closed and has a balance of \(balance.shown)"),
            uid: card.uid)
    }
}
