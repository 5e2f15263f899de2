import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import Testing

/// What a station must not sell, and journals that are not as it wrote them.
@Suite("Purchases out of reach") struct RefusedSalesTests {
    @Test("before a line that was altered are booked, and those from it on are not")
    func alteredLater() async throws {
        let house = try await House()
        let till = try await house.till()
        for id in 1...4 { _ = try await till.pay(100, id: id) }
        let copy = try till.copy()
        try till.alter(line: 4)
        for _ in 0..<2 {
            let error = await #expect(throws: TapcardError.self) { _ = try await till.settle() }
            #expect(error?.what.contains("line 4") == true)
            #expect(error?.meaning.contains("are booked (2)") == true)
            #expect(try await house.balance() == 800)
        }
        // Its snapshot has balances from before; and nothing is sold into such a journal.
        let refused = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 9) }
        #expect(refused?.kind == .fileUnusable)
        // A copy that is sound has the rest; one that is altered, too, as far as it is sound.
        _ = try await DeferredSales.settle(
            copy: copy, into: house.ledger, House.keys, at: House.now)
        #expect(try await house.balance() == 600)
        let other = try await House()
        let torn = try await other.till()
        for id in 1...2 { _ = try await torn.pay(100, id: id) }
        try torn.alter(line: 3)
        let alteredCopy = try torn.copy()
        await #expect(throws: TapcardError.self) {
            _ = try await DeferredSales.settle(
                copy: alteredCopy, into: other.ledger, House.keys, at: House.now)
        }
        #expect(try await other.balance() == 900)
    }

    @Test("are neither sold nor booked where the journal has a second name, or others may write")
    func exposed() async throws {
        let house = try await House()
        let till = try await house.till()
        _ = try await till.pay(100, id: 1)
        till.linkJournal()
        for (isLinked, words) in [(true, "a second name"), (false, "others may write to it")] {
            if !isLinked { till.expose("deferred.journal") }
            let sold = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 2) }
            #expect(sold?.kind == .fileUnusable && sold?.what.contains(words) == true)
            let settled = await #expect(throws: TapcardError.self) { _ = try await till.settle() }
            #expect(settled?.what.contains(words) == true)
            till.unlinkJournal()
        }
        till.expose("deferred.journal", 0o600)
        let payment = Operation(
            id: .numbered(7), uid: .other, kind: .pay, amount: 100, begunAt: House.now)
        try till.note(payment, in: "house")
        till.expose("confirmed.txt")
        let blind = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 2) }
        #expect(blind?.what.contains("others may write to it (mode 620)") == true)
        till.expose("confirmed.txt", 0o600)
        _ = try await till.pay(1, id: 2)
        #expect(try await till.settle()?.purchases == 2)
    }

    @Test("are refused under an id of which this station was told that it was not done")
    func notDone() async throws {
        let house = try await House()
        let till = try await house.till()
        let given = Operation(
            id: .numbered(7), uid: .first, kind: .pay, amount: 100, begunAt: House.now,
            state: .voided, endedAt: House.now)
        try till.note(given, in: "house")
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 7) }
        #expect(error?.kind == .operationVoided && error?.what == "Not paid.")
        #expect(error?.next == [.request(.again(.pay, .cents(100)))])
        // Another process of the station hears of it while the card is waited for.
        let later = Operation(
            id: .numbered(8), uid: .first, kind: .pay, amount: 100, begunAt: House.now,
            state: .voided, endedAt: House.now)
        let second = await #expect(throws: TapcardError.self) {
            _ = try await till.pay(100, id: 8) { try? till.again().note(later, in: "house") }
        }
        #expect(second?.kind == .operationVoided)
        _ = try await till.pay(100, id: 9)
        #expect(try till.status()?.purchases == 1)
    }
}
