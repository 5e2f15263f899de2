import Glibc
import OperatingSystem
@_exported public import Tags

/// A reader without hardware. Its tags are strict about which commands they accept.
public actor SimulatedReader: TagReader {
    /// The length of the longest response from an ACR122, in bytes.
    public static let answerLimit = 250
    /// The maximum number of command bytes that fit in one block for an NTAG 424: a frame has 128
    /// bytes, three of which are used for other purposes.
    private static let blockSize = 125
    /// How long the most recently read content is used if no change is reported.
    private static let freshness = Duration.seconds(1)

    public nonisolated let name: String
    public nonisolated let maximumAnswerLength: Int
    /// The number of frames sent to a tag, including WRITEs.
    public private(set) var frameCount = 0
    /// The number of WRITE frames sent to a tag.
    public private(set) var writeCount = 0

    private var simulation: Simulation
    private let file: SimulationFile?
    private let changes: FileChanges?
    /// The content most recently read from the file, and when it expires.
    private var lastRead: (world: Simulation, until: ContinuousClock.Instant)?
    private let claim: FileLock?
    private var side = TagSide()
    /// The powered NTAG 424, if one is selected.
    private var chipSide: NTAG424Side?
    private var powered: [UInt8]?

    /// Creates a reader with a simulation in memory. `select` does not wait for a tag, because no
    /// other program can put one on this reader.
    public init(_ simulation: Simulation, maximumAnswerLength: Int = answerLimit) {
        name = "simulated reader"
        self.maximumAnswerLength = maximumAnswerLength
        self.simulation = simulation
        file = nil
        changes = nil
        claim = nil
    }

    /// Creates a reader with the simulation in a file. Only one command at a time can use the file
    /// as a reader.
    public init(_ file: SimulationFile) throws(ReaderError) {
        name = "simulated reader \(file.path)"
        maximumAnswerLength = SimulatedReader.answerLimit
        simulation = .fresh
        self.file = file
        claim = try file.claim()
        changes = FileChanges(file.path)
    }

    /// Reads or changes the simulation; for example, puts a tag on the reader or arms a fault.
    public func change<Success: Sendable>(
        _ body: @Sendable (inout Simulation) throws(ReaderError) -> Success
    ) throws(ReaderError) -> Success {
        guard let file else { return try body(&simulation) }
        return try file.change(body)
    }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let end = ContinuousClock.now.advanced(by: limit)
        while true {
            if Task.isCancelled { throw ReaderError(.cancelled) }
            let world = try currentSimulation()
            if world.onReader.count > 1 { throw ReaderError(.severalTags) }
            if let uid = world.onReader.first { return try selectTag(uid, world) }
            powerDown()
            let remaining = ContinuousClock.now.duration(to: end)
            guard let changes, remaining > .zero else { throw ReaderError(.noTag) }
            await changes.wait(atMost: remaining)
        }
    }

    /// The current simulation. A waiting caller checks often, so the file is read again only if it
    /// may have changed or the content has expired.
    private func currentSimulation() throws(ReaderError) -> Simulation {
        guard let changes else { return simulation }
        // This is checked before the file is read, so that a later change is noticed the next time.
        let haveChanged = changes.mayHaveChanged()
        if !haveChanged, let lastRead, ContinuousClock.now < lastRead.until {
            return lastRead.world
        }
        // The earlier content is outdated now, even if reading the file fails.
        lastRead = nil
        let world = try change { $0 }
        lastRead = (world, .now.advanced(by: SimulatedReader.freshness))
        return world
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        let (reply, isKilled) = try apply(frame)
        if isKilled { killProcess() }
        switch reply {
        case .data(let bytes): return bytes
        case .ack: return []
        case .nak(let code): throw ReaderError(.refused(code))
        case .silence:
            throw ReaderError(.timedOut, "the tag responds only after it has been selected")
        }
    }

    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        guard let uid = powered, var side = chipSide else {
            throw ReaderError(.tagLost, "no card that accepts commands is selected")
        }
        frameCount += 1
        let isWrite = NTAG424Side.isWrite(command)
        if isWrite { writeCount += 1 }
        let blocks = (command.count + Self.blockSize - 1) / Self.blockSize
        let outcome: Simulation.ChipOutcome = try changeSimulation { world in
            // A second card next to the selected one disturbs it.
            guard world.onReader == [uid] else { return .gone }
            return world.exchange(
                with: uid, isWrite: isWrite, isChained: blocks > 1, &side
            ) { side, memory in
                side.answer(command, blocks: blocks, &memory) { count in
                    (0..<count).map { _ in UInt8.random(in: .min ... .max) }
                }
            }
        }
        chipSide = side
        switch outcome {
        case .answer(let answer?): return answer
        case .answer(nil): throw ReaderError(.timedOut, "the card did not respond")
        case .garbled: throw ReaderError(.garbled)
        case .late: throw ReaderError(.timedOut, "the answer came too late")
        case .gone:
            powerDown()
            throw ReaderError(.tagLost)
        case .killed:
            killProcess()
            throw ReaderError(.readerLost)
        }
    }

    public func release() async { powerDown() }

    private func selectTag(
        _ uid: [UInt8], _ world: Simulation
    ) throws(ReaderError) -> TagIdentity {
        if world.chip(uid) != nil {
            // Selecting the chip again ends its session, as any activation does.
            (powered, chipSide) = (uid, NTAG424Side())
            return TagIdentity(uid: uid, answerToRequest: 0x0344, selectAcknowledge: 0x20)
        }
        guard let tag = world.tag(uid) else { throw ReaderError(.tagLost) }
        // A card that stayed keeps its power, and therefore its counts and settings.
        if powered != uid {
            side.powerDown()
            side.powerUp(tag)
            powered = uid
        }
        guard let identity = side.select(tag) else { throw ReaderError(.tagLost) }
        return identity
    }

    private func powerDown() {
        side.powerDown()
        (powered, chipSide) = (nil, nil)
    }

    private func apply(_ frame: [UInt8]) throws(ReaderError) -> (TagReply, isKilled: Bool) {
        guard let uid = powered else { throw ReaderError(.tagLost, "no tag is selected") }
        frameCount += 1
        if Simulation.isWrite(frame) { writeCount += 1 }
        var side = side
        guard chipSide == nil else {
            throw ReaderError(.timedOut, "the card accepts only ISO-DEP blocks, not page commands")
        }
        let outcome: FrameOutcome = try changeSimulation { world in
            // A second tag next to the selected one disturbs it.
            world.onReader == [uid] ? world.exchange(frame, with: uid, &side) : .gone
        }
        self.side = side
        switch outcome {
        case .reply(let reply): return (reply, false)
        case .killed(let reply): return (reply, true)
        case .garbled: throw ReaderError(.garbled)
        case .late: throw ReaderError(.timedOut, "the answer came too late")
        case .gone:
            powerDown()
            throw ReaderError(.tagLost)
        }
    }

    private func changeSimulation<Outcome>(
        _ body: (inout Simulation) -> Outcome
    ) throws(ReaderError) -> Outcome {
        guard let file else { return body(&simulation) }
        return try file.change { world throws(ReaderError) in body(&world) }
    }

    /// Kills this process without any cleanup, as the fault requires.
    private func killProcess() { kill(getpid(), SIGKILL) }
}
