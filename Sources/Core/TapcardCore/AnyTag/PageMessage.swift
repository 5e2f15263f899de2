import Cards
import Tags
import TapcardDomain

/// A message for a tag with pages, and the steps after which the tag holds it.
struct PageMessage: StationWork {
    let station: Station
    private let message: [UInt8]
    private let options: WriteOptions
    private let identity: TagIdentity
    private let tag: ScannedTag
    private let access: TagAccess
    private let plan: MessagePlan
    /// Where the chip is to show its UID or counter in place of the message's digits.
    private let mirror: ASCIIMirror?

    /// Refuses what the chip, or its settings, can never do.
    init(
        _ message: [UInt8], _ options: WriteOptions, on identity: TagIdentity, _ tag: ScannedTag,
        _ access: TagAccess, at station: Station
    ) throws(Interruption) {
        (self.station, self.message, self.options) = (station, message, options)
        (self.identity, self.tag, self.access) = (identity, tag, access)
        if options.locks, tag.chip.lockedDynamicPage == nil { throw PageMessage.cannot("lock") }
        if options.protects, access.configuration == nil { throw PageMessage.cannot("protect") }
        let plan = try translating(
            MessagePlan(message, on: tag.dataArea)
        ) { (error: MessageTooLong) in Interruption.refused(TapcardError(error)) }
        self.plan = plan
        mirror = try options.mirror.map { content throws(Interruption) in
            guard tag.chip.hasMirror else { throw PageMessage.cannot("set up the mirror of") }
            let digits = content.digits(uid: identity.uid, counter: 0)
            return ASCIIMirror(
                content, start: plan.start + (try PageMessage.position(of: digits, in: message)))
        }
        guard !isThere, access.configuration?.isLocked == true else { return }
        guard tag.shownMirror(access) == nil, target == current else {
            throw .refused(
                .lockedTag, "The tag's settings are locked, so its mirror and password stay.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useUnlocked)])
        }
    }

    static func cannot(_ what: String) -> Interruption {
        .refused(
            .unsupportedTag, "tapcard cannot \(what) this kind of tag.",
            meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
    }

    private static func position(
        of digits: [UInt8], in message: [UInt8]
    ) throws(Interruption) -> Int {
        let found = message.indices.filter { message[$0...].starts(with: digits) }
        guard let first = found.first, found.count == 1 else {
            throw .refused(
                .usage,
                "The message must hold the digits that the chip replaces exactly once, but it "
                    + "holds \(String(decoding: digits, as: UTF8.self)) \(found.count) times.",
                meaning: TapcardError.nothingWritten, next: [])
        }
        return first
    }

    // MARK: - The tag now

    /// Whether the tag holds this message, and its settings need no change.
    var isThere: Bool {
        guard tag.shownMirror(access) == mirror, target == current else { return false }
        var shown = MessagePlan.message(on: tag.dataArea)?.value ?? []
        guard shown.count == message.count else { return false }
        if let mirror {
            let first = mirror.start - plan.start
            let range = first..<first + mirror.content.byteCount
            // The chip has counted this reading, so only a copy without a mirror shows the zeros
            // that the memory holds.
            if mirror.content.usesCounter, shown[range] == message[range] { return false }
            shown.replaceSubrange(range, with: message[range])
        }
        return shown == message
    }

    /// CFG0 and CFG1.
    private var current: [Page] { [access.cfg0, access.cfg1] }

    private var target: [Page] {
        var (cfg0, cfg1) = (access.cfg0, access.cfg1)
        if tag.shownMirror(access) != mirror { cfg0 = mirror.cfg0(replacing: cfg0) }
        if mirror?.content.usesCounter == true { cfg1 = AccessConfiguration.counting(cfg1) }
        if options.protects {
            cfg0[3] = AccessConfiguration.everything
            cfg1 = AccessConfiguration.withoutPasswordLimit(cfg1)
        } else if mirror != nil, options.password == nil, access.isProtected {
            // A torn CFG0 may have turned on the factory password.
            cfg0[3] = AccessConfiguration.nothing
        }
        return [cfg0, cfg1]
    }

    /// The password for the pages as long as the settings are the current ones.
    private var password: TagPassword? {
        if options.protects, !access.isProtected { return nil }
        return options.password ?? (access.isProtected ? .factory : nil)
    }

    // MARK: - Writing

    /// Writes the message. Its length becomes zero before anything else changes, and is set last.
    func write() async throws(Interruption) {
        if options.protects, !access.isProtected { try await setPassword() }
        let shownMirror = tag.shownMirror(access)
        guard shownMirror != nil || mirror != nil else { return try await finish() }
        // With a mirror, phones must not see the message until both are right.
        try await write(MessagePlan.removal(on: tag.dataArea), password)
        if shownMirror != nil {
            try await configure([ASCIIMirror?.none.cfg0(replacing: access.cfg0), access.cfg1])
        }
        // Only now does the tag show its memory.
        try await again().finish()
        guard try await again().isThere else {
            throw .card(CardStoreError(.differs, "the chip does not show what it should"))
        }
    }

    private func again() async throws(Interruption) -> PageMessage {
        let (tag, access) = try await PageMessage.scan(identity, at: station)
        return try PageMessage(message, options, on: identity, tag, access, at: station)
    }

    private func finish() async throws(Interruption) {
        try await write(plan.preparation, password)
        if target != current { try await configure(target) }
        try await write(plan.completion, options.protects ? options.password : password)
    }

    private func setPassword() async throws(Interruption) {
        guard let password = options.password,
            let procedure = SetPassword(
                TagPassword(password: password.password, pack: [0, 0]), chip: tag.chip)
        else { return }
        try await reader.performInTap(procedure)
    }

    /// Writes CFG1 and CFG0, and lets them take effect.
    private func configure(_ pages: [Page]) async throws(Interruption) {
        guard let first = tag.chip.configurationPage else { return }
        // The counter runs, and no limit counts passwords, before CFG0 takes effect.
        try await write(
            [PageWrite(first + 1, pages[1]), PageWrite(first, pages[0])], password)
        try await reader.performInTap(PowerCycle(identity))
    }

    /// Makes the tag read-only: first the capability container, which phones check, then the
    /// dynamic lock bits, and last the static lock bits, which also lock the container.
    func lock() async throws(Interruption) {
        guard let page = tag.chip.dynamicLockPage, let dynamic = tag.chip.lockedDynamicPage else {
            return
        }
        let header = tag.header
        // The lock bits in page 2 are set last, so an earlier attempt has already finished.
        if header[10] == 0xFF, header[11] == 0xFF, header[15] & 0x0F != 0 { return }
        try await write(
            [
                // The low nibble is the write access condition; Fh means no write access.
                PageWrite(3, Page(header[12], header[13], header[14], header[15] | 0x0F)),
                PageWrite(page, dynamic), PageWrite(2, Page(header[8], header[9], 0xFF, 0xFF)),
            ], options.protects ? options.password : password)
    }

    private func write(
        _ writes: [PageWrite], _ password: TagPassword?
    ) async throws(Interruption) {
        guard !writes.isEmpty else { return }
        _ = try await reader.performInTap(
            WritePages(
                writes, maximumAnswerLength: await reader.maximumAnswerLength, password: password,
                usesFastRead: tag.chip.hasFastRead))
    }

    /// Reads the whole tag and its settings.
    static func scan(
        _ identity: TagIdentity, at station: Station
    ) async throws(Interruption) -> (ScannedTag, TagAccess) {
        let tag = try await station.scanner.scanTag(of: identity) { $0.userPages }
        return (tag, try await station.fitness.access(of: tag))
    }
}

extension ScannedTag {
    /// The user memory that the capability container declares; empty if there is no container.
    var dataArea: [UInt8] {
        // The container gives the size in units of 8 bytes.
        hasNDEF ? Array(memory.prefix(Int(capability[2]) * 8)) : []
    }

    /// Whether page 3 holds a capability container: the magic number E1h and major version 1.
    var hasNDEF: Bool { capability[0] == 0xE1 && capability[1] >> 4 == 1 }

    /// Where the chip shows its UID or counter in place of its memory; nil if it does not.
    fileprivate func shownMirror(_ access: TagAccess) -> ASCIIMirror? {
        chip.hasMirror ? access.configuration?.mirror : nil
    }
}

extension TapcardError {
    init(_ error: MessageTooLong) {
        self.init(
            .tooLong,
            "The message is \(error.byteCount) bytes long, but the tag only has room for "
                + "\(error.maximum).", meaning: TapcardError.nothingWritten,
            next: [.tag(.useAnother)])
    }
}
