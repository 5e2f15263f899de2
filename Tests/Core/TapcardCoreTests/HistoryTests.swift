import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Past operations, looked up without a card.
@Suite("The history of a card")
struct HistoryTests {
    @Test("The history names the ticket and the game of each operation")
    func subjects() async throws {
        let world = try await World.withCard(.ntag215)
        let bought = try await world.buy(2)
        let game = try #require(MastermindGameID("0123456789abcdef0123456789abcdef"))
        let kept = MastermindGame(id: game, slots: 4)
        _ = try await world.station.saveGame(kept, id: World.id(3))
        _ = try await world.station.saveGame(nil, id: World.id(4))
        _ = try await world.station.claimTickets(
            drawn: try DrawList([try world.draw(like: bought.ticket, top: 5)]),
            prizes: try PrizeTable(parsing: "6=top", .usd), topPrizeUnit: .whole)
        let lines = try await Station.lines(of: try await world.uid(), in: world.ledger)
        let ticket = bought.ticket.id
        #expect(lines.map(\.ticket) == [nil, ticket, nil, nil, ticket])
        #expect(lines.map(\.game) == [nil, nil, game, nil, nil])
        #expect(lines.allSatisfy { $0.paidOut == nil })
    }

    @Test("The history shows an open payment as pending and a voided one as voided")
    func openPayment() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        var last = try #require(try await Station.lines(of: uid, in: world.ledger).last)
        #expect(last.operation.state == .pending && last.balance == nil)
        try await world.putBack()
        _ = try await world.station.read()
        let lines = try await Station.lines(of: uid, in: world.ledger)
        last = try #require(lines.first { $0.operation.id == World.id(2) })
        #expect(last.operation.state == .voided && last.balance == World.usd(1_000))
    }

    @Test("The history of all cards is one list, and an unknown card has none")
    func allCards() async throws {
        let world = try await World.withCard()
        try await world.put(try World.otherTag())
        let other = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await Station.lines(of: other, in: world.ledger)
        }
        try await world.issue(500, id: 2)
        let all = try await Station.lines(of: nil, in: world.ledger)
        #expect(all.count == 2 && Set(all.map(\.operation.uid)).count == 2)
        #expect(try await Station.lines(of: other, in: world.ledger).count == 1)
        #expect(try await Station.lines(of: nil, in: InMemoryLedger()).isEmpty)
    }

    @Test("The history includes a card's activation attempts, even from before a reissue")
    func activations() async throws {
        struct No: ActivationService {
            func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
                .refused(version: "5.9")
            }
        }
        let world = try await World.withCard()
        let uid = try await world.uid()
        _ = try await world.station.scratch(id: World.id(2))
        _ = try? await world.station.activate(id: World.id(3), through: No())
        try await world.issue(mayReissue: true, id: 4)
        let attempts = try await Station.attempts(of: uid, in: world.ledger)
        #expect(attempts.map(\.id) == [World.id(3)] && attempts[0].version == "5.9")
        #expect(try await Station.attempts(of: nil, in: world.ledger) == attempts)
        let other = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await Station.attempts(of: other, in: world.ledger)
        }
        let lines = try await History.lines(of: uid, last: 3, in: world.ledger)
        #expect(lines.map(\.operation.kind) == [.scratch, .issue, .reseal])
        #expect(
            try await History.activations(of: uid, beside: lines, in: world.ledger) == attempts)
        #expect(
            try await History.activations(of: other, beside: lines, in: world.ledger) == [])
        #expect(try await History.activations(of: uid, beside: [], in: world.ledger) == [])
    }

    @Test("Neither the history nor the audit can be read from a ledger that is down")
    func down() async throws {
        let ledger = Disturbance(.ledgerGone, at: 1).ledger(InMemoryLedger())
        await expectRefused(.ledgerUnavailable, exit: 9) { () throws(TapcardError) in
            try await Station.lines(of: nil, in: ledger)
        }
        await expectRefused(.ledgerUnavailable, exit: 9) { () throws(TapcardError) in
            try await Station.audit(ledger)
        }
        await expectRefused(.ledgerUnavailable, exit: 9) { () throws(TapcardError) in
            try await Station.attempts(of: nil, in: ledger)
        }
    }
}

extension Station {
    /// All lines of a history.
    static func lines(
        of card: CardUID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [HistoryLine] {
        try await History.whole(of: card, in: ledger) { history throws(LedgerError) in
            var lines: [HistoryLine] = []
            while let line = try history.nextLine() { lines.append(line) }
            return lines
        }
    }

    fileprivate static func attempts(
        of card: CardUID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [ActivationAttempt] {
        try await History.whole(of: card, in: ledger) { history throws(LedgerError) in
            var attempts: [ActivationAttempt] = []
            while let attempt = try history.nextAttempt() { attempts.append(attempt) }
            return attempts
        }
    }
}
