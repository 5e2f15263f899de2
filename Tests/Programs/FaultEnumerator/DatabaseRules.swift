import Ledger
import OperatingSystem
import PortDoubles
import PostgreSQLLedger
import TapcardDomain
import TestSupport

/// The rules of a ledger in PostgreSQL, each with a story that fails without it, played on a
/// private server.
enum DatabaseRules {
    static let all = [
        Encounter(rule: .fence) { await tell(fence) },
        Encounter(rule: .warningIsUnknown) { await tell(warning) },
        Encounter(rule: .onlyCommitTagConfirms) { await tell(answer) },
        Encounter(rule: .noCancel) { await tell(cancel) },
        Encounter(rule: .oneTransaction) { await tell(oneCode) },
        Encounter(rule: .issuerRowsOfStations) { await tell(issuerRows) },
        Encounter(rule: .idsAreUnique) { await tell(oneID) },
        Encounter(rule: .skippedNumbers) { await tell(skippedNumbers) },
        Encounter(rule: .cardVersion) { await tell(cardVersion) },
        Encounter(rule: .deadline) { await tell(deadline) },
        Encounter(rule: .guardian) { await tell(guardian) },
        Encounter(rule: .lastConfirmed) { await tell(lastConfirmed) },
        Encounter(rule: .givenUpHasEnded) { await tell(givenUp) },
        Encounter(rule: .notDoneIsFinal) { await tell(notDone) },
        Encounter(rule: .onlyItsOwnBooking) { await tell(ownBooking) },
    ]

    /// Plays a story; one that cannot be played shows nothing about the rule that is left out.
    private static func tell(
        _ story: () async throws -> String?
    ) async -> (finding: String?, schedules: Int) {
        do {
            return (try await story(), 1)
        } catch {
            print("  the story could not be played: \(error)")
            return (SafetyRule.leftOut?.get() == nil ? "the story could not be played" : nil, 1)
        }
    }

    /// A till that gives up soon.
    private static let soon = ResponseTimeouts(reading: .seconds(1), committing: .seconds(1))

    private static func issuer() async throws -> TestIssuer {
        try await TestIssuer.opened(on: try PrivatePostgreSQL.shared.get())
    }

    // MARK: The replica

    /// An issuer whose replica has died, and a payment whose record is on the card.
    private static func issuerWithoutReplica(
        _ timeouts: ResponseTimeouts
    ) async throws -> (issuer: TestIssuer, till: Till, other: Till, open: OpenOperation) {
        let issuer = try await TestIssuer.opened(on: try PrivatePostgreSQL())
        let replica = try PrivatePostgreSQL(copying: issuer.server)
        try issuer.server.waitForReplica()
        let (till, other) = (try await issuer.till(1, timeouts), try await issuer.till(2))
        try await till.complete(Till.plan(), 1)
        let open = try await till.open(Till.pay, 2)
        replica.kill()
        return (issuer, till, other, open)
    }

    /// The replica never gets the payment, and the server shows it after a restart.
    private static func fence() async throws -> String? {
        let (issuer, till, _, open) = try await issuerWithoutReplica(soon)
        _ = try? await till.confirm(open)
        let alone = TestIssuer(server: try issuer.server.recovered(), name: issuer.name)
        defer { alone.server.kill() }
        guard let other = try? await alone.till(2, soon) else { return nil }
        guard try await other.state(of: 2) == .committed else { return nil }
        return "a server without its replica showed a payment as done"
    }

    /// A user with the right to cancel releases a commit that waits for the replica.
    private static func warning() async throws -> String? {
        let (issuer, till, _, open) = try await issuerWithoutReplica(.forOwner)
        defer { issuer.server.kill() }
        let confirming = Task { try? await till.confirm(open) }
        while !issuer.isSomebodyWaiting(for: .replica) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try issuer.answer(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        guard case .committed? = await confirming.value else { return nil }
        return "a payment was said to be done that no replica has"
    }

    /// A till that has given up must not release its commit, because others would see it.
    private static func cancel() async throws -> String? {
        let (issuer, till, other, open) = try await issuerWithoutReplica(soon)
        defer { issuer.server.kill() }
        let looks = 25
        _ = try? await till.confirm(open)
        for _ in 0..<looks {
            if try await other.state(of: 2) == .committed {
                return "another till was shown a payment that no replica has"
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }

    // MARK: The link

    /// The server answers COMMIT with ROLLBACK, as it does for a failed transaction.
    private static func answer() async throws -> String? {
        let issuer = try await issuer()
        let link = try LinkCutter(to: issuer.server.socket)
        defer { link.end() }
        let till = try await issuer.till(1, by: link.address(of: issuer.name))
        try await till.complete(Till.plan(), 1)
        func tag(_ word: String) -> [UInt8] {
            [0x43, 0, 0, 0, UInt8(word.utf8.count + 5)] + Array(word.utf8) + [0]
        }
        link.replace(tag("COMMIT"), by: tag("ROLLBACK"))
        guard let answer = try? await till.begin(Till.add, 2, version: Till.made)
        else { return nil }
        return answer.isBegun ? "a transaction was taken for done that was rolled back" : nil
    }

    /// The batch arrives after the till has looked and found that nothing was done.
    private static func deadline() async throws -> String? {
        let issuer = try await issuer()
        let link = try LinkCutter(to: issuer.server.socket)
        defer { link.end() }
        let till = try await issuer.till(1, soon, by: link.address(of: issuer.name))
        try await till.complete(Till.plan(), 1)
        link.cut(after: 0, .toServer, .pause)
        _ = try? await till.begin(Till.add, 2, version: Till.made)
        let found = try await till.state(of: 2)
        link.release()
        try issuer.waitForTills(1)
        let end = try await till.state(of: 2)
        return found == end ? nil : "what a till had found undone was done later"
    }

    /// The connection is lost, and the batch arrives a little later.
    private static func givenUp() async throws -> String? {
        let issuer = try await issuer()
        let link = try LinkCutter(to: issuer.server.socket)
        defer { link.end() }
        let timeouts = ResponseTimeouts(reading: .seconds(6), committing: .seconds(6))
        let till = try await issuer.till(1, timeouts, by: link.address(of: issuer.name))
        try await till.complete(Till.plan(), 1)
        link.cut(after: 0, .toServer, .pause)
        let asking = Task {
            try? await till.begin(Till.add, 2, version: Till.made)
        }
        while !link.hasPaused { try await Task.sleep(for: .milliseconds(5)) }
        link.hangUpPaused()
        _ = await asking.value
        let looking = Task { try await till.state(of: 2) }
        // Long enough for a query that does not wait for the batch.
        try await Task.sleep(for: .seconds(2))
        link.release()
        let found = try await looking.value
        try issuer.waitForTills(1)
        let end = try await till.state(of: 2)
        return found == end ? nil : "what a till had found undone was done later"
    }
}

// MARK: Offline

extension DatabaseRules {
    /// A payment of one till that another gives up, and the offline payment under its id.
    private static func givenUpPayment(
        _ memory: String? = nil
    ) async throws -> (till: Till, other: Till, payment: OfflinePayment) {
        let issuer = try await issuer()
        let (till, other) = (try await issuer.till(1, memory: memory), try await issuer.till(2))
        try await till.complete(Till.plan(), 1)
        let open = try await till.open(Till.pay, 2)
        guard let known = try await other.knownCard() else {
            throw TestIssuer.Failure(what: "no card")
        }
        _ = try await other.ledger.voidOpenPayment(
            on: Till.card(1), version: CardVersion(known), at: Till.time)
        let payment = OfflinePayment(
            id: Till.id(2), uid: Till.card(1), chip: .ntag213, account: 1,
            sequence: open.content.sequence, amount: open.operation.amount, at: Till.time,
            journal: Till.id(9), number: 1)
        return (till, other, payment)
    }

    /// The first till asks about its payment and is then cut off.
    private static func notDone() async throws -> String? {
        let memory = "/tmp/tapcard-memory-\(UInt64.random(in: 0...UInt64.max))"
        defer {
            try? DurableFile(memory).remove()
            try? DurableFile(memory + ".lock").remove()
        }
        let (till, _, payment) = try await givenUpPayment(memory)
        guard try await till.ledger.answer(to: payment.id)?.state == .voided else {
            throw TestIssuer.Failure(what: "the payment was not given up")
        }
        let known = try DurableFile(memory).read() ?? []
        let earlier = StationMemory(String(decoding: known, as: UTF8.self))
            .earlierRequest(of: payment.id)
        guard earlier == nil else { return nil }
        let sold = try await till.ledger.book(payment, at: Till.time)
        return sold.isNew ? "a payment was taken that a till had called not done" : nil
    }

    /// The other till has used the payment's next id for a different request.
    private static func ownBooking() async throws -> String? {
        let (till, other, payment) = try await givenUpPayment()
        try await other.complete(Till.add, as: payment.bookingID(1))
        let before = try await till.knownCard()?.balance
        _ = try await till.ledger.book(payment, at: Till.time)
        let after = try await till.knownCard()?.balance
        return before == after ? "an offline payment was taken, and never booked" : nil
    }
}

// MARK: Other tills

extension DatabaseRules {
    /// Runs a transaction at each of two tills; both read before either writes.
    private static func meeting(
        in issuer: TestIssuer, _ first: Till, _ second: Till,
        _ ask: @escaping @Sendable (Till, UInt8) async throws -> Bool
    ) async throws -> Int {
        let rendezvous = Rendezvous { issuer.isSomebodyWaiting(for: .lock) }
        let tills = [first, second].enumerated().map { number, till in
            Till(ledger: MetLedger(till.ledger, number, at: rendezvous))
        }
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for (number, till) in tills.enumerated() {
                group.addTask { try await ask(till, UInt8(number + 1)) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    /// Two cards with one code are adopted at once.
    private static func oneCode() async throws -> String? {
        let issuer = try await issuer()
        let (first, second) = (try await issuer.till(1), try await issuer.till(2))
        guard let code = ScratchCode(bytes: [UInt8](repeating: 0x77, count: 16)) else { return nil }
        // The second card is adopted without the code.
        _ = try await meeting(in: issuer, first, second) { till, number in
            let plan = Till.plan(.adopt(message: [number]), scratch: .scratched(code))
            return try await till.begin(plan, number, on: number).isBegun
        }
        let cards = try issuer.answer("SELECT count(*) FROM card WHERE scratch_code IS NOT NULL")
        return cards == "1" ? nil : "\(cards) cards have one code"
    }

    /// One id reaches the ledger for two cards.
    private static func oneID() async throws -> String? {
        let issuer = try await issuer()
        let (first, second) = (try await issuer.till(1), try await issuer.till(2))
        try await first.complete(Till.plan(), 1, on: 1)
        try await second.complete(Till.plan(), 2, on: 2)
        let begun = try await meeting(in: issuer, first, second) { till, number in
            try await till.begin(Till.pay, 3, on: number).isBegun
        }
        return begun == 1 ? nil : "\(begun) cards have paid under one id"
    }

    /// The second till takes a payment while the rows that the first has changed are locked.
    private static func issuerRows() async throws -> String? {
        let issuer = try await issuer()
        let (first, second) = (try await issuer.till(1), try await issuer.till(2))
        try await first.complete(Till.plan(), 1, on: 1)
        try await first.complete(Till.plan(), 2, on: 2)
        try await first.complete(Till.pay, 3, on: 1)
        let session = try issuer.server.session(in: issuer.name, as: "tapcard", password: "")
        _ = try session.answer(to: "BEGIN")
        _ = try session.answer(to: "SELECT balance FROM house FOR UPDATE")
        defer { _ = try? session.answer(to: "ROLLBACK") }
        do {
            try await second.complete(Till.pay, 4, on: 2)
            return nil
        } catch let error as LedgerError where error.kind == .locked {
            return "a till could not sell while another one did"
        }
    }

    /// Another till blocks the card after the first one has read it.
    private static func cardVersion() async throws -> String? {
        let issuer = try await issuer()
        let (first, second) = (try await issuer.till(1), try await issuer.till(2))
        try await first.complete(Till.plan(), 1)
        guard let known = try await first.knownCard() else { return nil }
        _ = try await second.ledger.change(
            Till.card(1), .block, id: Till.id(2), at: Till.time)
        let answer = try await first.begin(Till.pay, 3, version: CardVersion(known))
        return answer.isBegun ? "a card paid that was blocked" : nil
    }

    // MARK: Promoted and restored databases

    private static func guardian() async throws -> String? {
        let issuer = try await issuer()
        let till = try await issuer.till(1)
        try await till.complete(Till.plan(), 1)
        try issuer.answer("UPDATE opening SET server = 'another'")
        guard let answer = try? await till.begin(Till.pay, 2) else { return nil }
        return answer.isBegun ? "a payment began in a database that was promoted" : nil
    }

    /// A payment is lost with the server, but its record is on the card.
    private static func loss(
        _ story: (_ restored: TestIssuer, _ paid: Operation, _ memory: String) async throws ->
            String?
    ) async throws -> String? {
        let issuer = try await issuer()
        let memory = "\(issuer.server.socket)-\(issuer.name)"
        let before = try await issuer.till(1, memory: memory)
        try await before.complete(Till.plan(), 1)
        await (before.ledger as? PostgreSQLLedger)?.close()
        let restored = try issuer.copy()
        let paid = try await issuer.till(1, memory: memory).complete(Till.pay, 2)
        return try await story(restored, paid, memory)
    }

    private static func skippedNumbers() async throws -> String? {
        try await loss { restored, paid, _ in
            try await restored.owner.reopen(.something)
            let next = try await restored.till(1).complete(Till.pay, 3)
            return next.sequence > paid.sequence ? nil : "a number on a card was used again"
        }
    }

    /// The owner says that nothing was lost, and is wrong.
    private static func lastConfirmed() async throws -> String? {
        try await loss { restored, _, memory in
            try await restored.owner.reopen(.nothing)
            guard (try? await restored.till(1, memory: memory)) != nil else { return nil }
            return "a till sold on where a payment was lost that it had said was done"
        }
    }
}
