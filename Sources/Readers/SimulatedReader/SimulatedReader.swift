import DurableFile
import Glibc
public import TagReading
import Type2Tag

/// A reader that is not there, with a whole, strict tag in its field.
public actor SimulatedReader: TagReader {
    /// As much as an ACR122 carries.
    public static let answerLimit = 250
    /// How often a reader that waits looks whether a tag was put down.
    private static let pollingInterval = Duration.milliseconds(20)

    public nonisolated let name: String
    public nonisolated let longestAnswer: Int
    /// How many frames went to a tag, and how many of them were WRITE.
    public private(set) var frameCount = 0
    public private(set) var writeCount = 0

    private var simulation: Simulation
    private let file: SimulationFile?
    private let claim: FileLock?
    private var side = TagSide()
    private var powered: [UInt8]?

    /// A world in memory: a tag that is not there does not come, so nothing waits for it.
    public init(_ simulation: Simulation, longestAnswer: Int = answerLimit) {
        name = "simulated reader"
        self.longestAnswer = longestAnswer
        self.simulation = simulation
        file = nil
        claim = nil
    }

    /// The world in a file. Only one command at a time works with it.
    public init(_ file: SimulationFile) throws(ReaderError) {
        name = "simulated reader \(file.path)"
        longestAnswer = SimulatedReader.answerLimit
        simulation = .fresh
        self.file = file
        claim = try file.claim()
    }

    /// Looks at the world, or changes it: puts a tag down, arms a fault.
    public func change<Success: Sendable>(
        _ body: @Sendable (inout Simulation) throws(ReaderError) -> Success
    ) throws(ReaderError) -> Success {
        guard let file else { return try body(&simulation) }
        return try file.change(body)
    }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        while true {
            if Task.isCancelled { throw ReaderError(.cancelled) }
            let lying = try change { world in world.onReader }
            if lying.count > 1 { throw ReaderError(.severalTags) }
            if let uid = lying.first { return try selectTag(uid) }
            powerDown()
            guard file != nil, clock.now < end else { throw ReaderError(.noTag) }
            do {
                try await Task.sleep(for: SimulatedReader.pollingInterval)
            } catch {
                throw ReaderError(.cancelled)
            }
        }
    }

    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        let (reply, isKilled) = try apply(frame)
        if isKilled { dieNow() }
        switch reply {
        case .data(let bytes): return bytes
        case .ack: return []
        case .nak(let code): throw ReaderError(.refused(code))
        case .silence: throw ReaderError(.timedOut, "the tag is silent until it is selected")
        }
    }

    public func release() async { powerDown() }

    private func selectTag(_ uid: [UInt8]) throws(ReaderError) -> TagIdentity {
        guard let tag = try change({ world in world.tag(uid) }) else {
            throw ReaderError(.tagLost)
        }
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
        powered = nil
    }

    private func apply(_ frame: [UInt8]) throws(ReaderError) -> (TagReply, isKilled: Bool) {
        guard let uid = powered else { throw ReaderError(.tagLost, "no tag is selected") }
        let isWrite = frame.first == SimulatedReader.writeOpcode
        frameCount += 1
        if isWrite { writeCount += 1 }
        var side = side
        let result = try changeOutcome { world in
            SimulatedReader.exchange(frame, isWrite: isWrite, with: uid, &side, &world)
        }
        self.side = side
        switch result {
        case .reply(let reply): return (reply, false)
        case .killed(let reply): return (reply, true)
        case .failed(let error, let isGone):
            if isGone { powerDown() }
            throw error
        }
    }

    private enum Outcome: Sendable {
        case reply(TagReply)
        case killed(TagReply)
        case failed(ReaderError, isGone: Bool)
    }

    /// The change is kept even where the frame failed: that is the point of a torn page.
    private func changeOutcome(
        _ body: (inout Simulation) -> Outcome
    ) throws(ReaderError) -> Outcome {
        guard let file else { return body(&simulation) }
        return try file.change { world throws(ReaderError) in body(&world) }
    }

    private static func exchange(
        _ frame: [UInt8], isWrite: Bool, with uid: [UInt8], _ side: inout TagSide,
        _ world: inout Simulation
    ) -> Outcome {
        guard world.onReader == [uid], let before = world.tag(uid) else {
            return .failed(ReaderError(.tagLost), isGone: true)
        }
        let fault = dueFault(isWrite: isWrite, &world)
        if fault == .lost {
            world.take()
            return .failed(ReaderError(.tagLost), isGone: true)
        }
        if case .refused(let code) = fault {
            // Any frame that is no command makes the tag fall silent.
            var unharmed = before
            _ = side.answer([], &unharmed)
            return .reply(.nak(code))
        }
        if fault == .killedBefore { return .killed(.silence) }
        var after = before
        let reply = side.answer(frame, &after)
        if case .torn(let torn) = fault {
            world.save(tear(before, after, by: reply == .ack ? frame : [], as: torn))
            world.take()
            return .failed(ReaderError(.tagLost), isGone: true)
        }
        world.save(after)
        switch fault {
        case .acknowledgeLost:
            world.take()
            return .failed(ReaderError(.tagLost), isGone: true)
        case .pulledAfter: world.take()
        case .garbled: return .failed(ReaderError(.garbled), isGone: false)
        case .killedAfter: return .killed(reply)
        default: break
        }
        return .reply(reply)
    }

    /// Counts a frame against the armed fault; the fault when it is due, which disarms it.
    private static func dueFault(isWrite: Bool, _ world: inout Simulation) -> Fault.Kind? {
        guard var fault = world.fault, isWrite || fault.counted == .frame else { return nil }
        fault.countdown -= 1
        world.fault = fault.countdown > 0 ? fault : nil
        return fault.countdown > 0 ? nil : fault.kind
    }

    /// Only user pages tear: lock bits and the capability container are protected by the chip. A
    /// page that is written with what it held is erased first like any other.
    private static func tear(
        _ before: TagMemory, _ after: TagMemory, by frame: [UInt8], as torn: TornPage
    ) -> TagMemory {
        var memory = after
        let written: UInt8? =
            if case .write(let page, _)? = try? Type2Command(frame: frame) { page } else { nil }
        for page in before.chip.userPages where before[page] != after[page] || page == written {
            let old = number(before[page])
            memory[page] = self.page(torn.content(old: old, new: number(after[page])))
        }
        return memory
    }

    private static func number(_ page: Page) -> UInt32 {
        page.bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func page(_ number: UInt32) -> Page {
        func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: number >> shift) }
        return Page(byte(24), byte(16), byte(8), byte(0))
    }

    private static let writeOpcode = Type2Command.write(0, .zero).frame[0]

    /// What the simulation of a killed process comes down to.
    private func dieNow() { kill(getpid(), SIGKILL) }
}
