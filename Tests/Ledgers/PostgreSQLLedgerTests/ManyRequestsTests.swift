import BlockingLane
import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// Eight stations send random requests for six cards at once.
@Suite("Random requests of many stations to PostgreSQL", .serialized) struct ManyRequestsTests {
    @Test(
        "The ledger has what each of eight stations with random requests was told",
        arguments: Thoroughness.some([17, 20_262] as [UInt64], of: 2))
    func areCarriedOutOneByOne(seed: UInt64) async throws {
        try await TestDatabase.temporary { database in
            let told = Guarded(Told())
            let steps = Thoroughness.asked > .usual ? 250 : 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                for station in 1...8 {
                    let ledger = try await database.open(station: station)
                    group.addTask {
                        // Their ids are those of others too: a request asks for what another had.
                        // Their codes are drawn as a station draws them: the audit, which is the
                        // judge here, calls two cards with one code copies.
                        try await ManyRequestsTests.ask(
                            RandomStations(
                                seed: seed + UInt64(station), stations: 2,
                                after: station / 2 * steps, codes: 1_000_000_000),
                            steps, on: ledger, told)
                    }
                }
                try await group.waitForAll()
            }
            let answers = told.withLock { $0 }
            let words = answers.words.sorted { $0.value > $1.value }
                .map { "\($0.value) \($0.key)" }
            print("seed \(seed): \(words.joined(separator: ", "))")
            try await ManyRequestsTests.judge(answers, try await database.open())
        }
    }

    private struct Told: Sendable {
        /// The ends that stations were told, and the open operations that they were given.
        var committed: [Operation] = []
        var voided: [Operation] = []
        var begun: [OpenOperation] = []
        var words: [String: Int] = [:]
    }

    private static func ask(
        _ requests: RandomStations, _ count: Int, on ledger: PostgreSQLLedger,
        _ told: Guarded<Told>
    ) async throws {
        var requests = requests
        for _ in 0..<count {
            let step = try await requests.next { uid in try await ledger.knownCard(of: uid) }
            // It belongs to a restored file.
            if case .skipNumbers = step { continue }
            let answer: Answer
            do throws(LedgerError) {
                answer = try await step.take(on: ledger)
            } catch {
                // Others change the same card again and again, or a constraint was quicker.
                #expect(error.kind == .locked, "\(step): \(error)")
                told.withLock { $0.words["locked", default: 0] += 1 }
                continue
            }
            requests.note(answer, to: step)
            told.withLock { told in
                told.words[answer.word, default: 0] += 1
                switch answer {
                case .confirmation(.committed(let operation)): told.committed.append(operation)
                case .confirmation(.voided(let operation)): told.voided.append(operation)
                case .beginning(.begun(let open)), .resolution(.open(let open)):
                    told.begun.append(open)
                default: break
                }
            }
        }
    }

    /// The ledger has what each station was told, and no number was given out for two records.
    private static func judge(_ told: Told, _ ledger: PostgreSQLLedger) async throws {
        let rows = try await Snapshot(of: ledger)
        let operations = Dictionary(rows.operations.map { ($0.id, $0) }) { $1 }
        for (ends, state) in [(told.committed, Operation.State.committed), (told.voided, .voided)] {
            for end in ends {
                let kept = operations[end.id]
                #expect(kept?.state == state && kept?.balanceAfter == end.balanceAfter, "\(end)")
            }
        }
        let records = Dictionary(grouping: rows.records) { "\($0.uid) \($0.sequence)" }
        for open in told.begun {
            let row = records["\(open.card.uid) \(open.content.sequence)"]
            #expect(row?.count == 1 && row?.first?.bytes == open.record, "\(open.operation)")
        }
        #expect(told.committed.count > 10 && told.begun.count > told.committed.count / 2)
        let violations = try await ledger.audit().violations
        #expect(violations == [])
    }
}
