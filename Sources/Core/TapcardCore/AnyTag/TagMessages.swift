package import Cards
import Ledger
package import Tags
import TapcardDomain

/// Reads and writes NDEF messages on any Type 2 or Type 4 tag. Needs no keys, and looks into the
/// ledger only to avoid overwriting cards.
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

    /// Reads the message on each tag that arrives until the task is canceled or a closure returns
    /// false. Does not check whether a tag is a card, so `showOther` never receives `.card`.
    package func watch(
        _ show: (TagReading) async -> Bool, showOther: (Station.WatchEvent) async -> Bool
    ) async {
        await ReaderWatch(station: station).watch(showOther) { station throws(TapcardError) in
            let reading = try await station.messages.read()
            return (reading.uid, await show(reading))
        }
    }

    /// Waits for a tag and writes the message that `compose` creates for it. Returns only after the
    /// message has been read back.
    ///
    /// After a transmission error, tries again as long as the tag stays on the reader. Each attempt
    /// reads the tag first, and writes only what is still missing. Calls `willWrite` with the UID
    /// before each attempt that may change the tag.
    package func write(
        _ options: WriteOptions,
        willWrite: ([UInt8]) throws(TapcardError) -> Void = { _ in },
        _ compose: (TagReading) throws(TapcardError) -> NDEFMessage
    ) async throws(TapcardError) -> WrittenTag {
        try await withTag(changing: true) { identity throws(Interruption) in
            var hasBegun = false
            var attempts = 0
            var history = TapHistory()
            while true {
                attempts += 1
                do throws(Interruption) {
                    return try await write(
                        identity, options, &hasBegun, &history, willWrite, compose)
                } catch {
                    guard attempts < TagMessages.maximumAttempts, error.mayPass,
                        await isStillOnReader(identity)
                    else {
                        throw finalError(
                            for: error, hasBegun, hasPassword: options.password != nil)
                    }
                }
            }
        }
    }

    /// Removes the write protection that this password turns off. Refuses a card in use.
    package func unprotect(
        _ password: TagPassword
    ) async throws(TapcardError) -> ProtectionChange {
        try await withTag(changing: true) { identity throws(Interruption) in
            let tag = try await open(identity)
            try await requireNoActiveCard(tag)
            guard let uid = CardUID(bytes: identity.uid),
                case .pages(let scanned, let access) = tag.medium,
                let settings = access.configuration
            else { throw PageMessage.cannot("unprotect") }
            guard access.isProtected else {
                throw .refused(Refusal(.wrongState, "the tag has no write password"), uid: uid)
            }
            guard !settings.isLocked else { throw .refused(.lockedSettings(uid)) }
            do throws(Interruption) {
                try await station.protectionSteps.remove(password, from: identity, scanned.chip)
            } catch {
                if error.isRefusal { throw finalError(for: error, false, hasPassword: true) }
                throw .refused(
                    TapcardError(
                        .outcomeUnknown, error.tagError.what,
                        meaning: "The tag may or may not still be protected.",
                        next: [.tag(.writeAgain)]))
            }
            return ProtectionChange(
                uid: uid, isProtected: false, operation: nil, display: .current)
        }
    }

    /// Waits until this tag has been removed or replaced by another one. If `uid` is nil, waits
    /// until the reader is empty.
    package func waitUntilGone(_ uid: [UInt8]?) async throws(TapcardError) {
        let watch = ReaderWatch(station: station)
        if let lost = await watch.waitForRemoval(of: uid, sawSeveral: false) {
            throw TapcardError(lost)
        }
    }

    private static let maximumAttempts = 3

    private func isStillOnReader(_ identity: TagIdentity) async -> Bool {
        (try? await reader.select(within: Station.returnLimit))?.uid == identity.uid
    }

    /// The error to report when the command gives up on a tag. If the tag may have changed, the
    /// outcome is unknown, even after a refusal.
    private func finalError(
        for error: Interruption, _ hasBegun: Bool, hasPassword: Bool
    ) -> Interruption {
        if hasBegun {
            return .refused(
                TapcardError(
                    .outcomeUnknown, error.tagError.what,
                    meaning: "The tag holds its old message, no message, or the new one.",
                    next: [.tag(.writeAgain)]))
        }
        guard error.isWrongPassword else { return error }
        return .refused(
            protectedTagError(
                hasPassword
                    ? "The tag rejected the password." : "The tag requires a password for writing.")
        )
    }

    private func write(
        _ identity: TagIdentity, _ options: WriteOptions, _ hasBegun: inout Bool,
        _ history: inout TapHistory,
        _ willWrite: ([UInt8]) throws(TapcardError) -> Void,
        _ compose: (TagReading) throws(TapcardError) -> NDEFMessage
    ) async throws(Interruption) -> WrittenTag {
        let tag = try await open(identity)
        let message = try translating(
            try encoded(compose(tag.reading)), into: Interruption.refused)
        try await requireNoActiveCard(tag)
        let plan = try await plan(message, for: tag, identity, options)
        let wasThere = plan.isThere && !hasBegun
        if !plan.isThere, !hasBegun { try requireReplaceable(tag, plan, options) }
        if !plan.isThere || options.locks {
            try translating(willWrite(identity.uid), into: Interruption.refused)
        }
        if !plan.isThere {
            dependencies.progress(.writing)
            let hadBegun = hasBegun
            hasBegun = true
            do throws(Interruption) {
                switch plan {
                case .files(let files): try await files.begin(&history)
                case .pages(let pages): try await pages.begin()
                }
            } catch {
                // The tag refuses the first write before it changes anything.
                hasBegun = hadBegun || !error.isRefusal
                throw error
            }
            switch plan {
            case .files(let files): try await files.finish()
            case .pages(let pages): try await pages.finish()
            }
        } else if options.protects {
            try await plan.pages?.checkPassword()
        }
        if options.locks {
            hasBegun = true
            try await plan.pages?.lock()
        }
        return WrittenTag(
            uid: identity.uid, kind: tag.reading.kind, message: message, wasThere: wasThere,
            isLocked: options.locks)
    }

    /// How to write a message to a tag.
    private enum Plan {
        case pages(PageMessage)
        case files(FileMessage)

        /// Whether the tag already holds the message.
        var isThere: Bool {
            switch self {
            case .pages(let pages): pages.isThere
            case .files(let files): files.isThere
            }
        }

        /// Whether only settings have to change, or an interrupted write of the same message has to
        /// be finished.
        var isWholeOrTorn: Bool {
            switch self {
            case .pages(let pages): pages.isWholeOrTorn
            case .files(let files): files.isWholeOrTorn
            }
        }

        var pages: PageMessage? { if case .pages(let pages) = self { pages } else { nil } }
    }

    private func plan(
        _ message: [UInt8], for tag: OpenTag, _ identity: TagIdentity, _ options: WriteOptions
    ) async throws(Interruption) -> Plan {
        switch tag.medium {
        case .files(let capability):
            return .files(
                try FileMessage(
                    message, options, on: tag.reading, capability,
                    try await files.settings(capability), at: station))
        case .pages(let scanned, let access):
            guard scanned.hasNDEF else {
                throw .refused(
                    .unsupportedTag,
                    "The tag is not NDEF-formatted: page 3 has no valid capability container.",
                    meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
            }
            return .pages(
                try PageMessage(message, options, on: identity, scanned, access, at: station))
        }
    }

    private func encoded(_ message: NDEFMessage) throws(TapcardError) -> [UInt8] {
        try translating(message.encoded()) { (error: NDEFError) in
            TapcardError(
                .usage, "The message cannot be written: \(error.detail).",
                meaning: TapcardError.nothingWritten)
        }
    }

    // MARK: - Reading

    /// A tag's content, together with what is needed to write to it.
    private struct OpenTag {
        enum Medium {
            case pages(ScannedTag, TagAccess)
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
        let (tag, access) = try await PageMessage.scan(identity, at: station)
        return OpenTag(
            medium: .pages(tag, access),
            reading: TagReading(identity, tag, isLocked: access.isLocked))
    }

    // MARK: - Refusing

    /// Throws an error if the tag is a card that may hold a balance, even with `--overwrite`.
    private func requireNoActiveCard(_ tag: OpenTag) async throws(Interruption) {
        guard let uid = CardUID(bytes: tag.reading.uid) else { return }
        try await asking(await ledger.knownCard(of: uid))?.requireEnded()
        // Only records count, because anyone can replace the text for phones. An NTAG 424 protects
        // a card's files itself.
        guard case .pages(let scanned, _) = tag.medium,
            let layout = scanned.chip.model.flatMap(CardLayout.init)
        else { return }
        // Ignore slots that a message extends into. A message never begins in a slot.
        let message = MessagePlan.message(on: scanned.dataArea)
        let slots = (0..<2).map(layout.recordBytes)
        let start = slots.map(\.lowerBound).min() ?? 0
        let end = message.map { $0.offset < start ? $0.valueOffset + $0.value.count : 0 } ?? 0
        for range in slots where range.lowerBound >= end {
            let bytes = Array(scanned.memory.dropFirst(range.lowerBound).prefix(range.count))
            // A record that this ledger issued is worth nothing: its card has ended, or the tag is
            // a copy. Any other record comes from another ledger.
            guard SealedRecord(bytes)?.showsMoney == true,
                try await asking(await ledger.owner(ofRecord: bytes)) == nil
            else { continue }
            throw .refused(
                Refusal(
                    .cardHasMoney,
                    "tag \(uid) is a card from another ledger, and its record holds a balance"),
                uid: uid)
        }
    }

    private func protectedTagError(_ what: String) -> TapcardError {
        TapcardError(
            .protectedTag, what, meaning: TapcardError.nothingWritten,
            next: [.tag(.useAnother), .tag(.givePassword)])
    }

    private func requireReplaceable(
        _ tag: OpenTag, _ plan: Plan, _ options: WriteOptions
    ) throws(Interruption) {
        let reading = tag.reading
        if case .pages(_, let access) = tag.medium, access.isProtected, options.password == nil,
            access.configuration?.passwordLimit != 0
        {
            throw .refused(protectedTagError("The tag requires a password for writing."))
        }
        guard reading.isWritable else {
            throw .refused(
                .lockedTag, "The tag is locked. Its content can never be changed again.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useUnlocked)])
        }
        guard !reading.isEmpty, !options.overwrites, !plan.isWholeOrTorn,
            !options.interruptedTags.contains(reading.uid)
        else { return }
        throw .refused(
            .tagNotEmpty, "The tag already holds other content.",
            meaning: TapcardError.nothingWritten, next: [.tag(.overwrite)])
    }

    /// Waits for a Type 2 or Type 4 tag, passes it to `body`, and releases it, even after an error.
    private func withTag<Success: Sendable>(
        changing: Bool = false, _ body: (TagIdentity) async throws(Interruption) -> Success
    ) async throws(TapcardError) -> Success {
        dependencies.progress(.waitingForCard)
        let identity = try await translating(
            awaiting: await reader.select(within: settings.wait)
        ) { (error: ReaderError) in TapcardError(error).wordedForTag }
        return try await using(identity, changing: changing, body)
    }

    private func using<Success: Sendable>(
        _ identity: TagIdentity, changing: Bool = false,
        _ body: (TagIdentity) async throws(Interruption) -> Success
    ) async throws(TapcardError) -> Success {
        do throws(Interruption) {
            guard identity.isType2 || identity.usesBlocks else {
                throw .refused(
                    .foreign(
                        identity.kind, identity,
                        because: identity.sectorByteCount == nil
                            ? "cannot be read; only Type 2 and Type 4 tags can."
                            : "cannot be read, because its sectors need keys."))
            }
            let success = try await body(identity)
            await reader.release(signaling: changing ? .done : nil)
            return success
        } catch {
            let isRefused = changing && error.error.result == .refused
            await reader.release(signaling: isRefused ? .refused : nil)
            throw error.tagError
        }
    }
}

extension Interruption {
    /// Whether the tag rejected the password. It is sent before the first write of a procedure.
    fileprivate var isWrongPassword: Bool {
        if case .card(let cause) = self { cause.kind == .wrongPassword } else { false }
    }

    fileprivate var isRefusal: Bool { if case .refused = self { true } else { isWrongPassword } }

    /// The error with "tag" in place of "card", because the tag may not be a card.
    var tagError: TapcardError {
        switch self {
        case .reader, .card: error.wordedForTag
        case .ntag424, .ledger, .overtaken, .refused, .claimed: error.withoutMoney
        }
    }
}
