import BlockingLane
import FaultyWorld
import Ledger
import TapcardCore
import TapcardDomain

// What people play with their cards. In this town every ticket wins, and all the same.
extension Town {
    static let ticketPrice: Int64 = 300
    private static let prize: Int64 = 1_250

    static var game: MastermindGame? {
        MastermindGameID("0123456789abcdef0123456789abcdef").map {
            MastermindGame(id: $0, slots: 4)
        }
    }

    /// Claims the prizes of a card's tickets, and again undisturbed after a disturbance: each prize
    /// is booked once, however often it is tried.
    mutating func claimPrizes(_ index: Int, _ hold: Hold) async throws(Broken) {
        let uid = uid(index)
        guard let account = books.accounts[uid], account.standing == .active,
            account.claims.isEmpty, bodies[index].marks.isEmpty
        else { return }
        if hold == .disturbed {
            let said = try await play(index, "claim prizes", hold, claiming)
            note(said == nil ? "prizes: the process died" : "prizes: disturbed")
            if case .failure(let error) = said, Town.blames(error) {
                throw broken("I7: an honest card is \(error.kind.word)")
            }
        }
        let said = try await play(index, "claim prizes", .calm, claiming)
        switch said {
        case .success(let receipt):
            let amounts = receipt.prizes.map(\.receipt.amount.minorUnits)
            guard amounts == amounts.map({ _ in Town.prize }), receipt.problem == nil,
                receipt.prizes.count == account.tickets
            else { throw broken("\(account.tickets) tickets have won \(amounts)") }
            books.claimed(receipt.prizes.count, of: Town.prize, on: uid)
            note(receipt.isReplayed ? "prizes: booked before" : "prizes: booked")
            guard receipt.balance.minorUnits == books.accounts[uid]?.balance else {
                throw broken("the receipt says \(receipt.balance), people count otherwise")
            }
        case .failure(let error) where error.kind == .refusal(.nothingWon) && account.tickets == 0:
            note("prizes: nothing won")
        case .failure(let error): throw broken("claiming prizes ended so: \(error)")
        case nil: throw broken("an undisturbed tap killed the process")
        }
        try await expectResolved(index)
    }

    private var claiming: Ask<PrizeReceipt> {
        { station, scene throws(TapcardError) in
            guard let id = DrawID("draw-1"), let date = CalendarDate("2026-11-21"),
                let balls = Balls(stored: [1, 2, 3, 4, 5, 6], bonus: 7),
                let drawn = try? DrawList([Draw(id: id, date: date, balls: balls, topPrize: 1)]),
                let prizes = try? PrizeTable(
                    parsing: (0...6).map { "\($0)=12.50" }.joined(separator: " "), .usd)
            else { preconditionFailure("the names and the table are good ones") }
            return try await station.claimTickets(
                drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
        }
    }

    /// Learns from the till whether a code was activated by any attempt.
    mutating func learnActivation(
        _ claim: Books.Claim, _ index: Int, of uid: CardUID
    ) async throws(Broken) {
        let ask: Ask<Bool> = { station, _ throws(TapcardError) in
            do throws(LedgerError) {
                return try await station.ledger.read { rows throws(LedgerError) in
                    guard let scratch = try rows.card(uid)?.scratch, let code = scratch.code else {
                        return false
                    }
                    let attempt = try rows.activation(of: code)
                    return scratch == .activated(code) || attempt?.state == .active
                }
            } catch {
                throw TapcardError(error)
            }
        }
        let said = try await play(index, "whether \(words(claim)) was done", .away, ask)
        switch said {
        case .success(true): books.happened(claim, on: uid)
        case .success(false): books.didNotHappen(claim, on: uid)
        case .failure, nil: throw broken("nobody can say what became of \(words(claim))")
        }
        note("claims resolved")
    }
}
