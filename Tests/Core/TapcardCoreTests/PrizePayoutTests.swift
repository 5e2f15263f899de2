import BlockingLane
import FaultyWorld
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("Cash payouts of prizes")
struct PrizePayoutTests {
    /// A card with 8.00 and a ticket that has won this much.
    private struct Won {
        let world: World
        let ticket: Ticket
        let drawn: DrawList
        let prizes: PrizeTable

        init(_ top: Int64 = 1_000_000_000) async throws {
            world = try await World.withCard(.ntag215)
            ticket = try await world.buy(2).ticket
            drawn = try DrawList([try world.draw(like: ticket, top: top)])
            prizes = try PrizeTable(parsing: "6=top", .usd)
        }

        func payOut(
            at station: Station? = nil, drawn other: DrawList? = nil, id: OperationID? = nil,
            only card: CardUID? = nil
        ) async throws(TapcardError) -> PrizeReceipt {
            try await (station ?? world.station).payOutPrize(
                of: ticket.id, drawn: other ?? drawn, prizes: prizes, topPrizeUnit: .whole,
                id: id, only: card)
        }

        func claim(at station: Station? = nil) async throws(TapcardError) -> PrizeReceipt {
            try await (station ?? world.station).claimTickets(
                drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
        }

        /// Expects that no other prize is booked, and checks the balance and the audit.
        func expectBooked(
            _ kind: Ledger.Operation.Kind?, onCard: Int64 = 0,
            _ label: Comment? = nil
        ) async throws {
            let operations = try await world.ledger.read { rows throws(LedgerError) in
                try rows.operations(on: nil).filter(\.kind.recordsPrize)
            }
            #expect(operations.map(\.kind) == [kind].compactMap { $0 }, label)
            #expect(try await world.balance() == 800 + onCard, label)
            #expect(try await world.ledger.audit().violations == [], label)
        }
    }

    @Test("A cash payout leaves the card unchanged and is the only claim of its ticket")
    func paidOut() async throws {
        let won = try await Won()
        let world = won.world
        let before = try await world.tag()
        let receipt = try await won.payOut()
        #expect(receipt.prizes.map(\.prize) == [World.usd(100_000_000_000)])
        #expect(receipt.prizes.map(\.isPaidOut) == [true] && !receipt.isReplayed)
        #expect(receipt.balance == World.usd(800) && receipt.problem == nil)
        #expect(try await world.tag() == before)
        let claimed = try await won.claim()
        #expect(claimed.isReplayed && claimed.prizes.map(\.isPaidOut) == [true])
        #expect(claimed.prizes.map(\.prize) == [World.usd(100_000_000_000)])
        // A request without the id may come from another cashier: the refusal says what was booked.
        for id in [nil, World.id(70)] {
            let again = await outcome { () throws(TapcardError) in try await won.payOut(id: id) }
            guard case .failure(let error) = again else {
                Issue.record("it was said to be paid twice")
                return
            }
            #expect(error.kind == .refusal(.alreadyClaimed))
            #expect(error.operation == receipt.prizes[0].receipt.operation.id)
            #expect(error.what.contains("$1000000000.00") && error.what.contains(" UTC"))
        }
        try await won.expectBooked(.payout)
    }

    @Test("A cash payout is refused above its limit or for another card")
    func refused() async throws {
        let won = try await Won()
        let world = won.world
        let huge = try DrawList([try world.draw(like: won.ticket, top: .max)])
        await expectRefused(.refusal(.limitExceeded), exit: 4) { () throws(TapcardError) in
            try await won.payOut(drawn: huge)
        }
        let uid = try await world.uid()
        let honest = try await world.tag()
        try await world.put(try World.otherTag())
        await expectRefused(.wrongCard, exit: 4) { () throws(TapcardError) in
            try await won.payOut(only: uid)
        }
        try await world.put(honest)
        try await won.expectBooked(nil)
    }

    @Test(
        "A cash payout is refused if a claim was left open, which is finished instead",
        arguments: 1...4)
    func claimTorn(write: Int) async throws {
        let won = try await Won(5)
        try await won.world.arm(Fault(at: write, counting: .write, .torn(.mix(seed: 3))))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await won.claim()
        }
        try await won.world.putBack()
        await expectRefused(.refusal(.alreadyClaimed), exit: 4) { () throws(TapcardError) in
            try await won.payOut()
        }
        try await won.expectBooked(.claim, onCard: 500)
    }

    @Test("Two stations at once pay a prize only once, whether in cash or onto the card")
    func twoStations() async throws {
        for (isFirst, isClaimed) in [(false, true), (false, false), (true, false)] {
            for step in 1... {
                let won = try await Won(5)
                let said = Guarded<Result<PrizeReceipt, TapcardError>?>(nil)
                let interlude = Disturbance(before: step) {
                    let answer = await outcome { () throws(TapcardError) in
                        isClaimed ? try await won.claim() : try await won.payOut()
                    }
                    said.withLock { $0 = answer }
                    _ = try? await won.world.reader.select(within: .zero)
                }
                let ledger = interlude.ledger(won.world.ledger)
                let first = await outcome { () throws(TapcardError) in
                    let station = won.world.station(ledger: ledger)
                    return isFirst
                        ? try await won.claim(at: station) : try await won.payOut(at: station)
                }
                guard interlude.hasCome else {
                    #expect(step > 3, "too few steps were interrupted")
                    break
                }
                try #require(step < 30)
                // One of them has booked it; the other one has not, and says so.
                let paid = [first, said.withLock { $0 }].map { answer in
                    if case .success(let receipt)? = answer { !receipt.isReplayed } else { false }
                }
                #expect(paid.count { $0 } == 1, "step \(step): \(paid)")
                let isOnCard = isFirst && paid[0] || isClaimed && paid[1]
                try await won.expectBooked(
                    isOnCard ? .claim : .payout, onCard: isOnCard ? 500 : 0, "step \(step)")
            }
        }
    }

    @Test(
        "An uncertain cash payout tells the cashier to pay nothing, and is booked once",
        arguments: [
            (LedgerFault.answerLost, TapcardError.Kind.outcomeUnknown),
            (.requestLost, .outcomeUnknown), (.answersLost, .outcomeUnknown),
            (.down, .ledgerUnavailable),
        ])
    func unknown(_ fault: LedgerFault, _ kind: TapcardError.Kind) async throws {
        let won = try await Won()
        // The first transaction that writes is the booking.
        let ledger = fault.atCommit(1).ledger(won.world.ledger)
        let said = await outcome { () throws(TapcardError) in
            try await won.payOut(at: won.world.station(ledger: ledger), id: Self.chosen)
        }
        guard case .failure(let error) = said else {
            Issue.record("it was said to be paid")
            return
        }
        #expect(error.kind == kind && error.meaning.lowercased().contains("pay out any cash"))
        // Whether it was booked then shows now; either way it is booked once.
        let isBooked = fault == .answerLost || fault == .answersLost
        #expect(try await won.payOut(id: Self.chosen).isReplayed == isBooked)
        try await won.expectBooked(.payout)
    }

    @Test("A repeated cash payout is answered under its id without a card, but not for another")
    func repeated() async throws {
        let won = try await Won()
        let first = try await won.payOut(id: Self.chosen)
        #expect(!first.isReplayed)
        try await won.world.reader.change { $0.take() }
        let again = try await won.payOut(drawn: try DrawList([]), id: Self.chosen)
        #expect(again.isReplayed && again.prizes.map(\.prize) == first.prizes.map(\.prize))
        let other = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await won.payOut(id: Self.chosen, only: other)
        }
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await won.payOut(id: World.id(1))
        }
        try await won.expectBooked(.payout)
    }

    private static let chosen = World.id(77)
}
