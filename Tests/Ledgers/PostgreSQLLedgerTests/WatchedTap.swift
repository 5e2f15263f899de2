import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import Testing

/// A payment of one cent at one station, which reads the card, begins and confirms while something
/// happens to the link.
struct WatchedTap {
    /// The station's answer about a payment that had begun, or about its beginning.
    enum Told {
        case paid
        /// It may have happened.
        case unknown(isBegun: Bool)
        case notDone(isBegun: Bool, LedgerError)

        init(_ error: LedgerError, isBegun: Bool) {
            self =
                error.kind == .outcomeUnknown
                ? .unknown(isBegun: isBegun) : .notDone(isBegun: isBegun, error)
        }
    }

    /// How often each was told, and whether it had happened.
    struct Count: CustomStringConvertible {
        var (paid, refused, there, notThere) = (0, 0, 0, 0)

        var description: String {
            "told paid: \(paid), not done: \(refused), unknown: \(there + notThere), of which "
                + "\(there) had been carried out and \(notThere) had not"
        }
    }

    let id: Int

    func pay(at station: PostgreSQLLedger) async -> Told {
        let open: OpenOperation
        do throws(LedgerError) {
            let current = try await station.knownCard(of: .first)
            let request = Request(
                id: .numbered(id), uid: .first, action: .pay(.cents(1)), at: .tick(id))
            let beginning = try await station.begin(
                request, version: current.map(CardVersion.init), sealer: .hashing(key: 1))
            guard case .begun(let begun) = beginning else {
                return Told(LedgerError(.corrupt, "\(beginning)"), isBegun: false)
            }
            open = begun
        } catch {
            return Told(error, isBegun: false)
        }
        do throws(LedgerError) {
            guard case .committed = try await station.confirm(open, at: .end) else {
                return Told(LedgerError(.corrupt, "it was not confirmed"), isBegun: true)
            }
            return .paid
        } catch {
            return Told(error, isBegun: true)
        }
    }

    /// Expects that the answer is true and that the next station can resolve the payment. `before`
    /// is the balance before it.
    func judge(
        _ told: Told, on ledger: PostgreSQLLedger, before: Int64, _ count: inout Count,
        _ what: String
    ) async throws {
        let known = try await ledger.operation(.numbered(id))
        let comment: Comment =
            "\(what): told \(told), and it is \(known?.state.rawValue ?? "not there")"
        switch told {
        case .paid:
            count.paid += 1
            #expect(known?.state == .committed, comment)
        case .unknown(let isBegun):
            let isThere = isBegun ? known?.state == .committed : known != nil
            if isThere { count.there += 1 } else { count.notThere += 1 }
            #expect(!isBegun || known != nil, comment)
        case .notDone(let isBegun, let error):
            count.refused += 1
            #expect([.unavailable, .offline].contains(error.kind), comment)
            #expect(known?.state == (isBegun ? .pending : nil), comment)
        }
        let till = LedgerTill(ledger)
        let current = try await till.knownCard()
        if let open = current.open {
            let resolution = try await ledger.resume(
                open, version: CardVersion(current), tagHolds: current.card.confirmed,
                sealer: till.sealer,
                at: .end)
            guard case .open(let resumed) = resolution else {
                throw Failure(resolution: resolution)
            }
            try await till.confirm(resumed)
        }
        #expect(try await till.balance() == before - (known == nil ? 0 : 1), comment)
    }

    private struct Failure: Error { let resolution: Resolution }
}
