import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A link that ends or stalls after any byte of a payment. Whatever a station was told is true.
@Suite("A cut link to PostgreSQL", .serialized) struct CutLinkTests {
    @Test(
        "A station is told the truth when its link ends after any byte of a payment",
        arguments: LinkCutter.Direction.allCases)
    func endsAtAnyByte(_ direction: LinkCutter.Direction) async throws {
        let step = Thoroughness.step(97, usual: 499)
        try await TestDatabase.temporary { database in
            var count = WatchedTap.Count()
            let ledger = try await CutLinkTests.ledger(of: database)
            let stations = try CutLinkTests.stations(of: database)
            // Until the cut comes too late for a whole payment.
            for (round, byte) in stride(from: 1, to: .max, by: step).enumerated() {
                let cutter = try LinkCutter(to: database.socket)
                defer { cutter.end() }
                let station = try await database.open(cutter.address(of: database.name))
                let before = try await LedgerTill(ledger).balance()
                cutter.cut(after: byte, direction)
                let tap = WatchedTap(id: round + 2)
                let told = await tap.pay(at: station)
                await station.close()
                // The server may still be about to carry out what it has.
                try stations.waitUntilOneIsLeft()
                try await tap.judge(
                    told, on: ledger, before: before, &count, "byte \(byte) \(direction)")
                if count.paid > 0 { break }
            }
            print("cut \(direction), every \(step) bytes: \(count)")
            #expect(count.refused > 0, "\(count)")
            #expect(direction == .toServer ? count.notThere > 0 : count.there > 0, "\(count)")
            #expect(try await ledger.audit().violations == [])
        }
    }

    /// The station gives up and asks again over another link. The rest of the bytes arrives before
    /// or after that, or the link ends first and they arrive in time.
    @Test(
        "A station is told the truth when its link stalls after any byte of a payment", .checkOnly,
        arguments: LinkCutter.Direction.allCases)
    func standsStillAtAnyByte(_ direction: LinkCutter.Direction) async throws {
        // The server says less than it is told.
        let step = Thoroughness.step(direction == .toServer ? 997 : 397)
        try await TestDatabase.temporary { database in
            var count = WatchedTap.Count()
            let ledger = try await CutLinkTests.ledger(of: database)
            let stations = try CutLinkTests.stations(of: database)
            for (round, byte) in stride(from: 1, to: .max, by: step).enumerated() {
                let cutter = try LinkCutter(to: database.socket)
                defer { cutter.end() }
                let station = try await CutLinkTests.hasty(cutter.address(of: database.name))
                let before = try await LedgerTill(ledger).balance()
                cutter.cut(after: byte, direction, .pause)
                let tap = WatchedTap(id: round + 2)
                let hangingUp = round.isMultiple(of: 3) ? CutLinkTests.hangUp(cutter) : nil
                let told = await tap.pay(at: station)
                hangingUp?.cancel()
                _ = await hangingUp?.result
                guard cutter.hasPaused else {
                    // Where it was not too late, the machine was busy.
                    if case .paid = told { break }
                    continue
                }
                if round % 3 == 1 { cutter.release() }
                let found = try? await station.operation(.numbered(tap.id))?.state
                cutter.release()
                await station.close()
                try stations.waitUntilOneIsLeft()
                if let found {
                    let end = try await ledger.operation(.numbered(tap.id))?.state
                    #expect(found == end, "byte \(byte) \(direction): it changed after the look")
                }
                try await tap.judge(
                    told, on: ledger, before: before, &count, "pause at \(byte) \(direction)")
            }
            print("pause \(direction), every \(step) bytes: \(count)")
            #expect(count.refused > 0, "\(count)")
            #expect(direction == .toServer ? count.notThere > 0 : count.there > 0, "\(count)")
            #expect(try await ledger.audit().violations == [])
        }
    }

    /// Ends the link for the station as soon as it stalls, and lets the rest arrive.
    private static func hangUp(_ cutter: LinkCutter) -> Task<Void, any Error> {
        Task {
            while !cutter.hasPaused { try await Task.sleep(for: .milliseconds(1)) }
            cutter.hangUpPaused()
            cutter.release()
        }
    }

    /// A ledger with one card that has enough balance.
    private static func ledger(of database: TestDatabase) async throws -> PostgreSQLLedger {
        let ledger = try await database.open()
        try await LedgerTill(ledger).complete(.issue(90_000_00), id: 1)
        return ledger
    }

    /// A station that gives up soon once it is connected.
    private static func hasty(_ address: String) async throws -> PostgreSQLLedger {
        let soon = ResponseTimeouts(reading: .milliseconds(250), committing: .milliseconds(250))
        while true {
            do throws(LedgerError) {
                return try await PostgreSQLLedger.open(address, as: 1, timeouts: soon)
            } catch {
                guard error.kind == .unavailable else { throw error }
            }
        }
    }

    private static func stations(of database: TestDatabase) throws -> Stations {
        Stations(
            session: try PrivatePostgreSQL.shared.get().session(
                in: database.name, as: "tapcard", password: ""))
    }

    /// The stations that are connected, as the server sees it.
    private struct Stations {
        let session: PrivatePostgreSQL.Session

        func waitUntilOneIsLeft() throws {
            let count = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'tapcard'
                """
            while try session.answer(to: count) != "1" {}
        }
    }
}
