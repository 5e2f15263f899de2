import Cards
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("Lottery tickets")
struct TicketTests {
    @Test(
        "A ticket is paid from the card and shown on it", arguments: [Type2Chip.ntag215, .ntag216])
    func bought(chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let bought = try await world.buy(2)
        #expect(bought.receipt.amount == World.usd(-200) && !bought.receipt.isReplayed)
        #expect(bought.receipt.balance == World.usd(800))
        #expect(bought.ticket.draw == DrawID("draw-1"))
        #expect(bought.ticket.id.text.utf8.count == "ticket-".utf8.count + 12)
        #expect(try await world.tag().content.face?.ticket == bought.ticket)
        let summary = try await world.station.read()
        #expect(summary.ticket == bought.ticket && summary.display == .current)
        let checked = try await world.station.checkTickets()
        #expect(checked.tickets.map(\.ticket) == [bought.ticket])
        #expect(checked.tickets[0].price == World.usd(200) && checked.tickets[0].claim == nil)
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("All winning tickets of a card are credited once by one request")
    func won() async throws {
        let world = try await World.withCard(.ntag215)
        let tickets = [try await world.buy(2), try await world.buy(3), try await world.buy(4)]
        let drawn = try DrawList([try world.draw(like: tickets[0].ticket, top: 5)])
        let prizes = try PrizeTable(parsing: "6=top 0=1 1=1 2=1 3=1 4=1 5=1", .usd)
        let receipt = try await world.station.claimTickets(
            drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
        #expect(receipt.prizes.map(\.ticket.ticket) == tickets.reversed().map(\.ticket))
        #expect(receipt.prizes.map(\.receipt.amount) == [100, 100, 500].map(World.usd))
        #expect(receipt.balance == World.usd(1_100) && !receipt.isReplayed)
        #expect(try await world.balance() == 1_100)
        let again = try await world.station.claimTickets(
            drawn: drawn, prizes: prizes, topPrizeUnit: .minor)
        #expect(again.isReplayed && again.balance == World.usd(1_100))
        #expect(again.prizes.map(\.receipt.amount) == [100, 100, 500].map(World.usd))
        #expect(try await world.balance() == 1_100)
        let claims = try await world.station.checkTickets().tickets.map(\.claim?.prize)
        #expect(claims == [100, 100, 500].map(World.usd))
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A ticket claimed by its name is credited once, even if its draw is no longer listed")
    func named() async throws {
        let world = try await World.withCard(.ntag215)
        let bought = try await world.buy(2)
        let drawn = try DrawList([try world.draw(like: bought.ticket, top: 5)])
        let prizes = try PrizeTable(parsing: "6=top", .usd)
        _ = try await world.station.claimTickets(
            drawn: drawn, prizes: prizes, topPrizeUnit: .whole, naming: bought.ticket.id)
        // A draw that the lottery has left out since makes no booked prize undone.
        for name in [bought.ticket.id, nil] {
            let again = try await world.station.claimTickets(
                drawn: try DrawList([]), prizes: prizes, topPrizeUnit: .whole, naming: name)
            #expect(again.isReplayed && again.prizes.map(\.draw) == [nil])
        }
    }

    @Test("A ticket and its prize go along to the card that replaces a lost one")
    func replaced() async throws {
        let world = try await World.withCard(.ntag215)
        let bought = try await world.buy(2)
        let lost = try await world.uid()
        try await world.put(try World.otherTag(.ntag215))
        _ = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        let checked = try await world.station.checkTickets()
        #expect(checked.tickets.map(\.boughtWith) == [lost])
        #expect(checked.card.ticket == bought.ticket)
        #expect(
            try await CardTicket.tickets(of: checked.card.uid, in: world.ledger) == checked.tickets)
        let drawn = try DrawList([try world.draw(like: bought.ticket, top: 5)])
        let receipt = try await world.station.claimTickets(
            drawn: drawn, prizes: try PrizeTable(parsing: "6=top", .usd), topPrizeUnit: .whole)
        #expect(receipt.balance == World.usd(1_300))
    }

    @Test("A prize too large for the card remains to be claimed, and the others are booked")
    func tooMuch() async throws {
        let world = try await World.withCard(.ntag215)
        let small = try await world.buy(2)
        let large = try await world.buy(3, draw: "draw-2")
        let drawn = try DrawList([
            try world.draw(like: small.ticket, top: 5),
            try world.draw(like: large.ticket, top: 1_000_000),
        ])
        let prizes = try PrizeTable(parsing: "6=top", .usd)
        let receipt = try await world.station.claimTickets(
            drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
        #expect(receipt.prizes.map(\.ticket.ticket) == [small.ticket])
        #expect(receipt.problem?.kind == .refusal(.limitExceeded))
        #expect(
            receipt.problem?.next
                == [.lottery(.payOutPrizeInCash(large.ticket.id, exceedsEveryCard: true))])
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A ticket with an empty prize wins nothing and does not hold up an older winner")
    func nothingForAll() async throws {
        let world = try await World.withCard(.ntag215)
        let older = try await world.buy(2)
        let newer = try await world.buy(3, draw: "draw-2")
        let drawn = try DrawList([
            try world.draw(like: older.ticket, top: 5), try world.draw(like: newer.ticket, top: 0),
        ])
        let prizes = try PrizeTable(parsing: "6=top", .usd)
        let receipt = try await world.station.claimTickets(
            drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
        #expect(receipt.prizes.map(\.ticket.ticket) == [older.ticket] && receipt.problem == nil)
        #expect(receipt.balance == World.usd(1_100))
        await expectRefused(.refusal(.nothingWon), exit: 4) { () throws(TapcardError) in
            try await world.station.claimTickets(
                drawn: drawn, prizes: prizes, topPrizeUnit: .whole, naming: newer.ticket.id)
        }
    }

    @Test("A ticket that another station claims first does not hold up an older winner")
    func claimedMeanwhile() async throws {
        let world = try await World.withCard(.ntag215)
        let older = try await world.buy(2)
        let newer = try await world.buy(3, draw: "draw-2")
        let drawn = try DrawList([
            try world.draw(like: older.ticket, top: 5), try world.draw(like: newer.ticket, top: 5),
        ])
        let prizes = try PrizeTable(parsing: "6=top", .usd)
        let others = try DrawList([try world.draw(like: newer.ticket, top: 7)])
        let interlude = Disturbance(before: 1, of: .commits) {
            _ = try? await world.station.claimTickets(
                drawn: others, prizes: prizes, topPrizeUnit: .whole)
            _ = try? await world.reader.select(within: .zero)
        }
        let ledger = interlude.ledger(world.ledger)
        let receipt = try await world.station(ledger: ledger).claimTickets(
            drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
        #expect(interlude.hasCome && receipt.problem == nil)
        #expect(receipt.prizes.map(\.ticket.ticket) == [newer.ticket, older.ticket])
        #expect(receipt.prizes.map(\.receipt.isReplayed) == [true, false])
        #expect(receipt.prizes.map(\.prize) == [World.usd(700), World.usd(500)])
        #expect(try await world.balance() == 1_000 - 400 + 700 + 500)
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A ticket that can no longer be claimed is reported by the closing of its card")
    func givenUp() async throws {
        let world = try await World.withCard(.ntag215)
        let bought = try await world.buy(2)
        let open = try await world.buy(3, draw: "draw-2")
        let drawn = try DrawList([try world.draw(like: bought.ticket, top: 5)])
        _ = try await world.station.claimTickets(
            drawn: drawn, prizes: try PrizeTable(parsing: "6=top", .usd), topPrizeUnit: .whole)
        #expect(
            try await world.station.checkTickets().tickets.map(\.canBeClaimed) == [true, false])
        let uid = try await world.uid()
        try await world.change(uid, .block)
        #expect(!(try await CardTicket.tickets(of: uid, in: world.ledger)[0].canBeClaimed))
        try await world.change(uid, .unblock)
        for _ in 1...2 {
            let closed = try await world.station.close(id: World.id(4))
            #expect(closed.ticketsGivenUp == [open.ticket])
        }
        #expect(!(try await CardTicket.tickets(of: uid, in: world.ledger)[0].canBeClaimed))
    }

    @Test("A ticket from before a reissue is reported as given up by the reissue")
    func reissued() async throws {
        let world = try await World.withCard(.ntag215)
        _ = try await world.buy(2)
        let request = try CardRequest.demo(in: .usd, mayReissue: true)
        #expect(try await world.station.make(request, id: World.id(3)).ticketsGivenUp.count == 1)
        #expect(try await world.station.make(request, id: World.id(3)).ticketsGivenUp.count == 1)
        #expect(try await world.station.make(request, id: World.id(4)).ticketsGivenUp == [])
    }

    @Test("A ticket that was bought is not denied when the ledger fails afterwards")
    func unread() async throws {
        let world = try await World.withCard(.ntag215)
        var undenied: [Int] = []
        var step = 1
        while true {
            let kill = Disturbance(.killedBefore, at: step)
            let station = world.station(ledger: kill.ledger(world.ledger))
            let id = World.id(UInt64(100 + step))
            let said = await outcome { () throws(TapcardError) in try await station.buy(id) }
            let operation = try await world.ledger.operation(id)
            guard case .failure(let error) = said else {
                #expect(!kill.hasCome)
                break
            }
            if operation?.state == .committed {
                #expect(error.kind == .outcomeUnknown, "step \(step): \(error)")
                undenied.append(step)
            }
            _ = try await world.station.read()
            step += 1
            try #require(step < 40)
        }
        // After the commit come the note of what phones read and the question which ticket it is.
        #expect(!undenied.isEmpty && undenied.last == step - 1, "\(undenied) of \(step)")
    }
}

@Suite("A game of Mastermind on a card")
struct KeptGameTests {
    @Test(
        "A game is kept in the ledger, and on the tag if there is room", arguments: Type2Chip.known)
    func kept(chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let game = try #require(Self.game("0123456789abcdef"))
        let receipt = try await world.station.saveGame(game, id: World.id(2))
        #expect(receipt.amount == World.usd(0) && receipt.balance == World.usd(1_000))
        let found = try await world.station.savedGame()
        #expect(found.game == game && found.card.display == .current)
        #expect(
            try await world.tag().content.face?.game == (chip == .ntag213 ? nil : game.id))
        #expect(try await world.station.saveGame(game, id: World.id(2)).isReplayed)
        let other = try #require(Self.game("fedcba9876543210"))
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.saveGame(other, id: World.id(2))
        }
        _ = try await world.station.saveGame(other, id: World.id(3))
        #expect(try await world.station.read().game == other)
        _ = try await world.station.saveGame(nil, id: World.id(4))
        #expect(try await world.tag().content.face?.game == nil)
        #expect(try await world.station.savedGame().game == nil)
        #expect(try await world.ledger.audit().violations == [])
    }

    private static func game(_ half: String) -> MastermindGame? {
        MastermindGameID(half + half).map { MastermindGame(id: $0, slots: 5) }
    }
}
