import CardCryptography
import Cards
import Ledger
import PortDoubles
import TapcardCore
import TapcardDomain
import Testing

/// Every line of the table of reasons, and both sides of every limit.
@Suite("Judging an offline payment") struct OfflineJudgmentTests {
    @Test("An offline payment within all limits is accepted")
    func accepted() async throws {
        let case1 = try await Case()
        #expect(case1.judge(450) == .accepted(account: 1, balance: World.usd(550)))
        #expect(case1.question(450).refusalForEveryCard == nil)
    }

    @Test("Each reason to refuse an offline payment has its own word and what can still be paid")
    func distinct() {
        let left = World.usd(250)
        let reasons: [OfflineDecision.Reason] = [
            .noSnapshot, .oldSnapshot, .forgottenPayments, .noRecord, .unknownCard,
            .inactive(.blocked),
            .inactive(.closed), .inactive(.replaced), .oldRecord, .openOperation,
            .balance(left: left), .cardLimit(left: left), .stationLimit(left: left),
        ]
        #expect(Set(reasons.map(\.word)).count == reasons.count)
        #expect(reasons.map(\.left) == [Money?](repeating: nil, count: 10) + [left, left, left])
        for reason in reasons {
            let error = TapcardError(reason)
            #expect(error.next == [.ledger(.waitForLedger(reason))])
            #expect(error.kind == .ledgerOffline && error.result.exitStatus == 9)
            #expect(error.what.hasPrefix("The ledger is offline, and "))
            #expect(error.meaning == "The payment was not taken: the card was not charged.")
        }
    }

    @Test("An offline payment needs a snapshot of its own ledger")
    func snapshot() async throws {
        var asked = try await Case()
        asked.snapshot = nil
        #expect(asked.judge(1) == .refused(.noSnapshot))
        #expect(asked.question(1).refusalForEveryCard == .noSnapshot)
        asked = try await Case()
        asked.ledgerID = "another"
        #expect(asked.judge(1) == .refused(.noSnapshot))
    }

    @Test("An offline payment is refused once the station has forgotten a voided one")
    func forgotten() async throws {
        var asked = try await Case()
        for number in 0...500 {
            #expect(asked.judge(1) == .accepted(account: 1, balance: World.usd(999)))
            let payment = Operation(
                id: World.id(UInt64(number)), uid: asked.card.uid, kind: .pay, amount: 100,
                beganAt: World.tick, state: .voided, endedAt: World.tick)
            asked.memory.note(
                StationMemory.Note(payment, ledgerID: "ledger", epoch: 1), isConfirmed: true)
        }
        #expect(asked.judge(1) == .refused(.forgottenPayments))
        #expect(asked.question(1).refusalForEveryCard == .forgottenPayments)
    }

    @Test("A snapshot expires by uptime or, after a restart, by the time of day")
    func age() async throws {
        var asked = try await Case()
        let age: Int64 = 4 * 3_600 * 1_000
        asked.uptime = asked.uptime(age)
        #expect(asked.judge(1) == .accepted(account: 1, balance: World.usd(999)))
        asked.uptime = asked.uptime(age + 1)
        #expect(asked.judge(1) == .refused(.oldSnapshot))
        #expect(asked.question(1).refusalForEveryCard == .oldSnapshot)
        // After a restart the time of day decides; one before the snapshot is a wrong clock.
        for (later, isCurrent) in [(0, true), (age, true), (age + 1, false), (-1, false)] {
            asked.uptime = Uptime(boot: "another", milliseconds: 5)
            asked.now = World.tick.adding(milliseconds: later)
            let isAccepted = asked.judge(1) == .accepted(account: 1, balance: World.usd(999))
            #expect(isAccepted == isCurrent, "\(later)")
        }
    }

    @Test("An offline payment needs a trusted record on an active card of the snapshot")
    func card() async throws {
        var asked = try await Case()
        asked.card = UnconfirmedCard(uid: asked.card.uid, chip: .ntag213, record: nil)
        #expect(asked.judge(1) == .refused(.noRecord))
        asked = try await Case { ledger in try await ledger.retire([1], at: World.tick) }
        #expect(asked.judge(1) == .refused(.noRecord))
        asked = try await Case()
        let other = try #require(CardUID(bytes: World.otherUID))
        asked.card = UnconfirmedCard(uid: other, chip: .ntag213, record: asked.card.record)
        #expect(asked.judge(1) == .refused(.unknownCard))
        asked = try await Case { ledger in
            _ = try await ledger.change(Case.uid(), .block, id: World.id(7), at: World.tick)
        }
        #expect(asked.judge(1) == .refused(.inactive(.blocked)))
    }

    @Test("An offline payment is refused for an old image, but not for a newer record")
    func image() async throws {
        for (sequence, isAccepted) in [(0, false), (1, true), (2, true)] as [(UInt32, Bool)] {
            var asked = try await Case()
            asked.card = try asked.card(showing: 1_000, sequence)
            #expect((asked.judge(1) == .refused(.oldRecord)) == !isAccepted, "\(sequence)")
        }
    }

    @Test("An offline payment is refused if its snapshot has an open operation on the card")
    func open() async throws {
        let asked = try await Case { ledger in
            let known = try #require(try await ledger.knownCard(of: Case.uid()))
            let request = Request(
                id: World.id(8), uid: known.card.uid, action: .add(World.usd(1)), at: World.tick)
            _ = try await ledger.begin(
                request, version: CardVersion(known),
                sealer: RecordSealer(keyID: 1, seal: { _ in Array(0..<16) }))
        }
        #expect(asked.judge(1) == .refused(.openOperation))
    }

    @Test("An offline payment needs enough unspent balance on the card and in the snapshot")
    func balance() async throws {
        var asked = try await Case()
        asked.limits.card = World.usd(5_000)
        #expect(asked.judge(1_000) == .accepted(account: 1, balance: World.usd(0)))
        #expect(asked.judge(1_001) == .refused(.balance(left: World.usd(1_000))))
        asked.card = try asked.card(showing: 300, 1)
        #expect(asked.judge(300) == .accepted(account: 1, balance: World.usd(0)))
        #expect(asked.judge(301) == .refused(.balance(left: World.usd(300))))
        asked.card = try asked.card(showing: 9_000, 2)
        #expect(asked.judge(1_001) == .refused(.balance(left: World.usd(1_000))))
        asked.add(400, on: asked.card.uid)
        #expect(asked.judge(600) == .accepted(account: 1, balance: World.usd(0)))
        #expect(asked.judge(601) == .refused(.balance(left: World.usd(600))))
    }

    @Test("An offline payment respects the limits of the card and of the station")
    func limits() async throws {
        var asked = try await Case()
        asked.limits.card = World.usd(500)
        #expect(asked.judge(500) == .accepted(account: 1, balance: World.usd(500)))
        #expect(asked.judge(501) == .refused(.cardLimit(left: World.usd(500))))
        #expect(asked.question(501).refusalForEveryCard == .cardLimit(left: World.usd(500)))
        asked.add(200, on: asked.card.uid)
        #expect(asked.judge(300) == .accepted(account: 1, balance: World.usd(500)))
        #expect(asked.judge(301) == .refused(.cardLimit(left: World.usd(300))))
        asked.limits.station = World.usd(450)
        #expect(asked.judge(250) == .accepted(account: 1, balance: World.usd(550)))
        #expect(asked.judge(251) == .refused(.stationLimit(left: World.usd(250))))
        #expect(asked.question(251).refusalForEveryCard == .stationLimit(left: World.usd(250)))
        // What other cards have paid here counts for the station alone.
        asked.add(100, on: try #require(CardUID(bytes: World.otherUID)))
        #expect(asked.judge(151) == .refused(.stationLimit(left: World.usd(150))))
        #expect(asked.judge(150) == .accepted(account: 1, balance: World.usd(650)))
    }

    @Test("A refused offline payment names the amount that all limits together allow")
    func lowestLimit() async throws {
        var asked = try await Case()
        asked.limits.card = World.usd(500)
        #expect(asked.judge(1_001) == .refused(.cardLimit(left: World.usd(500))))
        #expect(asked.judge(500) == .accepted(account: 1, balance: World.usd(500)))
        asked.limits.station = World.usd(400)
        #expect(asked.judge(1_001) == .refused(.stationLimit(left: World.usd(400))))
        #expect(asked.question(1_001).refusalForEveryCard == .stationLimit(left: World.usd(400)))
        asked.card = try asked.card(showing: 300, 1)
        #expect(asked.judge(1_001) == .refused(.balance(left: World.usd(300))))
        #expect(asked.judge(300) == .accepted(account: 1, balance: World.usd(0)))
    }

    @Test("The reason for a refused offline payment is the first in the table's order")
    func order() async throws {
        var asked = try await Case { ledger in
            _ = try await ledger.change(Case.uid(), .block, id: World.id(7), at: World.tick)
        }
        asked.limits.card = World.usd(1)
        asked.card = try asked.card(showing: 0, 0)
        #expect(asked.judge(100) == .refused(.inactive(.blocked)))
        asked.uptime = asked.uptime(.max / 2)
        #expect(asked.judge(100) == .refused(.oldSnapshot))
    }

    /// A card with ten dollars, a snapshot of its ledger, and an empty journal.
    private struct Case {
        var limits = OfflineLimits.standard(for: .usd)
        var snapshot: CardSnapshot?
        var ledgerID: String?
        var card: UnconfirmedCard
        var memory = StationMemory()
        var now = World.tick
        var uptime = Uptime(boot: "1", milliseconds: 1_000_000)
        private var lines: [(CardUID, Int64)] = []

        static func uid() throws -> CardUID {
            try #require(World.uids["NTAG213"].flatMap { CardUID(bytes: $0) })
        }

        init(
            _ prepare: (any LedgerStore) async throws -> Void = { _ in }
        ) async throws {
            let world = try await World.withCard()
            let summary = try await world.station.readWithoutLedger()
            card = summary
            try await prepare(world.ledger)
            snapshot = try await CardSnapshot(of: world.ledger, at: World.tick, uptime)
        }

        func uptime(_ later: Int64) -> Uptime {
            Uptime(boot: "1", milliseconds: 1_000_000 + later)
        }

        func card(showing balance: Int64, _ sequence: UInt32) throws -> UnconfirmedCard {
            let entry = World.keys.sealing
            let number = try #require(SequenceNumber(sequence))
            let cardKey = entry.masters.cardKey(uid: card.uid.bytes)
            let record = try #require(
                SealedRecord(
                    uid: card.uid, sequence: number,
                    balance: World.usd(balance), state: .noScratchCard,
                    holder: Holder(id: nil, name: nil),
                    keyID: entry.id, cardKey: cardKey))
            return UnconfirmedCard(uid: card.uid, chip: card.chip, record: record.bytes)
        }

        mutating func add(_ cents: Int64, on uid: CardUID) { lines.append((uid, cents)) }

        func question(_ cents: Int64) -> OfflineDecision.Question {
            var journal = OfflineJournal(
                id: World.id(1), currency: .usd, ledgerID: ledgerID, under: World.keys)
            for (uid, amount) in lines {
                _ = journal.append(
                    JournalLine(
                        number: journal.written + 1, id: World.id(UInt64(journal.written) + 50),
                        uid: uid, chip: .ntag213, account: 1,
                        record: [UInt8](repeating: 0x40, count: 16), amount: amount,
                        by: Requester(),
                        at: World.tick))
            }
            return OfflineDecision.Question(
                World.usd(cents), within: limits, snapshot, journal, memory, at: now, uptime)
        }

        func judge(_ cents: Int64) -> OfflineDecision {
            OfflineDecision(question(cents), card)
        }
    }
}

extension World {
    /// The time at which the world's clock starts.
    static let tick = Timestamp(milliseconds: 1_700_000_000_000)
}
