import Cards
import Tags
import TapcardDomain

/// Writes a message, with its mirror and password, to a Type 2 tag.
struct PageMessage: StationWork {
    let station: Station
    private let message: [UInt8]
    private let options: WriteOptions
    private let identity: TagIdentity
    private let tag: ScannedTag
    private let access: TagAccess
    private let plan: MessagePlan
    /// The mirror to set up in the message; nil for none.
    private let mirror: ASCIIMirror?

    /// Plans the write. Throws if the message is too long, the chip lacks a feature that `options`
    /// asks for, or locked settings would have to change.
    init(
        _ message: [UInt8], _ options: WriteOptions, on identity: TagIdentity, _ tag: ScannedTag,
        _ access: TagAccess, at station: Station
    ) throws(Interruption) {
        (self.station, self.message, self.options) = (station, message, options)
        (self.identity, self.tag, self.access) = (identity, tag, access)
        if options.locks, !tag.chip.canLock { throw PageMessage.cannot("lock") }
        if options.protects, access.configuration == nil { throw PageMessage.cannot("protect") }
        let plan = try translating(
            MessagePlan(message, on: tag.dataArea)
        ) { (error: MessageTooLong) in Interruption.refused(TapcardError(error)) }
        self.plan = plan
        mirror = try options.mirror.map { content throws(Interruption) in
            guard tag.chip.hasMirror else { throw PageMessage.cannot("set up a mirror on") }
            let digits = content.digits(uid: identity.uid, counter: 0)
            return ASCIIMirror(
                content, start: plan.start + (try PageMessage.position(of: digits, in: message)))
        }
        guard !options.locks || lockedPages != nil else {
            throw .refused(
                .lockedTag,
                "The tag can never become read-only, because some of its lock bits are frozen.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useUnlocked)])
        }
        guard !isThere, access.configuration?.isLocked == true else { return }
        guard tag.shownMirror(access) == nil, target == current else {
            throw .refused(
                .lockedTag,
                "The tag's settings are locked, so its mirror and password cannot be changed.",
                meaning: TapcardError.nothingWritten, next: [.tag(.useUnlocked)])
        }
    }

    static func cannot(_ what: String) -> Interruption {
        .refused(
            .unsupportedTag, "tapcard cannot \(what) this kind of tag.",
            meaning: TapcardError.nothingWritten, next: [.tag(.useAnother)])
    }

    static func position(
        of digits: [UInt8], in message: [UInt8]
    ) throws(Interruption) -> Int {
        let found = message.indices.filter { message[$0...].starts(with: digits) }
        guard let first = found.first, found.count == 1 else {
            throw .refused(
                .usage,
                "The mirror replaces \(String(decoding: digits, as: UTF8.self)), which must appear "
                    + "in the message exactly once. It appears \(found.count) times.",
                meaning: TapcardError.nothingWritten, next: [])
        }
        return first
    }

    // MARK: - Comparing

    /// Whether the tag already holds this message and has the right settings.
    var isThere: Bool {
        guard tag.shownMirror(access) == mirror, target == current || (mirror == nil && opensTag)
        else { return false }
        var shown = MessagePlan.message(on: tag.dataArea)?.value ?? []
        guard shown.count == message.count else { return false }
        if let mirror {
            let first = mirror.start - plan.start
            let range = first..<first + mirror.content.byteCount
            // This read raised the counter, so a working mirror cannot show zeros. Only a
            // copy without a mirror shows them.
            if mirror.content.usesCounter, shown[range] == message[range] { return false }
            shown.replaceSubrange(range, with: message[range])
        }
        return shown == message
    }

    /// Whether the tag holds this message, perhaps with other settings, or what an interrupted
    /// write of the message to an empty tag left.
    var isWholeOrTorn: Bool {
        // The range counts from page 0, and the data area starts at page 4.
        let mirrored = tag.shownMirror(access).map { mirror in
            mirror.range.lowerBound - 4 * Page.size..<mirror.range.upperBound - 4 * Page.size
        }
        return MessagePlan.isWholeOrTorn(
            message, on: tag.dataArea, mirrored: mirrored ?? 0..<0)
    }

    /// CFG0 and CFG1 as they are on the tag.
    private var current: [Page] { [access.cfg0, access.cfg1] }

    /// CFG0 and CFG1 as they should be.
    private var target: [Page] {
        var (cfg0, cfg1) = (access.cfg0, access.cfg1)
        if tag.shownMirror(access) != mirror { cfg0 = mirror.cfg0(replacing: cfg0) }
        if mirror?.content.usesCounter == true { cfg1 = AccessConfiguration.counting(cfg1) }
        if options.protects {
            cfg0[3] = AccessConfiguration.everything
            cfg1 = AccessConfiguration.withoutPasswordLimit(cfg1)
        } else if opensTag {
            cfg0[3] = AccessConfiguration.nothing
        }
        return [cfg0, cfg1]
    }

    /// Whether to turn off a protection that the factory password unlocks. An interrupted write of
    /// CFG0 may have turned it on.
    private var opensTag: Bool {
        options.password == nil && access.isProtected && access.configuration?.isLocked != true
    }

    /// The password to send until the new settings take effect; nil if none is needed.
    private var password: TagPassword? {
        if options.protects, !access.isProtected { return nil }
        return options.password ?? (access.isProtected ? .factory : nil)
    }

    // MARK: - Writing

    /// Sets the password if required, and hides the old message by setting its length to zero.
    func begin() async throws(Interruption) {
        if options.protects, !access.isProtected { try await setPassword() }
        // With a mirror, hide the message until both it and its mirror are in place.
        try await write(
            usesMirror ? MessagePlan.removal(on: tag.dataArea) : plan.preparation, password)
    }

    /// Writes the message after `begin`. Sets its length last, so that phones never see a partial
    /// message.
    func finish() async throws(Interruption) {
        guard usesMirror else { return try await complete() }
        if tag.shownMirror(access) != nil {
            // A torn write of CFG0 can turn the protection on, so CFG1 is written first.
            try await configure([ASCIIMirror?.none.cfg0(replacing: access.cfg0), target[1]])
        }
        // Plan again: with the old mirror off, reads return the real memory.
        let next = try await again()
        try await next.write(next.plan.preparation, next.password)
        try await next.complete()
        guard try await again().isThere else {
            throw .card(
                CardStoreError(
                    .differs, "the message that was read back differs from what was written"))
        }
    }

    private var usesMirror: Bool { tag.shownMirror(access) != nil || mirror != nil }

    private func again() async throws(Interruption) -> PageMessage {
        let (tag, access) = try await PageMessage.scan(identity, at: station)
        return try PageMessage(message, options, on: identity, tag, access, at: station)
    }

    private func complete() async throws(Interruption) {
        if target != current { try await configure(target) }
        try await write(plan.completion, options.protects ? options.password : password)
    }

    /// Throws an error unless the tag accepts the password.
    func checkPassword() async throws(Interruption) {
        _ = try await reader.performInTap(
            WritePages(
                [], maximumAnswerLength: await reader.maximumAnswerLength,
                password: options.password))
    }

    private func setPassword() async throws(Interruption) {
        guard let password = options.password,
            let procedure = SetPassword(
                TagPassword(password: password.password, pack: [0, 0]), chip: tag.chip)
        else { return }
        try await reader.performInTap(procedure)
    }

    /// Writes CFG1 and CFG0 and power-cycles the tag, so that they take effect.
    private func configure(_ pages: [Page]) async throws(Interruption) {
        guard let first = tag.chip.configurationPage else { return }
        // Write CFG1 first. Before CFG0 turns on the mirror or the protection, the counter must be
        // on and the password limit off.
        try await write(
            [PageWrite(first + 1, pages[1]), PageWrite(first, pages[0])], password)
        try await reader.performInTap(PowerCycle(identity))
    }

    /// Locks whatever is not locked yet: first the settings, so that no one can turn on
    /// a mirror or a password for reading, then the capability container, which phones check, then
    /// the dynamic lock bits, and last the static lock bits, which also lock the container.
    func lock() async throws(Interruption) {
        guard let first = tag.chip.configurationPage, let lockPage = tag.chip.dynamicLockPage,
            let locked = lockedPages
        else { return }
        let capability = PageMessage.page(tag.capability)
        var readOnly = capability
        // The low nibble is the write access condition; Fh means no write access.
        if !tag.chip.isLocked(3, by: fixedLocks, dynamicLocks) { readOnly[3] |= 0x0F }
        let changes = [
            (first + 1, target[1], AccessConfiguration.locking(target[1])),
            (3, capability, readOnly), (lockPage, dynamicLocks, locked.dynamic),
            (2, fixedLocks, locked.fixed),
        ]
        try await write(
            changes.filter { $0.1 != $0.2 }.map { PageWrite($0.0, $0.2) },
            options.protects ? options.password : password)
    }

    private var lockedPages: (fixed: Page, dynamic: Page)? {
        tag.chip.lockedPages(fixedLocks, dynamicLocks)
    }

    /// Page 2 and the dynamic lock page as they were before the write.
    private var fixedLocks: Page { PageMessage.page(tag.header[8..<12]) }
    private var dynamicLocks: Page { PageMessage.page(access.lockBytes.dropFirst(2) + [0xBD]) }

    private static func page(_ bytes: some Collection<UInt8>) -> Page { Page(bytes) ?? .zero }

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

    /// Whether all the user memory that the capability container declares was read.
    var holdsDataArea: Bool { !hasNDEF || memory.count >= Int(capability[2]) * 8 }

    /// Whether page 3 holds a capability container: the magic number E1h and major version 1.
    var hasNDEF: Bool { capability[0] == 0xE1 && capability[1] >> 4 == 1 }

    /// Returns the active mirror; nil if the mirror is off.
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
