import BlockingLane
import CPCSC
public import Tags

/// A reader driven by pcscd, on its own lane because every call blocks.
///
/// From `select` to `release`, no other program can reach the card. If the reader is unplugged or
/// pcscd is stopped, the error is `.readerLost`; the next `select` looks for the reader again.
public actor PCSCReader: TagReader {
    /// The longest single wait inside pcscd. A cancel that arrives before the wait begins may go
    /// unnoticed for this long.
    private static let longestWait = Duration.milliseconds(500)
    /// How often a card that did not answer is tried again.
    private static let retryInterval = Duration.milliseconds(100)
    /// How long another program may hold the card before the reader counts as busy.
    private static let patience = Duration.seconds(1)

    /// The slot in use: if there are several, the one with a card.
    public private(set) var name: String
    public nonisolated let longestAnswer: Int
    private nonisolated let lane: BlockingLane
    private let cancelling = CancelSwitch()
    private let slots: [String]
    private let likelyManner: any TagManner
    private var manner: any TagManner
    private var context: PCSCContext?
    private var card: PCSCCard?
    private var answerToReset: [UInt8] = []
    /// Whether the tag answered the last frame, so that the next one may be sent to it.
    private var isSelected = false

    /// Opens the slot with this name, or the only reader whose name contains it.
    public static func open(_ name: String) async throws(ReaderError) -> PCSCReader {
        let lane = BlockingLane(label: "tapcard.pcsc")
        let names = try await PCSCDoorway(lane).connectedReaders()
        return PCSCReader(try ReaderNames.choose(name, among: names), on: lane)
    }

    /// The names of the readers that pcscd sees.
    public static func connectedReaders() async throws(ReaderError) -> [String] {
        try await PCSCDoorway(BlockingLane(label: "tapcard.pcsc.list")).connectedReaders()
    }

    private init(_ slots: [String], on lane: BlockingLane) {
        self.slots = slots
        name = slots[0]
        self.lane = lane
        likelyManner = KnownReader.manner(for: slots[0])
        manner = likelyManner
        longestAnswer = likelyManner.answerLimit
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
            cancelling.cancel()
        }
        return try selected.get()
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard isSelected else {
            throw ReaderError(.tagLost, "the tag must be selected before commands are sent")
        }
        // After a failure, the tag does not answer, and a reader that selects on its own must not
        // be sent a frame that was meant for the previous tag.
        isSelected = false
        do throws(ReaderError) {
            let answer = try manner.exchange(frame) { command throws(ReaderError) in
                try transmit(command)
            }
            isSelected = true
            return answer
        } catch {
            // Nothing was sent.
            isSelected = error.kind == .unsupported
            throw error
        }
    }

    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard isSelected else {
            throw ReaderError(.tagLost, "the card must be selected before commands are sent")
        }
        // Class FFh is for the reader itself: it is never sent to a card.
        let forReaders: UInt8 = 0xFF
        guard command.first != forReaders else { throw ReaderError(.unsupported) }
        isSelected = false
        // Selected again only after an answer: after a failure, nothing more may be sent to this
        // card.
        let answer = try transmit(command)
        isSelected = true
        return answer
    }

    /// Asks the reader, because the answer to reset contains only part of it.
    public var answerToSelect: [UInt8] {
        get async {
            guard isSelected, SmartCardATR.speaksInBlocks(answerToReset),
                let answer = try? CommandAnswer(transmit([0xFF, 0xCA, 0x01, 0x00, 0x00])),
                answer.status == CommandAnswer.success
            else { return [] }
            return answer.data
        }
    }

    public func release() async { letGo() }

    private func search(within limit: Duration) throws(ReaderError) -> TagIdentity {
        let clock = ContinuousClock()
        let start = clock.now
        var last = ReaderError(.noTag)
        isSelected = false
        var state = ReaderState.unaware
        while true {
            if Task.isCancelled { throw ReaderError(.cancelled) }
            var pause = PCSCReader.longestWait
            do throws(ReaderError) {
                if let identity = try selectNow(&state) {
                    isSelected = true
                    return identity
                }
                if state.hasCard { pause = PCSCReader.retryInterval }
            } catch {
                letGo(hasLeft: true)
                switch error.kind {
                case .tagLost, .timedOut: pause = PCSCReader.retryInterval
                case .garbled:
                    pause = PCSCReader.retryInterval
                    // Says more than "no tag" when the time limit has passed.
                    last = error
                case .busy where clock.now < start + min(limit, PCSCReader.patience):
                    pause = PCSCReader.retryInterval
                default: throw error
                }
            }
            let left = start + limit - clock.now
            guard left > .zero else { throw last }
            // A wait watches only one slot, and the card may appear in another.
            if slots.count > 1 { pause = min(pause, PCSCReader.retryInterval) }
            try wait(&state, within: min(left, pause))
        }
    }

    /// Selects the tag in the field; `nil` if there is none, or if it does not answer.
    private func selectNow(_ state: inout ReaderState) throws(ReaderError) -> TagIdentity? {
        if card != nil {
            if let identity = try selectAgain() { return identity }
            letGo(hasLeft: true)
        }
        if slots.count > 1, try !findCard(&state) { return nil }
        try wait(&state, within: .zero)
        guard state.hasCard, try connect() else { return nil }
        answerToReset = state.answerToReset
        // The reader has activated such a card for commands, and selecting it again would undo
        // that. The other manners select type A cards; a card from another family is only
        // identified.
        let family = StorageCardATR(answerToReset)?.family ?? .typeA
        if SmartCardATR.speaksInBlocks(answerToReset) || family != .typeA {
            manner = StorageCommands()
        }
        let isUnderstood = try manner.prepare { command throws(ReaderError) in
            try transmit(command)
        }
        if !isUnderstood { manner = StorageCommands() }
        let identity = try mannerSelect()
        if identity == nil { letGo(hasLeft: true) }
        return identity
    }

    /// Switches to the slot with a contactless card; other slots have a SIM, or nothing. `false` if
    /// no slot has a contactless card.
    private func findCard(_ state: inout ReaderState) throws(ReaderError) -> Bool {
        for slot in slots {
            var found = ReaderState.unaware
            name = slot
            try wait(&found, within: .zero)
            let answer = found.answerToReset
            guard found.hasCard,
                SmartCardATR.speaksInBlocks(answer) || StorageCardATR(answer) != nil
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
            if manner.needsReset { try asking { () throws(PCSCStatus) in try card?.reset() } }
            return try mannerSelect()
        } catch {
            guard error.kind == .tagLost || error.kind == .timedOut else { throw error }
            return nil
        }
    }

    private func mannerSelect() throws(ReaderError) -> TagIdentity? {
        try manner.select(answerToReset: answerToReset) { command throws(ReaderError) in
            try transmit(command)
        }
    }

    /// Connects to the card; `false` if it was removed in the meantime.
    private func connect() throws(ReaderError) -> Bool {
        do throws(ReaderError) {
            try asking { () throws(PCSCStatus) in
                card = try context?.connect(to: name)
            }
            manner = likelyManner
            return card != nil
        } catch {
            // The card was pulled away while it was being connected.
            guard error.kind == .tagLost || error.kind == .garbled else { throw error }
            return false
        }
    }

    private func transmit(_ command: [UInt8]) throws(ReaderError) -> [UInt8] {
        var answer: [UInt8]?
        try asking { () throws(PCSCStatus) in answer = try card?.transmit(command) }
        guard let answer else { throw PCSCStatus.removedCard.readerError }
        return answer
    }

    /// Updates the state. If the state is already known, waits for it to change.
    private func wait(_ state: inout ReaderState, within limit: Duration) throws(ReaderError) {
        try asking { () throws(PCSCStatus) in
            if context == nil {
                context = try PCSCContext.establish()
                if let handle = context?.handle { cancelling.arm(handle) }
            }
            if let now = try context?.state(of: name, after: state, within: limit.inMilliseconds) {
                state = now
            }
        }
        if state.isGone { throw PCSCStatus.unknownReader.readerError }
    }

    /// Runs a call, and ends all connections to pcscd if the error shows that pcscd is gone.
    private func asking(_ body: () throws(PCSCStatus) -> Void) throws(ReaderError) {
        do throws(PCSCStatus) {
            try body()
        } catch {
            // pcscd already accepted this user when the reader was opened.
            let status = error.onceLetIn
            if status.isServiceGone || status.readerError.kind == .readerLost { hangUp() }
            let error = status.readerError
            guard [.busy, .readerLost].contains(error.kind), !status.isServiceGone else {
                throw error
            }
            throw ReaderError(error.kind, "\(name): \(error.detail)")
        }
    }

    private func letGo(hasLeft: Bool = false) {
        isSelected = false
        guard card != nil else { return }
        // If a tag or reader is gone, its field does not have to be switched off.
        try? manner.switchOff { command throws(ReaderError) in try transmit(command) }
        if hasLeft { card?.hasLeft = true }
        card = nil
    }

    private func hangUp() {
        isSelected = false
        card = nil
        cancelling.disarm()
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
