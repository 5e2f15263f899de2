import BlockingLane
import CPCSC
public import Tags

/// A reader driven by pcscd. It has its own lane, because every call to pcscd blocks.
///
/// From `select` to `release`, no other program can use the card. If the reader is unplugged or
/// pcscd stops, the error is `.readerLost`; the next `select` looks for the reader again.
public actor PCSCReader: TagReader {
    /// The longest single wait inside pcscd. A cancellation just before the wait begins may go
    /// unnoticed for this long.
    private static let maximumWait = Duration.milliseconds(500)
    /// The interval between attempts to use a card that did not respond.
    private static let retryInterval = Duration.milliseconds(100)
    /// How long another program may hold the card before the reader is reported as busy.
    private static let busyLimit = Duration.seconds(1)

    /// The slot in use. If there are several slots, it is the one with a contactless card.
    public private(set) var name: String
    public nonisolated let maximumAnswerLength: Int
    private nonisolated let lane: BlockingLane
    private let cancelSwitch = CancelSwitch()
    private let slots: [String]
    private let likelyProtocol: any TagProtocol
    private var tagProtocol: any TagProtocol
    private var context: PCSCContext?
    private var card: PCSCCard?
    private var answerToReset: [UInt8] = []
    /// Whether the command that turns off the beep for each card has been sent.
    private var isQuiet = false
    /// Whether the tag responded to the last frame, so that another frame may be sent to it.
    private var isSelected = false

    /// Opens the slot with this name, or the only reader whose name contains it.
    public static func open(_ name: String) async throws(ReaderError) -> PCSCReader {
        let lane = BlockingLane(label: "tapcard.pcsc")
        let names = try await PCSCLister(lane).connectedReaders()
        return PCSCReader(try ReaderNames.choose(name, among: names), on: lane)
    }

    /// The names of the readers that pcscd lists.
    public static func connectedReaders() async throws(ReaderError) -> [String] {
        try await PCSCLister(BlockingLane(label: "tapcard.pcsc.list")).connectedReaders()
    }

    private init(_ slots: [String], on lane: BlockingLane) {
        self.slots = slots
        name = slots[0]
        self.lane = lane
        likelyProtocol = KnownReader.tagProtocol(for: slots[0])
        tagProtocol = likelyProtocol
        maximumAnswerLength = likelyProtocol.answerLimit
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let selected: Result<TagIdentity, ReaderError> = await withTaskCancellationHandler {
            do throws(ReaderError) {
                return .success(try search(within: limit))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancelSwitch.cancel()
        }
        return try selected.get()
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard isSelected else {
            throw ReaderError(.tagLost, "the tag must be selected before commands are sent")
        }
        // After a failure, the tag no longer responds. A reader that selects tags on its own may
        // have selected a different tag by now, and that tag must not receive frames meant for the
        // previous one.
        isSelected = false
        do throws(ReaderError) {
            let answer = try tagProtocol.exchange(frame) { command throws(ReaderError) in
                try transmit(command)
            }
            isSelected = true
            return answer
        } catch {
            // If the frame is not supported, nothing was sent, so the tag is still selected.
            isSelected = error.kind == .unsupported
            throw error
        }
    }

    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard isSelected else {
            throw ReaderError(.tagLost, "the card must be selected before commands are sent")
        }
        // Commands of class FFh are for the reader itself and never reach a card.
        let forReaders: UInt8 = 0xFF
        guard command.first != forReaders else { throw ReaderError(.unsupported) }
        isSelected = false
        // The flag is set again only after a response. After a failure, nothing more may be sent to
        // this card.
        let answer = try transmit(command)
        isSelected = true
        return answer
    }

    /// The card's answer to select. The reader is asked for it, because the answer to reset
    /// contains only part of it.
    public var answerToSelect: [UInt8] {
        get async {
            guard isSelected, SmartCardATR.usesBlocks(answerToReset),
                let answer = try? CommandAnswer(transmit([0xFF, 0xCA, 0x01, 0x00, 0x00])),
                answer.status == CommandAnswer.success
            else { return [] }
            return answer.data
        }
    }

    public func release() async { releaseCard() }

    public func release(signaling signal: TagSignal?) async {
        // Commands to the reader go through the card's connection, which ends when the card leaves.
        if let signal, card != nil { send(SignalCommands(of: name).commands(for: signal)) }
        releaseCard()
    }

    /// Returns false if a command was not transmitted. Signals are optional, so errors are ignored.
    @discardableResult
    private func send(_ commands: [SignalCommands.Command]) -> Bool {
        do throws(ReaderError) {
            for command in commands {
                switch command {
                case .pseudo(let bytes): _ = try transmit(bytes)
                case .escape(let bytes):
                    try calling { () throws(PCSCStatus) in try card?.escape(bytes) }
                }
            }
            return true
        } catch {
            return false
        }
    }

    private func search(within limit: Duration) throws(ReaderError) -> TagIdentity {
        let clock = ContinuousClock()
        let start = clock.now
        var last = ReaderError(.noTag)
        isSelected = false
        var state = ReaderState.unaware
        while true {
            if Task.isCancelled { throw ReaderError(.cancelled) }
            var pause = PCSCReader.maximumWait
            do throws(ReaderError) {
                if let identity = try selectNow(&state) {
                    isSelected = true
                    return identity
                }
                if state.hasCard { pause = PCSCReader.retryInterval }
            } catch {
                releaseCard(assumingRemoved: true)
                switch error.kind {
                case .tagLost, .timedOut: pause = PCSCReader.retryInterval
                case .garbled:
                    pause = PCSCReader.retryInterval
                    // If time runs out, this error is more informative than "no tag".
                    last = error
                case .busy where clock.now < start + min(limit, PCSCReader.busyLimit):
                    pause = PCSCReader.retryInterval
                default: throw error
                }
            }
            let remaining = start + limit - clock.now
            guard remaining > .zero else { throw last }
            // A wait watches only one slot, but the card may appear in another one.
            if slots.count > 1 { pause = min(pause, PCSCReader.retryInterval) }
            try wait(&state, within: min(remaining, pause))
        }
    }

    /// Selects the tag in the field. Returns `nil` if there is none or it does not respond.
    private func selectNow(_ state: inout ReaderState) throws(ReaderError) -> TagIdentity? {
        if card != nil {
            if let identity = try selectAgain() { return identity }
            releaseCard(assumingRemoved: true)
        }
        if slots.count > 1, try !findCard(&state) { return nil }
        try wait(&state, within: .zero)
        guard state.hasCard, try connect() else { return nil }
        answerToReset = state.answerToReset
        if !isQuiet { isQuiet = send(SignalCommands(of: name).silence) }
        // If the card uses blocks, the reader has already activated it, and selecting it again
        // would undo the activation. The other protocols select only type A cards; cards of other
        // families are only identified.
        let family = StorageCardATR(answerToReset)?.family ?? .typeA
        if SmartCardATR.usesBlocks(answerToReset) || family != .typeA {
            tagProtocol = StorageCommands()
        }
        let isSupported = try tagProtocol.prepare { command throws(ReaderError) in
            try transmit(command)
        }
        if !isSupported { tagProtocol = StorageCommands() }
        let identity = try selectTag()
        if identity == nil { releaseCard(assumingRemoved: true) }
        return identity
    }

    /// Switches to the slot with a contactless card; returns `false` if there is none. Other slots
    /// may hold a SIM.
    private func findCard(_ state: inout ReaderState) throws(ReaderError) -> Bool {
        for slot in slots {
            var found = ReaderState.unaware
            name = slot
            try wait(&found, within: .zero)
            let answer = found.answerToReset
            guard found.hasCard,
                SmartCardATR.usesBlocks(answer) || StorageCardATR(answer) != nil
            else { continue }
            state = found
            return true
        }
        (name, state) = (slots[0], .unaware)
        return false
    }

    /// Selects the same tag again without cutting its power.
    private func selectAgain() throws(ReaderError) -> TagIdentity? {
        do throws(ReaderError) {
            if tagProtocol.needsReset { try calling { () throws(PCSCStatus) in try card?.reset() } }
            return try selectTag()
        } catch {
            guard error.kind == .tagLost || error.kind == .timedOut else { throw error }
            return nil
        }
    }

    private func selectTag() throws(ReaderError) -> TagIdentity? {
        try tagProtocol.select(answerToReset: answerToReset) { command throws(ReaderError) in
            try transmit(command)
        }
    }

    /// Connects to the card; returns `false` if the card was removed in the meantime.
    private func connect() throws(ReaderError) -> Bool {
        do throws(ReaderError) {
            try calling { () throws(PCSCStatus) in
                card = try context?.connect(to: name)
            }
            tagProtocol = likelyProtocol
            return card != nil
        } catch {
            // The card was removed while the connection was being made.
            guard error.kind == .tagLost || error.kind == .garbled else { throw error }
            return false
        }
    }

    private func transmit(_ command: [UInt8]) throws(ReaderError) -> [UInt8] {
        var answer: [UInt8]?
        try calling { () throws(PCSCStatus) in answer = try card?.transmit(command) }
        guard let answer else { throw PCSCStatus.removedCard.readerError }
        return answer
    }

    /// Updates the state. If the state is already known, waits for it to change.
    private func wait(_ state: inout ReaderState, within limit: Duration) throws(ReaderError) {
        try calling { () throws(PCSCStatus) in
            if context == nil {
                context = try PCSCContext.establish()
                if let handle = context?.handle { cancelSwitch.arm(handle) }
            }
            if let now = try context?.state(of: name, after: state, within: limit.inMilliseconds) {
                state = now
            }
        }
        if state.isGone { throw PCSCStatus.unknownReader.readerError }
    }

    /// Makes a call to pcscd. Ends all connections if the error shows that pcscd or the reader is
    /// gone.
    private func calling(_ body: () throws(PCSCStatus) -> Void) throws(ReaderError) {
        do throws(PCSCStatus) {
            try body()
        } catch {
            // pcscd accepted this user when the reader was opened, so the error is not about
            // access.
            let status = error.afterAdmission
            if status.isServiceGone || status.readerError.kind == .readerLost { disconnect() }
            let error = status.readerError
            // These two errors concern this particular reader, so they include its name.
            guard [.busy, .readerLost].contains(error.kind), !status.isServiceGone else {
                throw error
            }
            throw ReaderError(error.kind, "\(name): \(error.detail)")
        }
    }

    private func releaseCard(assumingRemoved: Bool = false) {
        isSelected = false
        guard card != nil else { return }
        // A failure does not matter: if the tag or the reader is gone, there is nothing to switch
        // off.
        try? tagProtocol.switchOff { command throws(ReaderError) in try transmit(command) }
        if assumingRemoved { card?.hasLeft = true }
        card = nil
    }

    private func disconnect() {
        (isSelected, isQuiet) = (false, false)
        card = nil
        // This comes before the context is released, so that no other thread can still use it.
        cancelSwitch.disarm()
        context = nil
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up so that a wait does not end early.
    fileprivate var inMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
        let part = (attoseconds + attosecondsPerMillisecond - 1) / attosecondsPerMillisecond
        return UInt32(clamping: seconds * 1_000 + part)
    }
}
