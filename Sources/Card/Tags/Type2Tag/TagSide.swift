/// The volatile state of a tag: a state machine that takes a frame and returns the reply.
///
/// It is as strict as an NTAG21x. Where the data sheet leaves room for interpretation, it takes the
/// stricter option: an invalid frame gets NAK 0, every NAK deselects the tag, and lock bits take
/// effect immediately.
public struct TagSide: Sendable, Hashable {
    private enum State {
        case off
        /// Powered, but ignoring everything except a selection. This combines IDLE and HALT,
        /// because a selection here includes the wake-up that both respond to.
        case waiting
        case selected
    }

    private static let refusal = TagReply.nak(NAK.invalidArgument)

    private var state = State.off
    private var isAuthenticated = false
    /// The page of a COMPATIBILITY_WRITE whose data has not arrived yet.
    private var pendingWrite: UInt8?
    /// CFG0 and CFG1 as they were at power-up.
    private var configuration = AccessConfiguration.open
    /// Whether a read has been counted during this power cycle.
    private var hasCounted = false

    /// A tag without power.
    public init() {}

    /// Handles the field turning on: a changed configuration takes effect only now.
    public mutating func powerUp(_ memory: TagMemory) {
        self = TagSide()
        configuration = AccessConfiguration(of: memory)
        state = .waiting
    }

    /// Handles the field turning off: all volatile state is lost.
    public mutating func powerDown() {
        self = TagSide()
    }

    /// Selects the tag, even if it was already selected: it loses its authentication, but not its
    /// power. Returns `nil` if the tag has no power.
    public mutating func select(_ memory: TagMemory) -> TagIdentity? {
        guard state != .off else { return nil }
        deselect()
        state = .selected
        return TagIdentity(uid: memory.uid)
    }

    /// Processes one frame and returns the reply, both without the CRC.
    public mutating func answer(_ frame: [UInt8], _ memory: inout TagMemory) -> TagReply {
        guard state == .selected else { return .silence }
        let reply: TagReply
        if let page = pendingWrite {
            pendingWrite = nil
            reply = Self.finishWrite(page, frame, &memory)
        } else if let command = try? Type2Command(frame: frame),
            Self.supports(command, memory.chip)
        {
            reply = execute(command, &memory)
        } else {
            reply = Self.refusal
        }
        // After a NAK, a tag goes back to IDLE or HALT and responds only to a wake-up.
        if case .nak = reply { deselect() }
        return reply
    }

    private mutating func deselect() {
        state = .waiting
        isAuthenticated = false
        pendingWrite = nil
    }

    /// Whether the chip supports the command. Chips outside the NTAG21x family support only the
    /// oldest commands.
    private static func supports(_ command: Type2Command, _ chip: Type2Chip) -> Bool {
        switch command {
        case .read, .write, .compatibilityWrite, .halt: true
        case .readCounter(let number): chip.counters?.contains(number) ?? false
        case .getVersion, .fastRead, .authenticate, .readSignature: chip.hasFastRead
        }
    }

    private mutating func execute(_ command: Type2Command, _ memory: inout TagMemory) -> TagReply {
        switch command {
        case .getVersion:
            return .data(memory.chip.version ?? [])
        case .read(let page):
            return read(page, &memory)
        case .fastRead(let first, let last):
            return fastRead(first, last, &memory)
        case .write(let page, let data):
            guard canWrite(page, memory) else { return Self.refusal }
            memory.program(page, data)
            return .ack
        case .compatibilityWrite(let page):
            guard canWrite(page, memory) else { return Self.refusal }
            pendingWrite = page
            return .ack
        case .readCounter(let number):
            return readCounter(number, memory)
        case .authenticate(let password):
            return authenticate(password, &memory)
        case .readSignature:
            return .data(memory.signature)
        case .halt:
            deselect()
            return .silence
        }
    }

    private static func finishWrite(
        _ page: UInt8, _ frame: [UInt8], _ memory: inout TagMemory
    ) -> TagReply {
        guard frame.count == Type2Command.compatibilityDataLength,
            // The other twelve bytes of the frame are ignored.
            let data = Page(frame.prefix(Page.size))
        else { return refusal }
        memory.program(page, data)
        return .ack
    }

    private func canWrite(_ page: UInt8, _ memory: TagMemory) -> Bool {
        let isAllowed = isAuthenticated || page < configuration.firstProtected
        return switch memory.chip.role(of: page) {
        case .serial, .absent: false
        // CFGLCK has the value that it had at power-up: like a change to any other setting, a
        // change to it takes effect at the next power-up.
        case .configuration: isAllowed && !configuration.isLocked
        default: isAllowed && !memory.isLocked(page)
        }
    }

    /// The number of pages, starting at page 0, that can currently be read.
    private func readablePages(_ memory: TagMemory) -> Int {
        let all = memory.chip.pageCount
        return configuration.protectsReading && !isAuthenticated
            ? min(all, Int(configuration.firstProtected)) : all
    }

    private mutating func read(_ page: UInt8, _ memory: inout TagMemory) -> TagReply {
        let end = readablePages(memory)
        guard Int(page) < end else { return Self.refusal }
        count(&memory)
        // A read past the end of the readable pages continues at page 0.
        return .data(shown((0..<4).map { UInt8((Int(page) + $0) % end) }, memory))
    }

    private mutating func fastRead(
        _ first: UInt8, _ last: UInt8, _ memory: inout TagMemory
    ) -> TagReply {
        // Unlike READ, FAST_READ does not wrap around.
        guard first <= last, Int(last) < readablePages(memory) else { return Self.refusal }
        count(&memory)
        return .data(shown(Array(first...last), memory))
    }

    /// Returns the bytes that a read of these pages returns, including any mirrored ones.
    private func shown(_ pages: [UInt8], _ memory: TagMemory) -> [UInt8] {
        let bytes = pages.flatMap { memory.visible($0).bytes }
        // The chip mirrors nothing if the mirror does not fit into the user memory.
        guard let mirror = configuration.mirror, memory.chip.hasMirror,
            mirror.range.upperBound <= (Int(memory.chip.userPages.upperBound) + 1) * Page.size
        else { return bytes }
        let digits = mirror.content.digits(uid: memory.uid, counter: memory.counter)
        return bytes.enumerated().map { index, byte in
            let position = Int(pages[index / Page.size]) * Page.size + index % Page.size
            return mirror.range.contains(position) ? digits[position - mirror.start] : byte
        }
    }

    /// Counts the first read of a power cycle. The counter stops at its maximum.
    private mutating func count(_ memory: inout TagMemory) {
        guard configuration.counts, !hasCounted else { return }
        hasCounted = true
        if memory.counter < TagMemory.maximumCounter { memory.counter += 1 }
    }

    private func readCounter(_ number: UInt8, _ memory: TagMemory) -> TagReply {
        // The counters of an Ultralight EV1 are always on. Only the last one is stored here.
        if memory.chip.model == nil, number < 2 { return .data([0, 0, 0]) }
        guard configuration.counts || memory.chip.model == nil,
            isAuthenticated || !configuration.protectsCounter
        else { return Self.refusal }
        return .data((0..<3).map { UInt8(truncatingIfNeeded: memory.counter >> (8 * $0)) })
    }

    private mutating func authenticate(
        _ password: [UInt8], _ memory: inout TagMemory
    ) -> TagReply {
        let limit = configuration.passwordLimit
        guard limit == 0 || memory.failedPasswords < limit else {
            return .nak(NAK.authenticationLimit)
        }
        guard let passwordPage = memory.chip.passwordPage, let packPage = memory.chip.packPage,
            password == memory[passwordPage].bytes
        else {
            // The count is kept in permanent memory, so removing the tag does not reset it.
            if limit > 0 { memory.failedPasswords += 1 }
            return Self.refusal
        }
        // Only consecutive wrong passwords count toward the limit.
        memory.failedPasswords = 0
        isAuthenticated = true
        return .data(Array(memory[packPage].bytes.prefix(TagMemory.packLength)))
    }
}
