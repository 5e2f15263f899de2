import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import Testing
import Thoroughness

/// A link that ends after any byte. What a station was told is so, whatever it was told.
@Suite("A cut link to PostgreSQL", .serialized) struct CutLinkTests {
    @Test(arguments: [LinkCutter.Direction.toServer, .toStation])
    func atAnyByte(_ direction: LinkCutter.Direction) async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let desk = Desk(ledger)
            try await desk.complete(.issue(50_000), id: 1)
            var (id, told) = (2, Told())
            var (byte, wholeRuns) = (1, 0)
            let step = Thoroughness.step(23, usual: 46)
            // Until the cut comes too late for a whole addition.
            while wholeRuns < 2 {
                let before = try await desk.balance()
                let cutter = try LinkCutter(to: database.socket)
                let station = try await database.open(cutter.address(of: database.name))
                cutter.cut(after: byte, direction)
                let outcome = await CutLinkTests.add(id, on: station)
                cutter.end()
                let known = try await ledger.operation(.numbered(id))
                switch outcome {
                case .success:
                    #expect(known != nil, "byte \(byte) \(direction): told, and lost")
                    wholeRuns += 1
                case .failure(let error) where error.kind == .outcomeUnknown:
                    if known == nil { told.lost += 1 } else { told.kept += 1 }
                case .failure(let error):
                    told.refused += 1
                    let words: Comment = "byte \(byte) \(direction): \(error)"
                    #expect([.unavailable, .unreachable].contains(error.kind), words)
                    #expect(known == nil, "byte \(byte) \(direction): \(error), and done")
                }
                // Booked when it has begun, exactly once, and the next station can settle it.
                let added: Int64 = known == nil ? 0 : 3
                #expect(try await desk.balance() == before + added)
                if known != nil { try await CutLinkTests.settle(id, at: desk) }
                (id, byte) = (id + 1, byte + step)
            }
            #expect(told.kept + told.lost > 120 / step && told.refused > 0, "\(told)")
            #expect(direction == .toServer ? told.lost > 0 : told.kept > 0, "\(told)")
            #expect(try await ledger.audit().violations == [])
        }
    }

    private struct Told { var (kept, lost, refused) = (0, 0, 0) }

    private static func add(
        _ id: Int, on station: PostgreSQLLedger
    ) async -> Result<Beginning, LedgerError> {
        do throws(LedgerError) {
            let view = try await station.view(of: .first)
            let request = Request(
                id: .numbered(id), uid: .first, intent: .add(.cents(3)), at: .tick(id))
            return .success(
                try await station.begin(
                    request, seen: view.map(Seen.init), sealer: .hashing(key: 1)))
        } catch {
            return .failure(error)
        }
    }

    private static func settle(_ id: Int, at desk: Desk) async throws {
        let view = try await desk.view()
        guard let open = view.open else { return }
        let settlement = try await desk.ledger.resume(
            open, seen: Seen(view), tagHolds: view.card.confirmed, sealer: desk.sealer, at: .end)
        guard case .work(let work) = settlement else { throw Failure(settlement: settlement) }
        try await desk.confirm(work)
    }

    private struct Failure: Error { let settlement: Settlement }
}
