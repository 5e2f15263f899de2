import TapcardCore
import TapcardDomain

/// The people's view: cash into and out of the drawer, and what they were told at the till. It is
/// kept without looking into the ledger, and compared with it.
struct Books: Sendable {
    /// A request without an answer: it happened, or it did not.
    struct Claim: Sendable, Hashable {
        enum Kind: String, Sendable {
            case pay, add, refund, scratch, activate, close, ticket, game

            /// Whether it takes money off the card, and is undone if the card did not follow.
            var takesMoney: Bool { self == .pay || self == .ticket || self == .close }
        }

        let kind: Kind
        /// The request's id; a refund's is that of the payment.
        let id: OperationID
        let amount: Int64
    }

    struct Payment: Sendable { let id: OperationID, amount: Int64 }

    enum Standing: Sendable { case active, blocked, closed, replaced }
    enum Scratch: Sendable { case none, unscratched, scratched, activated }

    /// What the holder of a card was told.
    struct Account: Sendable {
        var balance: Int64
        var standing = Standing.active
        var scratch = Scratch.unscratched
        /// The requests of unknown outcome, oldest first.
        var claims: [Claim] = []
        var refundable: [Payment] = []
        var tickets = 0
        /// How many of the tickets have brought their prize.
        var prizes = 0
        var hasGame = false

        /// Whether people were told that it is closed, or have requested that without an answer.
        var mayBeClosed: Bool { standing == .closed || claims.contains { $0.kind == .close } }

        /// The least that can be on it while requests are unknown.
        private var least: Int64 {
            if mayBeClosed { return 0 }
            return claims.reduce(balance) { $0 - ($1.kind.takesMoney ? $1.amount : 0) }
        }

        /// Whether this error explains a refusal of the request.
        func explains(_ kind: TapcardError.Kind, of claim: Claim) -> Bool {
            var before = self
            before.claims.removeAll { $0 == claim }
            switch kind {
            case .refusal(.insufficientBalance): return before.least < claim.amount
            case .refusal(.cardBlocked): return standing == .blocked || standing == .replaced
            case .refusal(.cardClosed): return before.mayBeClosed
            case .refusal(.wrongState):
                return scratch != (claim.kind == .scratch ? .unscratched : .scratched)
                    || before.claims.contains { $0.kind == .scratch || $0.kind == .activate }
            default: return false
            }
        }
    }

    var accounts: [CardUID: Account] = [:]
    /// Cash in the drawer, including that for a top-up of unknown outcome.
    var drawer: Int64 = 0
    var takings: Int64 = 0
    var adopted: Int64 = 0
    var reissued: Int64 = 0
    var prizes: Int64 = 0

    /// Somebody comes with cash or a request.
    mutating func begin(_ claim: Claim, on uid: CardUID) {
        if claim.kind == .add { drawer += claim.amount }
        accounts[uid]?.claims.append(claim)
    }

    /// The request is known to have happened; the receipt tells what was paid out.
    mutating func happened(_ claim: Claim, on uid: CardUID) {
        guard var account = accounts[uid] else { return }
        account.claims.removeAll { $0 == claim }
        switch claim.kind {
        case .pay:
            account.balance -= claim.amount
            takings += claim.amount
            account.refundable.append(Payment(id: claim.id, amount: claim.amount))
        case .ticket:
            account.balance -= claim.amount
            takings += claim.amount
            account.tickets += 1
        case .game: account.hasGame = true
        case .add: account.balance += claim.amount
        case .refund:
            account.balance += claim.amount
            takings -= claim.amount
            account.refundable.removeAll { $0.id == claim.id }
        case .scratch: account.scratch = .scratched
        case .activate: account.scratch = .activated
        case .close:
            drawer -= account.balance
            account.balance = 0
            account.standing = .closed
            account.hasGame = false
        }
        accounts[uid] = account
    }

    /// This many tickets of a card have brought their prize by now.
    mutating func claimed(_ count: Int, of prize: Int64, on uid: CardUID) {
        guard var account = accounts[uid] else { return }
        let amount = Int64(count - account.prizes) * prize
        account.prizes = count
        account.balance += amount
        prizes += amount
        accounts[uid] = account
    }

    /// The request is known not to have happened, so cash goes back.
    mutating func didNotHappen(_ claim: Claim, on uid: CardUID) {
        if claim.kind == .add { drawer -= claim.amount }
        accounts[uid]?.claims.removeAll { $0 == claim }
    }

    /// A card was made; an earlier account of the chip is closed against "reissued".
    mutating func made(_ uid: CardUID, _ balance: Int64, _ scratch: Scratch) {
        if let old = accounts[uid] { reissued += old.balance }
        accounts[uid] = Account(balance: balance, scratch: scratch)
    }

    /// A lost card's balance has moved.
    mutating func replaced(_ lost: CardUID, by uid: CardUID) {
        guard let old = accounts[lost] else { return }
        made(uid, old.balance, old.scratch)
        accounts[uid]?.refundable = old.refundable
        accounts[uid]?.tickets = old.tickets
        accounts[uid]?.prizes = old.prizes
        accounts[uid]?.hasGame = old.hasGame
        accounts[lost]?.balance = 0
        accounts[lost]?.standing = .replaced
        accounts[lost]?.refundable = []
    }
}
