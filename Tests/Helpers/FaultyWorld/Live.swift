import CardCryptography
import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardDomain

/// The world while stations work in it: readers, the one card, the ledger, and the faults.
struct Live {
    struct Reader: Hashable {
        var side = TagSide()
        /// The NTAG 424's side, with its session.
        var chip = NTAG424Side()
        var isPowered = false
        /// It has selected the card, and its station has not begun anything since.
        var isLooking = false
        /// The card came back in the meantime, and its station was not told.
        var hasMissedReturn = false
    }

    private let layout: CardLayout?
    let uid: [UInt8]
    private var keepsWorlds: Bool
    /// Whether the steps are noted in words.
    private var keepsWords: Bool
    /// Whether a reader whose station only reads selects a card that came back without reporting
    /// it.
    private let areReadersCareless: Bool
    private let ring: KeyRing?
    let mayRefuseKeys: Bool
    /// By step number, counted from 0 over all stations since the last saved moment.
    private var mishaps: [Int: Mishap]
    var simulation: Simulation
    var readers: [Reader]
    /// The number of times that a chip was powered up.
    private(set) var selections = 0
    /// The reader that the card is on.
    private(set) var place: Int?
    /// The stations whose ledger no longer answers, and those whose process is dead.
    private var cutOff: Set<Int> = []
    var dead: Set<Int> = []
    private var weak: [UInt8: Page]
    private var active: Set<ScratchCode>
    private(set) var tables: LedgerTables
    /// For each station, the ledger's answers since it last did anything but ask; nil for no
    /// answer.
    private(set) var answers: [[LedgerTables?]]
    /// The operations that each station itself has begun, ended or given another number.
    private(set) var changed: [Set<OperationID>]
    var steps: [Step] = []
    var violations: [Violation] = []

    init(
        _ world: RestingWorld, mishaps: [Int: Mishap], readers count: Int, keepsWorlds: Bool,
        areReadersCareless: Bool
    ) {
        self.areReadersCareless = areReadersCareless
        (ring, mayRefuseKeys) = (world.ring, world.mayRefuseKeys)
        layout = world.memory.model.flatMap(CardLayout.init)
        uid = world.memory.uid
        self.keepsWorlds = keepsWorlds
        keepsWords = keepsWorlds
        self.mishaps = mishaps
        simulation =
            switch world.memory {
            case .pages(let tag): Simulation([tag], onReader: [tag.uid])
            case .chip(let chip): Simulation(chips: [chip], onReader: [chip.number])
            }
        readers = [Reader](repeating: Reader(), count: count)
        place = 0
        weak = world.weak
        active = world.active
        tables = world.ledger
        answers = [[LedgerTables?]](repeating: [], count: count)
        changed = [Set<OperationID>](repeating: [], count: count)
    }

    private var memory: CardMemory {
        simulation.chips.first.map(CardMemory.chip) ?? .pages(simulation.tags[0])
    }

    var world: RestingWorld {
        var world = RestingWorld(memory, ledger: tables)
        world.weak = weak
        world.active = active
        (world.ring, world.mayRefuseKeys) = (ring, mayRefuseKeys)
        return world
    }

    /// Continues from a saved moment with these mishaps.
    mutating func resume(_ mishaps: [Int: Mishap], keepsWorlds: Bool) {
        (self.mishaps, self.keepsWorlds, keepsWords) = (mishaps, keepsWorlds, false)
        (steps, violations) = ([], [])
    }

    /// Puts the card on another reader, or takes it away.
    mutating func move(to reader: Int?) {
        guard place != reader else { return }
        leave()
        place = reader
        guard let reader else { return }
        simulation.put([uid])
        if areReadersCareless, readers[reader].isLooking {
            power(reader)
            readers[reader].hasMissedReturn = true
        }
    }

    private mutating func power(_ reader: Int) {
        readers[reader].isPowered = true
        guard let tag = simulation.tags.first else {
            readers[reader].chip = NTAG424Side()
            selections += 1
            return
        }
        readers[reader].side.powerUp(tag)
        _ = readers[reader].side.select(tag)
    }

    private mutating func leave() {
        if let place { powerDown(place) }
        simulation.take()
        place = nil
    }

    mutating func powerDown(_ reader: Int) {
        readers[reader].side.powerDown()
        readers[reader].chip = NTAG424Side()
        readers[reader].isPowered = false
    }

    mutating func select(on reader: Int) throws(ReaderError) -> TagIdentity {
        guard !dead.contains(reader) else { throw ReaderError(.readerLost) }
        guard place == reader else {
            powerDown(reader)
            throw ReaderError(.noTag)
        }
        readers[reader].isLooking = true
        readers[reader].hasMissedReturn = false
        guard let tag = simulation.tags.first else {
            // Selecting it again loses its session, as any activation does.
            power(reader)
            return TagIdentity(uid: uid, answerToRequest: 0x0344, selectAcknowledge: 0x20)
        }
        if !readers[reader].isPowered { power(reader) }
        guard let identity = readers[reader].side.select(tag) else { throw ReaderError(.tagLost) }
        return identity
    }

    mutating func exchange(
        _ frame: [UInt8], on reader: Int
    ) throws(ReaderError) -> [UInt8] {
        guard !dead.contains(reader) else { throw ReaderError(.readerLost) }
        let write = written(by: frame, on: reader)
        let mishap = begin(write ?? .frame(frame), at: reader)
        defer { keepWorld() }
        if mishap == .killedBefore { dead.insert(reader) }
        guard !dead.contains(reader) else { throw ReaderError(.readerLost) }
        guard place == reader, readers[reader].isPowered, !simulation.tags.isEmpty else {
            note("no card")
            throw ReaderError(.tagLost, "no tag is selected")
        }
        if let kind = mishap?.onRadio { simulation.fault = Fault(at: 1, counting: .frame, kind) }
        let outcome = simulation.exchange(frame, with: uid, &readers[reader].side)
        simulation.fault = nil
        steps[steps.count - 1].isHeard = outcome != .reply(.silence)
        if outcome != .reply(.silence), mishap?.onRadio != .lost { checkPage(frame) }
        if case .write(let page, let old, _) = write { weaken(page, old, outcome, mishap?.onRadio) }
        leaveIfPulled(reader, mishap)
        if mishap == .killedAfter {
            dead.insert(reader)
            throw ReaderError(.readerLost)
        }
        return try answer(outcome)
    }

    /// Takes the card out of the field if a fault does so.
    mutating func leaveIfPulled(_ reader: Int, _ mishap: Mishap?) {
        guard simulation.onReader.isEmpty else { return }
        leave()
        if case .radioAndBack = mishap { move(to: reader) }
    }

    private mutating func answer(_ outcome: FrameOutcome) throws(ReaderError) -> [UInt8] {
        switch outcome {
        case .reply(.data(let bytes)):
            note("\(bytes.count) bytes")
            return bytes
        case .reply(.ack):
            note("acknowledged")
            return []
        case .reply(.nak(let code)):
            note("refused")
            throw ReaderError(.refused(code))
        case .reply(.silence), .late, .killed:
            note("nothing in time")
            throw ReaderError(.timedOut)
        case .garbled:
            note("garbled")
            throw ReaderError(.garbled)
        case .gone:
            note("the card is gone")
            throw ReaderError(.tagLost)
        }
    }

    /// I10, for a frame that the tag has received.
    private mutating func checkPage(_ frame: [UInt8]) {
        guard Simulation.isWrite(frame),
            case .write(let page, _)? = try? Type2Command(frame: frame),
            let layout, !layout.pages.contains(page), !isSwitched(page)
        else { return }
        violations.append(Violation(.i10, "page \(page) was written"))
    }

    /// The step in which the tag writes after this frame; nil where it will not.
    private func written(by frame: [UInt8], on reader: Int) -> Step.Act? {
        guard Simulation.isWrite(frame),
            case .write(let page, _)? = try? Type2Command(frame: frame),
            let tag = simulation.tags.first
        else { return nil }
        var (side, after) = (readers[reader].side, tag)
        guard place == reader, side.answer(frame, &after) == .ack else { return nil }
        return .write(page: page, old: tag[page], new: after[page])
    }

    /// Whether the page belongs to settings or a password that the ledger says are being switched.
    private func isSwitched(_ page: UInt8) -> Bool {
        switch simulation.tags[0].chip.role(of: page) {
        case .configuration, .password, .pack:
            CardUID(bytes: uid).flatMap { tables.cards[$0] }?.protection.isStable == false
        default: false
        }
    }

    /// A page is weak while its last WRITE reached the tag but no acknowledge came back.
    private mutating func weaken(
        _ page: UInt8, _ old: Page, _ outcome: FrameOutcome, _ fault: Fault.Kind?
    ) {
        switch (outcome, fault) {
        case (.reply(.ack), _): weak[page] = nil
        case (.garbled, _), (.late, _), (_, .acknowledgeLost), (_, .torn):
            weak[page] = weak[page] ?? old
        default: break
        }
    }

    mutating func transact<Success>(
        _ act: Step.Act, of station: Int,
        _ body: (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        guard !dead.contains(station) else {
            throw LedgerError(.unavailable, "nobody is there to ask")
        }
        if act == .ledgerWrite { readers[station].isLooking = false }
        var mishap = begin(act, at: station)
        // A transaction that only reads has nothing to commit.
        if act == .ledgerRead, mishap?.isOfCommit == true { mishap = nil }
        defer { keepWorld() }
        switch mishap {
        case .killedBefore: dead.insert(station)
        case .ledgerGone: cutOff.insert(station)
        default: break
        }
        guard !dead.contains(station), !cutOff.contains(station), mishap != .ledgerOffline else {
            note("the ledger does not answer")
            if act == .ledgerRead { answers[station].append(nil) }
            throw LedgerError(.unavailable, "the ledger does not answer")
        }
        guard mishap != .commitLost else {
            note("not known")
            throw LedgerError(.outcomeUnknown, "the connection was cut during COMMIT")
        }
        let before = tables
        let success: Success
        do {
            success = try tables.transact(body)
        } catch {
            note("\(error)")
            throw error
        }
        if act == .ledgerWrite {
            violations += Invariant.broken(from: before, to: tables)
            violations += Invariant.endBroken(from: before, to: tables, on: world)
            if let old = world.spentAtConfirmed(in: before),
                let now = world.spentAtConfirmed(in: tables), now < old
            {
                violations.append(Violation(.chip, "spent fell from \(old) to \(now)"))
            }
            for (id, operation) in tables.operations where before.operations[id] != operation {
                changed[station].insert(id)
            }
            let after = tables
            note(Words.change(from: before, to: after))
        }
        switch mishap {
        case .killedAfter: dead.insert(station)
        case .commitUnknownLedgerGone: cutOff.insert(station)
        case .commitUnknown: break
        default:
            if act == .ledgerRead { answers[station].append(tables) }
            return success
        }
        throw LedgerError(.outcomeUnknown, "the connection was cut during COMMIT")
    }

    /// Asks the activation service, which activates the code, however often it is asked.
    mutating func serve(
        _ code: ScratchCode, for station: Int
    ) throws(ServiceError) -> ActivationAnswer {
        guard !dead.contains(station) else {
            throw ServiceError(.offline, "nobody is there to ask")
        }
        let mishap = begin(.service, at: station)
        defer { keepWorld() }
        switch mishap {
        case .killedBefore: dead.insert(station)
        case .service(.refuses):
            note("refused")
            return active.contains(code) ? .active : .refused(version: "1.0")
        case .service(.offline): break
        case .service(.answerLost), .killedAfter:
            active.insert(code)
            if mishap == .killedAfter { dead.insert(station) }
        default:
            active.insert(code)
            note("active")
            return .active
        }
        note("no answer")
        throw ServiceError(.offline, "no answer came from the service")
    }

    mutating func begin(_ act: Step.Act, at station: Int) -> Mishap? {
        let mishap = mishaps[steps.count]
        if act != .ledgerRead { answers[station] = [] }
        steps.append(Step(station: station, act: act, mishap: mishap))
        return mishap
    }

    mutating func note(_ answer: @autoclosure () -> String) {
        guard keepsWords else { return }
        let words = answer()
        steps[steps.count - 1].answer = words
    }

    mutating func keepWorld() {
        if keepsWorlds { steps[steps.count - 1].after = world }
    }
}

/// Equal where everything continues alike. Notes for the checks are not part of it.
extension Live: Hashable {
    static func == (left: Live, right: Live) -> Bool {
        left.simulation == right.simulation && left.readers == right.readers
            && left.place == right.place && left.cutOff == right.cutOff
            && left.dead == right.dead && left.weak == right.weak
            && left.active == right.active && left.tables == right.tables
            && left.selections == right.selections
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(memory)
        hasher.combine(readers)
        hasher.combine(place)
        hasher.combine(weak)
        tables.hashShortly(into: &hasher)
    }
}

extension Mishap {
    /// Whether the outcome of a transaction is unknown after it.
    var isOfCommit: Bool {
        switch self {
        case .commitLost, .commitUnknown, .commitUnknownLedgerGone: true
        case .radio, .radioAndBack, .killedBefore, .killedAfter, .ledgerOffline, .ledgerGone,
            .service, .forgedAnswer:
            false
        }
    }

    /// Whether the ledger may not have answered what the tap has to tell.
    var isLedgerProblem: Bool {
        switch self {
        case .ledgerOffline, .ledgerGone: true
        default: isOfCommit
        }
    }

    var onRadio: Fault.Kind? {
        switch self {
        case .radio(let kind), .radioAndBack(let kind): kind
        default: nil
        }
    }
}
