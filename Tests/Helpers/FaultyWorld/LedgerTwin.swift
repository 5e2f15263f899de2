import BlockingLane
package import Ledger
package import TapcardDomain

/// A second ledger that carries out every transaction of a world in memory. Its answers must equal
/// those of the first, at every station.
package final class LedgerTwin: Sendable {
    private struct State {
        var ledgers: [Int: any LedgerStore] = [:]
        var first = 0
        var transactions = 0
        var differences: [String] = []
    }

    private let state = Guarded(State())
    private let stations: Int
    private let open: @Sendable (Int) async throws -> any LedgerStore

    /// `open` connects a station for its first transaction and after an unknown outcome.
    package init(
        stations: Int, _ open: @escaping @Sendable (Int) async throws -> any LedgerStore
    ) {
        (self.stations, self.open) = (stations, open)
    }

    package var transactions: Int { state.withLock { $0.transactions } }
    /// The answers that differed, in words.
    package var differences: [String] { state.withLock { $0.differences } }

    /// From now on the stations of a scene are this one and the following ones.
    package func seat(first station: Int) { state.withLock { $0.first = station } }

    /// `isHeard` is false where the station does not learn the outcome.
    func carryOut<Success: Sendable>(
        _ act: Step.Act, at station: Int, touching footprint: Footprint,
        expecting expected: Result<Success, LedgerError>, isHeard: Bool,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async {
        let seat = state.withLock { ($0.first + station) % stations }
        guard let ledger = await ledger(of: seat) else { return }
        let answer: Result<Success, LedgerError>
        do throws(LedgerError) {
            answer =
                act == .ledgerWrite
                ? .success(try await ledger.write(touching: footprint, body))
                : .success(try await ledger.read(touching: footprint, body))
        } catch {
            answer = .failure(error)
        }
        state.withLock { $0.transactions += 1 }
        switch (expected, answer) {
        case (.success(let one), .success(let other)) where isSame(one, other): break
        case (.failure(let one), .failure(let other)) where one == other: break
        default: note("station \(seat) was answered \(answer), not \(expected)")
        }
        if !isHeard { state.withLock { _ = $0.ledgers.removeValue(forKey: seat) } }
    }

    /// Compares every row with those of the first ledger.
    package func compare(with tables: LedgerTables) async {
        guard let ledger = await ledger(of: 0) else { return }
        do {
            var first = tables
            let expected = try first.transact { rows throws(LedgerError) in try AllRows(rows) }
            let found = try await ledger.read { rows throws(LedgerError) in try AllRows(rows) }
            if let difference = found.difference(from: expected) { note(difference) }
        } catch {
            note("the rows cannot be read: \(error)")
        }
    }

    private func ledger(of seat: Int) async -> (any LedgerStore)? {
        if let ledger = state.withLock({ $0.ledgers[seat] }) { return ledger }
        do {
            let ledger = try await open(seat)
            state.withLock { $0.ledgers[seat] = ledger }
            return ledger
        } catch {
            note("station \(seat) cannot connect: \(error)")
            return nil
        }
    }

    private func note(_ difference: String) {
        state.withLock { $0.differences.append(difference) }
    }
}

private func isSame<Value>(_ one: Value, _ other: Value) -> Bool {
    if let comparable = one as? any Equatable { return comparable.isEqual(to: other) }
    return "\(one)" == "\(other)"
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self).map { $0 == self } ?? false }
}

/// The rows of a ledger, those of each card in order. Stations read the server's clock separately,
/// so the order among cards is exact only to the time that a message takes.
private struct AllRows: Sendable {
    private let cards: [LedgerCard]
    private var operations: [Operation] = []
    private var entries: [OperationID: [Entry]] = [:]
    private var records: [[IssuedRecord]] = []
    private var gaps: [[SequenceGap]] = []
    private let balances: [Account: Int64]
    private let ids: Set<OperationID>
    private var tickets: [SoldTicket] = []
    private let soldIDs: Set<TicketID>
    private let activations: [OperationID: ActivationAttempt]
    private let keys: [RetiredKey]

    init(_ rows: any LedgerRows) throws(LedgerError) {
        cards = try rows.cards()
        ids = Set(try rows.operations(on: nil).map(\.id))
        balances = try rows.balances()
        soldIDs = Set(try rows.tickets(on: nil).map(\.ticket.id))
        activations = Dictionary(
            try rows.activations().map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        keys = try rows.retiredKeys()
        for card in cards {
            operations += try rows.operations(on: card.uid)
            tickets += try rows.tickets(on: card.uid)
            records.append(try rows.issuedRecords(on: card.uid))
            gaps.append(try rows.gaps(on: card.uid))
        }
        for operation in operations {
            entries[operation.id] = try rows.entries(of: operation.id)
        }
    }

    /// The first kind of rows that differs; nil where none does.
    func difference(from other: AllRows) -> String? {
        if cards != other.cards { return "the cards are \(cards), not \(other.cards)" }
        if let (mine, others) = zip(operations, other.operations).first(where: { $0 != $1 }) {
            return "an operation is \(mine), not \(others)"
        }
        if operations.count != other.operations.count || ids != other.ids {
            return "operations are missing or too many: \(ids.symmetricDifference(other.ids))"
        }
        if entries != other.entries { return "the entries are \(entries), not \(other.entries)" }
        if balances != other.balances {
            return "the balances are \(balances), not \(other.balances)"
        }
        let isSame =
            records == other.records && gaps == other.gaps && tickets == other.tickets
            && soldIDs == other.soldIDs
            && activations == other.activations && keys == other.keys
        return isSame ? nil : "records, gaps, tickets, attempts or keys differ"
    }
}

/// A ledger in memory with its twin, outside a scene.
package struct TwinnedLedger: LedgerStore {
    private let ledger: any LedgerStore
    private let twin: LedgerTwin?

    package init(_ ledger: any LedgerStore, _ twin: LedgerTwin?) {
        (self.ledger, self.twin) = (ledger, twin)
    }

    package var currency: Currency { ledger.currency }

    package func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await ledger.read(touching: footprint, body)
    }

    package func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        let answer: Result<Success, LedgerError>
        do throws(LedgerError) {
            answer = .success(try await ledger.write(touching: footprint, body))
        } catch {
            answer = .failure(error)
        }
        await twin?.carryOut(
            .ledgerWrite, at: 0, touching: footprint, expecting: answer, isHeard: true, body)
        return try answer.get()
    }
}
