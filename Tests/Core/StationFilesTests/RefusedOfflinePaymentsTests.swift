import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import Testing

/// Payments that a station must not accept, and journals that it did not write as they are.
@Suite("Refused offline payments") struct RefusedOfflinePaymentsTests {
    @Test("Payments before an altered line are booked, and those from it on are not")
    func alteredLater() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        for id in 1...4 { _ = try await till.pay(100, id: id) }
        let copy = try till.copy()
        try till.alter(line: 4)
        for _ in 0..<2 {
            let error = await #expect(throws: TapcardError.self) { _ = try await till.book() }
            #expect(error?.what.contains("Line 4 of the offline payment journal") == true)
            #expect(error?.meaning.contains("are booked (2)") == true)
            #expect(try await issuer.balance() == 800)
        }
        // Its snapshot has balances from before; and no payment is taken into such a journal.
        let refused = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 9) }
        #expect(refused?.kind == .fileUnusable)
        // A copy that is sound has the rest; one that is altered, too, as far as it is sound.
        _ = try await OfflinePayments.book(
            copy: copy, into: issuer.ledger, TestIssuer.keys, at: TestIssuer.now)
        #expect(try await issuer.balance() == 600)
        let other = try await TestIssuer()
        let torn = try await other.till()
        for id in 1...2 { _ = try await torn.pay(100, id: id) }
        try torn.alter(line: 3)
        let alteredCopy = try torn.copy()
        await #expect(throws: TapcardError.self) {
            _ = try await OfflinePayments.book(
                copy: alteredCopy, into: other.ledger, TestIssuer.keys, at: TestIssuer.now)
        }
        #expect(try await other.balance() == 900)
    }

    @Test("A journal with a second name or one that others can write takes no payments")
    func exposed() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        _ = try await till.pay(100, id: 1)
        till.linkJournal()
        for (isLinked, words) in [
            (true, "it has more than one hard link"), (false, "other users can write to it"),
        ] {
            if !isLinked { till.expose("deferred.journal") }
            let sold = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 2) }
            #expect(sold?.kind == .fileUnusable && sold?.what.contains(words) == true)
            let booked = await #expect(throws: TapcardError.self) { _ = try await till.book() }
            #expect(booked?.what.contains(words) == true)
            till.unlinkJournal()
        }
        till.expose("deferred.journal", 0o600)
        let payment = Operation(
            id: .numbered(7), uid: .other, kind: .pay, amount: 100, beganAt: TestIssuer.now)
        try till.note(payment, in: "issuer")
        till.expose("confirmed.txt")
        let blind = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 2) }
        #expect(blind?.what.contains("other users can write to it (mode 620)") == true)
        till.expose("confirmed.txt", 0o600)
        _ = try await till.pay(1, id: 2)
        #expect(try await till.book()?.payments == 2)
    }

    @Test("An offline payment is refused under an id that was already voided")
    func notDone() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        let given = Operation(
            id: .numbered(7), uid: .first, kind: .pay, amount: 100, beganAt: TestIssuer.now,
            state: .voided, endedAt: TestIssuer.now)
        try till.note(given, in: "issuer")
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 7) }
        #expect(error?.kind == .operationVoided && error?.what == "The payment was not taken.")
        #expect(error?.next == [.request(.again(.pay, .cents(100)))])
        // Another process of the station hears of it while the card is waited for.
        let later = Operation(
            id: .numbered(8), uid: .first, kind: .pay, amount: 100, beganAt: TestIssuer.now,
            state: .voided, endedAt: TestIssuer.now)
        let second = await #expect(throws: TapcardError.self) {
            _ = try await till.pay(100, id: 8) { try? till.again().note(later, in: "issuer") }
        }
        #expect(second?.kind == .operationVoided)
        _ = try await till.pay(100, id: 9)
        #expect(try till.status()?.payments == 1)
    }
}
