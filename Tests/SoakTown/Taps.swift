import BlockingLane
import CardImage
import FaultyWorld
import Ledger
import SimulatedField
import TapcardCore
import TapcardDomain
import Type2Tag

/// How a card is held to the reader.
enum Hold: Sendable {
    case calm
    /// Something goes wrong on the way.
    case disturbed
    /// It is not there at all: somebody asks the counter only.
    case away
}

/// What is asked of a station, in a scene.
typealias Ask<Success> = @Sendable (Station, Scene) async throws(TapcardError) -> Success

extension Town {
    var surroundings: Station.Surroundings {
        let (chance, clock, hints) = (chance, clock, hints)
        return Station.Surroundings(
            now: { Timestamp(milliseconds: clock.withLock { $0 }) },
            sleep: { duration in
                clock.withLock { $0 += duration.components.seconds * 1_000 }
            },
            random: { chance.bytes($0) },
            progress: { progress in
                if case .hint(let text) = progress { hints.withLock { $0.append(text) } }
            })
    }

    func world(of index: Int) -> RestingWorld {
        var world = RestingWorld(tag: bodies[index].tag, ledger: tables)
        world.weak = bodies[index].weak
        return world
    }

    /// One tap. Nil where the process died: then nobody said anything.
    mutating func play<Success: Sendable>(
        _ index: Int, _ what: String, _ hold: Hold, _ ask: Ask<Success>
    ) async throws(Broken) -> Result<Success, TapcardError>? {
        let scene = Scene(
            world(of: index), mishaps: hold == .disturbed ? drawMishaps() : [:], keys: keys,
            surroundings: surroundings)
        if hold == .away { scene.moveCard(to: nil) }
        var said: Result<Success, TapcardError>?
        do throws(TapcardError) {
            said = .success(try await ask(scene.station(), scene))
        } catch {
            said = .failure(error)
        }
        if scene.isDead(0) { said = nil }
        try take(scene, index)
        note(hold == .away ? "questions without a card" : "taps")
        tell(index, "\(what), \(hold): \(Town.words(said))")
        return said
    }

    /// The world is as the scene left it.
    mutating func take(_ scene: Scene, _ index: Int) throws(Broken) {
        let world = scene.world
        let heard = hints.withLock { heard in
            defer { heard = [] }
            return heard
        }
        bodies[index].tag = world.tag
        bodies[index].weak = world.weak
        tables = world.ledger
        for step in scene.steps {
            guard let mishap = step.mishap, mishap.strikes(step) else { continue }
            note("fault: \(mishap.name)")
            tell(index, "(\(mishap))")
        }
        if let violation = scene.violations.first { throw broken("\(violation)") }
        if bodies[index].marks.isEmpty {
            if heard.contains(where: { $0.contains("looks torn") }) { note("hints: torn") }
            let suspicion = heard.first { $0.contains("tampered") || $0.contains("overwritten") }
            if let suspicion, !bodies[index].wasVandalised {
                throw broken("the log suspects an honest card: \(suspicion)")
            }
        }
    }

    static func words<Success>(_ said: Result<Success, TapcardError>?) -> String {
        switch said {
        case .success(let receipt as Receipt):
            "done, \(receipt.balance) left" + (receipt.isReplayed ? " (replayed)" : "")
        case .success(let reading as CardReading):
            reading.problem.map { "shown, but \($0.kind.rawValue)" }
                ?? "\(reading.balance.map { "\($0)" } ?? "nothing") on it"
        case .success: "done"
        case .failure(let error): "\(error.kind.rawValue): \(error.what)"
        case nil: "nothing; the process is dead"
        }
    }

    /// What goes wrong in a disturbed tap, at which of its steps.
    func drawMishaps() -> [Int: Mishap] {
        let longestTap = 34
        var mishaps: [Int: Mishap] = [:]
        for _ in 0..<chance.pick(weighted: [(70, 1), (22, 2), (8, 3)]) {
            mishaps[chance.below(longestTap)] = drawMishap()
        }
        return mishaps
    }

    private func drawMishap() -> Mishap {
        let ofOthers: [Mishap] = [
            .killedBefore, .killedAfter, .ledgerAway, .ledgerGone, .commitLost, .commitUnknown,
            .commitUnknownLedgerGone,
        ]
        if chance.percent(35) { return chance.pick(ofOthers) }
        let seed = chance.next()
        let torn: [TornPage] = [
            .zero, .unchanged, .new, .mix(seed: seed), .mix(seed: seed &+ 1),
            .someOnes(seed: seed), .erasedToSomeOnes(seed: seed),
            .lowestOnes(chance.below(9)), .highestOnes(chance.below(9)),
            .erasedToLowestOnes(chance.below(9)), .erasedToHighestOnes(chance.below(9)),
        ]
        let kind: Fault.Kind = chance.pick(weighted: [
            (2, .lost), (6, .torn(chance.pick(torn))), (3, .acknowledgeLost), (1, .pulledAfter),
            (1, .garbled), (1, .late), (1, .refused(chance.pick([0, 1, 4, 5]))),
        ])
        return chance.percent(30) ? .radioAndBack(kind) : .radio(kind)
    }
}

extension Mishap {
    /// Whether it can happen at this step at all.
    fileprivate func strikes(_ step: Step) -> Bool {
        switch self {
        case .radio, .radioAndBack: step.isFrame
        case .killedBefore, .killedAfter: true
        case .ledgerAway, .ledgerGone: step.act == .ledgerRead || step.act == .ledgerWrite
        case .commitLost, .commitUnknown, .commitUnknownLedgerGone: step.act == .ledgerWrite
        case .service: step.act == .service
        }
    }

    /// The kind of fault, whatever a torn page held.
    fileprivate var name: String {
        switch self {
        case .radio(let kind), .radioAndBack(let kind):
            if case .torn = kind {
                "torn page"
            } else {
                "\(kind)".split(separator: " ")[0].description
            }
        default: description
        }
    }
}

// What must hold.
extension Town {
    /// The records on a tag that the ledger itself made for it.
    func trueNumbers(on tag: TagMemory, _ uid: CardUID) -> [SequenceNumber] {
        guard let layout = CardLayout(chipNamed: tag.chip.name),
            let image = CardImage(layout.pages.flatMap { tag[$0].bytes }, layout: layout)
        else { return [] }
        return image.records.compactMap { bytes in
            guard let record = SealedRecord(bytes),
                tables.issued[uid]?[record.sequence]?.bytes == bytes
            else { return nil }
            return record.sequence
        }
    }

    /// I11, with weak pages as they are and once they have turned bad.
    mutating func expectAtRest(_ index: Int) throws(Broken) {
        guard bodies[index].marks.isEmpty, let card = tables.cards[uid(index)] else { return }
        for decay in Decay.allCases {
            let tag = world(of: index).decayed(decay).tag
            let best = trueNumbers(on: tag, card.uid).max() ?? .none
            let isBlank = card.status == .closed && isBlank(tag)
            if best < card.confirmed, !isBlank {
                throw broken(
                    "I11: the best record is \(best), \(card.confirmed) is confirmed (\(decay))")
            }
        }
    }

    func isBlank(_ tag: TagMemory) -> Bool {
        tag.chip.userPages.dropFirst().allSatisfy { tag[$0] == .zero }
    }

    /// I8 and the books: one undisturbed tap has brought tag, message, ledger and people together.
    mutating func expectSettled(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        let found: CardView?
        do {
            found = try await LedgerAtRest(tables: tables).view(of: uid)
        } catch {
            throw broken("the ledger cannot be read: \(error)")
        }
        guard let view = found, let account = books.accounts[uid] else {
            throw broken("the ledger knows \(found == nil ? "nothing" : "a card"), people not")
        }
        if let open = view.open { throw broken("I8: \(open.kind) \(open.id) is still open") }
        let tag = bodies[index].tag
        guard trueNumbers(on: tag, uid).max() == view.card.confirmed else {
            throw broken("I8: the record is not the confirmed one, \(view.card.confirmed)")
        }
        let content = view.card.content(view.card.confirmed, balance: view.balance)
        let face = CardFace(
            style: view.card.face, balance: content.balance, holder: content.holder,
            scratch: content.scratch)
        guard let layout = CardLayout(chipNamed: tag.chip.name),
            let image = CardImage(layout.pages.flatMap { tag[$0].bytes }, layout: layout),
            var shown = image.content(in: .usd).face
        else { throw broken("I8: what phones read makes no sense") }
        // What a vandal wrote may have become a member of others, which is kept.
        shown.extras = []
        guard shown == face else { throw broken("I8: phones read \(shown), not \(face)") }
        guard account.claims.isEmpty else { return }
        guard view.balance.minorUnits == account.balance else {
            throw broken(
                "the ledger says \(view.balance), people were told \(account.balance) cents")
        }
        guard view.card.status.rawValue == "\(account.standing)" else {
            throw broken("the card is \(view.card.status), people were told \(account.standing)")
        }
        let scratch = account.scratch == .none ? nil : "\(account.scratch)"
        guard account.standing == .closed || view.card.scratch.word == scratch else {
            throw broken(
                "the scratch card is \(view.card.scratch.word ?? "none"), people were told "
                    + "\(account.scratch)")
        }
        if view.card.scratch.word == "activated", let code = view.card.scratch.code,
            !active.withLock({ $0.contains(code) })
        {
            throw broken("I9: a code is activated that the service never made active")
        }
    }
}
