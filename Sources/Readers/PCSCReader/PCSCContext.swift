import CPCSC

/// A connection to pcscd that is closed when its owner is destroyed.
struct PCSCContext: ~Copyable {
    /// The maximum number of bytes for the names of all readers. pcscd itself allows at most 16
    /// names of 128 bytes each.
    private static let maximumListSize = 65_536

    let handle: SCARDCONTEXT

    static func establish() throws(PCSCStatus) -> PCSCContext {
        var handle = SCARDCONTEXT()
        try PCSCStatus(rawValue: unsafe tapcard_scard_establish(&handle)).check()
        return PCSCContext(handle: handle)
    }

    private init(handle: SCARDCONTEXT) { self.handle = handle }

    deinit {
        // A failure does not matter, because pcscd closes everything that a client leaves open.
        _ = tapcard_scard_release(handle)
    }

    /// The names of the readers that pcscd lists.
    func readers() throws(PCSCStatus) -> [String] {
        var length: UInt32 = 0
        let status = PCSCStatus(rawValue: unsafe tapcard_scard_list(handle, nil, &length))
        if status == .noReadersAvailable { return [] }
        try status.check()
        // If a reader is plugged in between the two calls, the second one fails for lack of space.
        var names = [CChar](repeating: 0, count: min(Int(length), PCSCContext.maximumListSize))
        try PCSCStatus(rawValue: unsafe tapcard_scard_list(handle, &names, &length)).check()
        return names.prefix(Int(length)).split(separator: 0).map { name in
            String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Connects to the card on this reader, exclusively.
    func connect(to reader: String) throws(PCSCStatus) -> PCSCCard {
        try PCSCCard.connect(to: reader, in: self)
    }

    /// Waits until the reader is no longer in this state or time runs out. Returns the reader's
    /// current state.
    func state(
        of reader: String, after state: ReaderState, within milliseconds: UInt32
    ) throws(PCSCStatus) -> ReaderState {
        var flags = state.flags
        var length: UInt32 = 0
        var answer = [UInt8](repeating: 0, count: Int(tapcard_scard_longest_atr()))
        let status = PCSCStatus(
            rawValue: unsafe tapcard_scard_wait(
                handle, reader, milliseconds, &flags, &answer, &length))
        // Time ran out before anything changed.
        if status == .timeout { return state }
        try status.check()
        return ReaderState(flags: flags, answerToReset: Array(answer.prefix(Int(length))))
    }
}

/// The state of a reader and its card, as reported by pcscd.
struct ReaderState: Hashable {
    /// An unknown state. A wait for a change from this state ends immediately.
    static let unaware = ReaderState(flags: tapcard_scard_state_unaware(), answerToReset: [])

    let flags: UInt32
    let answerToReset: [UInt8]

    var isGone: Bool { flags & tapcard_scard_state_unknown() != 0 }
    var hasCard: Bool { flags & tapcard_scard_state_present() != 0 }
}
