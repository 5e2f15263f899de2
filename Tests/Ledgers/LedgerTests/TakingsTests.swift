import Ledger
import LedgerConformance
import TapcardDomain
import Testing

@Suite("Takings") struct TakingsTests {
    private func takings(_ operations: [(Operation.Kind, Int64, Operation.State)]) -> Takings {
        var takings = Takings()
        for (index, (kind, amount, state)) in operations.enumerated() {
            takings.count(
                Operation(
                    id: .numbered(index + 1), uid: .first, kind: kind, amount: amount,
                    beganAt: .tick(1), state: state))
        }
        return takings
    }

    @Test("Takings sum what cards paid and what went through the drawer")
    func areWhatCardsPaidAndWhatWentThroughTheDrawer() {
        let sum = takings([
            (.issue, 1000, .committed), (.issue, 0, .committed), (.add, 500, .committed),
            (.pay, 300, .committed), (.ticket, 200, .committed), (.refund, 100, .committed),
            (.close, 700, .committed), (.payout, 50, .committed),
        ])
        #expect(sum.paid == 400 && sum.added == 1500 && sum.paidOut == 750)
        #expect(sum.payments == 2 && sum.topUps == 2 && sum.payouts == 2)
        #expect(sum.drawer == 750)
    }

    @Test(
        "A fully refunded payment or fully reversed top-up is not counted",
        arguments: [(Operation.Kind.pay, Operation.Kind.refund), (.add, .reverse)],
        [(300, 0), (200, 1)] as [(Int64, Int)])
    func undone(_ kinds: (Operation.Kind, Operation.Kind), _ back: (amount: Int64, left: Int)) {
        let done = Operation(
            id: .numbered(1), uid: .first, kind: kinds.0, amount: 300, beganAt: .tick(1),
            state: .committed)
        let undone = Operation(
            id: .numbered(2), uid: .first, kind: kinds.1, amount: back.amount,
            reverses: done.id, beganAt: .tick(2), state: .committed)
        // The entries of a period come in any order.
        for operations in [[done, undone], [undone, done]] {
            var takings = Takings()
            for operation in operations { takings.count(operation) }
            #expect(takings.payments + takings.topUps == back.left)
            #expect(takings.paid + takings.added == 300 - back.amount)
        }
    }

    @Test("Open top-ups, issues and refunds count, and open payments and closings do not")
    func countWhatIsOpenOnlyWhereItHasHappened() {
        #expect(
            takings([(.pay, 300, .pending), (.ticket, 1, .pending), (.close, 1, .pending)])
                == Takings())
        #expect(
            takings([(.pay, 300, .voided), (.ticket, 1, .voided), (.close, 1, .voided)])
                == Takings())
        let sum = takings([(.add, 5, .pending), (.issue, 6, .pending), (.refund, 2, .pending)])
        #expect(sum.added == 11 && sum.paid == -2)
    }

    @Test(
        "An operation that moves no cash and is no payment leaves the takings unchanged",
        arguments: [
            Operation.Kind.adopt, .replace, .claim, .scratch, .activate, .ask, .game, .reseal,
            .protect, .unprotect, .block, .unblock, .forget,
        ])
    func knowNothingOfWhatNoCoinMovesFor(_ kind: Operation.Kind) {
        #expect(takings([(kind, 100, .committed)]) == Takings())
    }
}
