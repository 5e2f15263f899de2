import BlockingLane
import FaultyWorld
import Ledger
import TapcardCore
import TapcardDomain

// People who come to the till with a card.
extension Town {
    /// The holder of this sticker does something with it.
    mutating func visit(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard let account = books.accounts[uid] else { return try await firstVisit(index) }
        let hold: Hold = chance.percent(40) ? .disturbed : .calm
        if let claim = account.claims.last, chance.percent(50) {
            note("same request again")
            if chance.percent(15) { try await mistake(claim, index) }
            return try await ask(claim, index, hold)
        }
        let wish = chance.pick(weighted: [
            (45, Wish.pay), (20, .add), (14, .read), (5, .scratch), (5, .activate), (7, .refund),
            (2, .close), (3, .reissue), (4, .protect), (12, .ticket), (6, .prizes), (4, .game),
        ])
        let amount = Int64(chance.below(1_500) + 1)
        switch wish {
        case .pay: try await ask(claim(.pay, amount), index, hold)
        case .add: try await ask(claim(.add, amount), index, hold)
        case .scratch: try await ask(claim(.scratch, 0), index, hold)
        case .activate: try await ask(claim(.activate, 0), index, hold)
        case .close: try await ask(claim(.close, 0), index, hold)
        case .ticket: try await ask(claim(.ticket, Town.ticketPrice), index, hold)
        case .game: try await ask(claim(.game, 0), index, hold)
        case .prizes: try await claimPrizes(index, hold)
        case .refund:
            guard !account.refundable.isEmpty else { return }
            let payment = chance.pick(account.refundable)
            let isAsked = account.claims.contains { $0.id == payment.id && $0.kind == .refund }
            guard !isAsked else { return }
            let part = chance.percent(40) ? Int64(chance.below(Int(payment.amount))) + 1 : nil
            try await ask(
                Books.Claim(kind: .refund, id: payment.id, amount: part ?? payment.amount), index,
                hold)
        case .read:
            if hold == .calm { try await calmRead(index) } else { try await read(index) }
        case .protect: try await switchProtection(index)
        case .reissue:
            try await calmRead(index)
            guard books.accounts[uid]?.standing != .blocked else { return }
            try await make(index, demo: chance.percent(20), isAnew: true)
        }
    }

    private enum Wish {
        case pay, add, read, scratch, activate, refund, close, reissue, protect, ticket, prizes,
            game
    }

    private func claim(_ kind: Books.Claim.Kind, _ amount: Int64) -> Books.Claim {
        Books.Claim(kind: kind, id: newID(), amount: amount)
    }

    func newID() -> OperationID {
        guard let id = OperationID(random: chance.bytes(16)) else {
            preconditionFailure("sixteen bytes are an id")
        }
        return id
    }

    /// Makes one request, new or repeated, and takes its answer into the books.
    mutating func ask(
        _ claim: Books.Claim, _ index: Int, _ hold: Hold
    ) async throws(Broken) {
        let uid = uid(index)
        let isNew = books.accounts[uid]?.claims.contains(claim) != true
        if isNew { books.begin(claim, on: uid) }
        let before = tables.operations
        let state = operation(of: claim)?.state
        let said = try await play(index, words(claim), hold, request(claim))
        let isEarlier = try expectTruth(of: said, claim, before)
        switch said {
        case nil: note("answers: none, the process died")
        case .success(let receipt):
            note("answers: \(claim.kind.rawValue) done" + (receipt.isReplayed ? ", replayed" : ""))
            if !receipt.isReplayed { try expectAcceptable() }
            if !isEarlier { try expectRow(of: claim, receipt, state) }
            // What was open may be finished there, but what takes money off the card is not.
            let mayBeDone =
                state == .committed || (state == .pending && !claim.kind.takesMoney) || isEarlier
            if !mayBeDone, let standing = books.accounts[uid]?.standing, standing != .active {
                throw broken("\(words(claim)) was done on a card that is \(standing)")
            }
            try await learn(index, but: claim)
            books.happened(claim, on: uid)
            if !receipt.isReplayed, books.accounts[uid]?.claims.isEmpty == true,
                receipt.balance.minorUnits != books.accounts[uid]?.balance
            {
                throw broken("the receipt says \(receipt.balance), people count otherwise")
            }
            if hold == .calm, !receipt.isReplayed {
                try await expectResolved(index)
                forgive(index)
            }
        case .failure(let error): try await wasRefused(error, claim, index, hold, isNew: isNew)
        }
    }

    /// I6, and whether an activation came from an earlier attempt under another id.
    private mutating func expectTruth(
        of said: Result<Receipt, TapcardError>?, _ claim: Books.Claim,
        _ before: [OperationID: Ledger.Operation]
    ) throws(Broken) -> Bool {
        if claim.kind == .activate, case .success(let receipt) = said,
            receipt.operation.id != claim.id
        {
            let id = receipt.operation.id
            guard tables.activations.contains(where: { $0.id == id && $0.state == .active }) else {
                throw broken("I9: an activation came of no attempt")
            }
            try expectTruth(said, words(claim), before[id]?.state, tables.operations[id]?.state)
            note("activations of an earlier attempt")
            return true
        }
        let state = operation(of: claim, in: before)?.state
        try expectTruth(said, words(claim), state, operation(of: claim)?.state)
        return false
    }

    /// A receipt matches the ledger's row, replayed or not.
    private func expectRow(
        of claim: Books.Claim, _ receipt: Receipt, _ was: Ledger.Operation.State?
    ) throws(Broken) {
        guard let row = operation(of: claim) else { throw broken("\(words(claim)) has no row") }
        guard receipt.amount == row.change(in: .usd),
            receipt.balance.minorUnits == row.balanceAfter
        else {
            throw broken(
                "the receipt says \(receipt.amount) and \(receipt.balance), the ledger "
                    + "\(row.change(in: .usd)) and \(row.balanceAfter ?? 0) cents")
        }
        if claim.kind != .close, abs(receipt.amount.minorUnits) != claim.amount {
            throw broken("\(words(claim)) came to \(receipt.amount)")
        }
        if (was == .committed && !receipt.isReplayed) || (was == nil && receipt.isReplayed) {
            throw broken("\(words(claim)) is said to be \(receipt.isReplayed ? "old" : "new")")
        }
    }

    /// A read shows what people expect, unless it says why it cannot.
    private func expectShown(_ summary: CardSummary, _ index: Int) throws(Broken) {
        let balance = books.accounts[uid(index)]?.balance
        guard summary.problem != nil || summary.balance?.minorUnits == balance else {
            throw broken("\(summary.balance?.minorUnits ?? 0) cents are shown")
        }
    }

    /// Somebody types another amount under the same id.
    private mutating func mistake(_ claim: Books.Claim, _ index: Int) async throws(Broken) {
        guard claim.kind == .pay || claim.kind == .add, let row = operation(of: claim) else {
            return
        }
        let wrong = Books.Claim(kind: claim.kind, id: claim.id, amount: claim.amount + 1)
        let said = try await play(index, "\(words(wrong)) by mistake", .calm, request(wrong))
        guard case .failure(let error) = said, error.kind == .operationMismatch,
            operation(of: claim) == row
        else { throw broken("an id was used twice: \(Town.words(said))") }
        note("answers: operation-mismatch")
    }

    /// A claim's request to a station.
    func request(_ claim: Books.Claim) -> Ask<Receipt> {
        let amount = Money(minorUnits: claim.amount, .usd)
        let mood = chance.pick(PlayedService.Mood.allCases)
        let active = active
        return { station, scene throws(TapcardError) in
            switch claim.kind {
            case .pay: try await station.pay(amount, id: claim.id)
            case .add: try await station.add(amount, id: claim.id)
            case .refund: try await station.refund(claim.id, amount)
            case .scratch: try await station.scratch(id: claim.id)
            case .close: try await station.close(id: claim.id)
            case .ticket: try await station.buyTicket(id: claim.id).receipt
            case .game: try await station.saveGame(Town.game, id: claim.id)
            case .activate:
                try await station.activate(
                    id: claim.id,
                    through: PlayedService(scene: scene, mood: mood, active: active))
            }
        }
    }

    func words(_ claim: Books.Claim) -> String {
        "\(claim.kind.rawValue) \(claim.amount) (\(String("\(claim.id)".prefix(8))))"
    }

    /// The ledger's row of a claim, used to check an answer and never to learn what happened.
    private func operation(
        of claim: Books.Claim, in rows: [OperationID: Ledger.Operation]? = nil
    ) -> Ledger.Operation? {
        let rows = rows ?? tables.operations
        if claim.kind == .refund { return rows.values.first { $0.reverses == claim.id } }
        // Who has asked about an attempt that was open is told what came of that one.
        guard case .attempt(let attempt) = rows[claim.id]?.subject else { return rows[claim.id] }
        return rows[attempt]
    }

    private mutating func wasRefused(
        _ error: TapcardError, _ claim: Books.Claim, _ index: Int, _ hold: Hold, isNew: Bool
    ) async throws(Broken) {
        let uid = uid(index)
        note("answers: \(error.kind.word)")
        if Town.blames(error) {
            // What became of the request is asked once the card is good again.
            return try await wasAccused(error.kind, index)
        }
        if error.kind == .outcomeUnknown || error.kind == .ledgerUnavailable {
            guard isExplained(error.kind, index) else {
                throw broken("nothing went wrong, and yet: \(error)")
            }
            return
        }
        books.didNotHappen(claim, on: uid)
        // An undisturbed tap has resolved what was open: then it is known what the card had.
        let isOfAccount: Bool =
            switch error.kind {
            case .refusal(.insufficientBalance), .refusal(.cardClosed), .refusal(.wrongState): true
            default: false
            }
        if hold == .calm, isOfAccount { try await learn(index) }
        guard let account = books.accounts[uid] else { return }
        let isRight =
            switch error.kind {
            case .activationRefused, .service(.offline): claim.kind == .activate
            case .operationVoided: !isNew
            default: account.explains(error.kind, of: claim) || isExplained(error.kind, index)
            }
        if !isRight { throw broken("\(words(claim)) ended so: \(error)") }
    }

    /// Whether the card's status is the reason for this error.
    static func isOfStanding(_ kind: TapcardError.Kind) -> Bool {
        kind == .refusal(.cardBlocked) || kind == .refusal(.cardClosed)
    }

    /// Learns the outcome of unknown requests from the till, without the card.
    ///
    /// If the card is gone for good, open requests stay open: booked or not when they were begun.
    mutating func learn(
        _ index: Int, of owner: CardUID? = nil, but known: Books.Claim? = nil, isGone: Bool = false
    ) async throws(Broken) {
        let uid = owner ?? uid(index)
        for claim in books.accounts[uid]?.claims ?? [] where claim != known {
            if claim.kind == .activate {
                try await learnActivation(claim, index, of: uid)
                continue
            }
            let said = try await play(
                index, "what became of \(words(claim))", .away, request(claim))
            switch said {
            case .success: books.happened(claim, on: uid)
            case .failure(let error):
                switch error.kind {
                case .operationVoided, .noCard, .refusal(.notRefundable):
                    books.didNotHappen(claim, on: uid)
                case .outcomeUnknown where isGone && claim.kind.takesMoney:
                    books.didNotHappen(claim, on: uid)
                case .outcomeUnknown where isGone: books.happened(claim, on: uid)
                default: throw broken("nobody can say what became of \(words(claim)): \(error)")
                }
            case nil: throw broken("a question killed the process")
            }
            note("claims resolved")
        }
    }

    /// Somebody reads their card, and something may go wrong.
    private mutating func read(_ index: Int) async throws(Broken) {
        let said = try await play(index, "read", .disturbed) { station, _ throws(TapcardError) in
            try await station.read()
        }
        switch said {
        case .success(let summary):
            guard let problem = summary.problem, problem.kind != .refusal(.cardClosed) else {
                return
            }
            try await wasAccused(problem.kind, index)
        case .failure(let error) where Town.blames(error):
            try await wasAccused(error.kind, index)
        case .failure(let error):
            guard
                error.kind == .refusal(.cardClosed) && mayBeClosed(index)
                    || isExplained(error.kind, index)
            else {
                throw broken("a look at a card ended so: \(error)")
            }
        case nil: return
        }
    }

    /// Whether people were told that the card is closed, or have requested that without an answer.
    private func mayBeClosed(_ index: Int) -> Bool {
        books.accounts[uid(index)]?.mayBeClosed ?? false
    }

    /// Reads a card undisturbed, after which nothing is open and nothing unknown.
    mutating func calmRead(_ index: Int) async throws(Broken) {
        let said = try await play(index, "read", .calm) { station, _ throws(TapcardError) in
            try await station.read()
        }
        switch said {
        case .success(let summary):
            if summary.ledger == .unknown {
                return try await wasAccused(.refusal(.cardUnknown), index)
            }
            if let problem = summary.problem, problem.kind != .refusal(.cardClosed) {
                return try await wasAccused(problem.kind, index)
            }
            try expectAcceptable()
            try await learn(index)
            try await expectResolved(index)
            try expectShown(summary, index)
            forgive(index)
        case .failure(let error):
            // Its records are gone, and there is nothing left to lose.
            if error.kind == .refusal(.cardClosed), mayBeClosed(index) {
                try await learn(index)
                guard books.accounts[uid(index)]?.standing == .closed else {
                    throw broken("a card is closed, and nobody was told")
                }
                return
            }
            if error.kind == .blankTag || error.kind == .notACard,
                books.accounts[uid(index)] == nil
            {
                return throwAway(index)
            }
            try await wasAccused(error.kind, index)
        case nil: throw broken("an undisturbed tap killed the process")
        }
    }
}
