import BlockingLane
import CardCryptography
import FaultyWorld
import Ledger
import PortDoubles
import Tags
import TapcardCore
import TapcardDomain

/// A violation, with the place where it was found.
package struct Broken: Error, CustomStringConvertible {
    package let step: Int
    package let description: String
}

/// A town in which people pay with cards: tags of every kind, tills that share a ledger, thieves,
/// vandals and a forgetful operator. Everything in it follows from its seed.
package struct Town {
    /// The number of tags in a new town.
    static let size = 24

    let chance: Chance
    var time: Int64 = 1_700_000_000_000
    /// The codes that the activation service has activated.
    let active = Guarded<Set<ScratchCode>>([])
    var keys: KeyRing
    var tables = LedgerTables()
    var bodies: [Body] = []
    var books = Books()
    var backup: (tables: LedgerTables, books: Books)?
    /// Records from a time that a restored ledger no longer knows.
    var lost: [CardUID: Set<[UInt8]>] = [:]
    /// The state of the card before the last tap.
    var evidence = TapEvidence()
    /// The faults in the last tap.
    var trouble = Trouble()
    package private(set) var tally = Tally()
    package private(set) var step = 0
    private var stories: [Int: [String]] = [:]
    private var lastBody = 0

    /// The number of tills with a ledger in PostgreSQL; 0 where it is only in memory.
    let farStations: Int
    var far: Far?
    /// Whether the rows are currently those of somebody else's ledger.
    var isElsewhere = false

    package init(seed: UInt64, farStations: Int = 0) {
        let chance = Chance(seed)
        self.chance = chance
        self.farStations = farStations
        keys = KeyRing.fresh(created: "2026-01-01") { chance.bytes($0) }
        for _ in 0..<Town.size { bodies.append(blank()) }
    }

    /// The history of the last card, in words.
    package var story: [String] { stories[lastBody] ?? [] }

    /// A tag from the factory.
    func blank() -> Body {
        Body(memory: blank(chance.pick(Chip.allCases), [0x04] + chance.bytes(6)))
    }

    func blank(_ chip: Chip, _ uid: [UInt8]) -> CardMemory {
        guard let memory = CardMemory(blank: chip, uid: uid) else {
            preconditionFailure("seven bytes are a tag's number")
        }
        return memory
    }

    func uid(_ index: Int) -> CardUID {
        guard let uid = CardUID(bytes: bodies[index].memory.uid) else {
            preconditionFailure("a tag's number has seven bytes")
        }
        return uid
    }

    /// Plays the next event in the town.
    package mutating func next() async throws(Broken) {
        step += 1
        time += Int64(chance.below(chance.percent(5) ? 400_000 : 20_000))
        let index = chance.below(bodies.count)
        lastBody = index
        decay(index)
        let event = chance.pick(weighted: Town.events)
        try await happen(event, index)
        bodies[index].photograph(chance)
        if step % 100 == 0 { try await audit() }
    }

    enum Event: String, CaseIterable {
        case visit, crossing, status, rotate, retire, backUp, restore, stale, replace, newSticker
        case oldImage, copy, clone, twoBodies, leakedKeys, vandal, elsewhere
    }

    private static let events: [(Int, Event)] = [
        (800, .visit), (40, .crossing), (25, .status), (2, .rotate), (1, .retire), (6, .backUp),
        (2, .restore), (8, .stale), (8, .replace), (3, .newSticker), (35, .oldImage), (10, .copy),
        (40, .clone), (12, .twoBodies), (5, .leakedKeys), (25, .vandal), (6, .elsewhere),
    ]

    private mutating func happen(_ event: Event, _ index: Int) async throws(Broken) {
        note("event: \(event.rawValue)")
        switch event {
        case .visit: try await visit(index)
        case .crossing: try await crossing(index)
        case .status: try await changeStatus(index)
        case .rotate: try rotateKeys()
        case .retire: try retireKey()
        case .backUp: backup = (tables, books)
        case .restore: try await restore()
        case .stale: try await staleStation(index)
        case .replace: try await replace(index)
        case .newSticker: if bodies.count < 2 * Town.size { bodies.append(blank()) }
        case .oldImage: try await putBackOldImage(index)
        case .copy: try await copyToOtherChip(index)
        case .clone: try await presentClone(index)
        case .twoBodies: try await twoBodies(index)
        case .leakedKeys: try await leakedKeys(index)
        case .vandal: try vandal(index)
        case .elsewhere: try await cardFromElsewhere(index)
        }
    }

    /// Ends the year: every card is brought to the till, nothing is left unknown, and every cent is
    /// counted.
    package mutating func close() async throws(Broken) {
        for index in bodies.indices where books.accounts[uid(index)] != nil {
            lastBody = index
            try await calmRead(index)
        }
        try await audit()
        let ledger = TableLedger(tables)
        let balances: [Account: Int64]
        do {
            balances = try await ledger.read { rows throws(LedgerError) in try rows.balances() }
        } catch {
            throw broken("the ledger cannot be read: \(error)")
        }
        let expected: [(Account, Int64)] = [
            (.cash, -books.drawer), (.takings, books.takings), (.adopted, -books.adopted),
            (.reissued, books.reissued), (.prizes, -books.prizes),
        ]
        for (account, amount) in expected where balances[account, default: 0] != amount {
            throw broken(
                "\(account) holds \(balances[account, default: 0]), people count \(amount)")
        }
        note("towns closed with every cent counted")
    }

    /// Runs the ledger's own check, and checks the same rules on its rows.
    mutating func audit() async throws(Broken) {
        let report: AuditReport
        do {
            report = try await TableLedger(tables).audit()
        } catch {
            throw broken("the ledger cannot be checked: \(error)")
        }
        if let first = report.violations.first { throw broken(first) }
        if let first = tables.rowsBroken.first { throw broken("\(first)") }
        note("audits")
        try await auditDatabase()
    }

    func broken(_ what: String) -> Broken { Broken(step: step, description: what) }

    mutating func note(_ what: String) { tally.add(what) }

    private static let longestStory = 24

    mutating func tell(_ index: Int, _ what: @autoclosure () -> String) {
        var story = stories[index] ?? []
        if story.count >= Town.longestStory { story.removeFirst() }
        story.append("step \(step): \(what())")
        stories[index] = story
    }

    /// Lets an unacknowledged page lose its bits.
    private mutating func decay(_ index: Int) {
        guard !bodies[index].weak.isEmpty, chance.percent(20) else { return }
        for page in bodies[index].weak.keys.sorted() {
            if chance.percent(50) {
                bodies[index].set(page, .zero)
            } else if let old = bodies[index].weak[page] {
                bodies[index].set(page, old)
            }
        }
        bodies[index].weak = [:]
        note("fault: weak pages turned bad")
        tell(index, "weak pages turned bad")
    }
}

/// Counts each event, so that an idle run does not pass for a good one.
package struct Tally: Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    mutating func add(_ what: String) { counts[what, default: 0] += 1 }

    package mutating func add(_ other: Tally) { counts.merge(other.counts) { $0 + $1 } }
}
