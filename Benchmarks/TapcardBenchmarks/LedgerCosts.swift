import Glibc
import Ledger
import PaymentsInC
import SQLiteLedger
import TapcardCore
import TapcardDomain

/// The cost of a payment in the SQLite ledger, next to the same rows written by a loop in C.
struct LedgerCosts {
    let paymentsARound: Int
    let durableTransactions: Int
    /// Processor time of each round, in seconds; seconds are only good side by side.
    let swiftSeconds: [Double]
    let cSeconds: [Double]

    private static let rounds = 5
    private static let payments = 200

    static func measure() async throws -> LedgerCosts {
        let folder = "/tmp/tapcard-bench-\(getpid())"
        unsafe mkdir(folder, 0o700)
        defer {
            for name in ["swift", "c"].flatMap({ [$0, $0 + "-wal", $0 + "-shm"] }) {
                unsafe unlink("\(folder)/\(name)")
            }
            unsafe rmdir(folder)
        }
        let uid = try required(CardUID("04AC6B72BA6C80"))
        let swift = try await ledger(at: "\(folder)/swift", for: uid)
        _ = try await ledger(at: "\(folder)/c", for: uid)
        let before = await swift.durableTransactions
        var swiftSeconds: [Double] = []
        var cSeconds: [Double] = []
        for round in 0..<rounds {
            let start = processorSeconds()
            for _ in 0..<payments { try await pay(uid, in: swift) }
            let middle = processorSeconds()
            let code = unsafe tapcard_payments_in_c(
                "\(folder)/c", uid.description, Int32(2 + round * payments), Int32(payments))
            guard code == 0 else { throw BenchmarkError("the loop in C failed with \(code)") }
            swiftSeconds.append(middle - start)
            cSeconds.append(processorSeconds() - middle)
        }
        let durable = await swift.durableTransactions - before
        return LedgerCosts(
            paymentsARound: payments, durableTransactions: durable, swiftSeconds: swiftSeconds,
            cSeconds: cSeconds)
    }

    var payments: Int { paymentsARound * swiftSeconds.count }

    private static let sealer = RecordSealer(
        keyID: 1,
        seal: { content in
            let number = content.sequence.value
            return [0x44] + (0..<15).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
        })

    private static func ledger(at path: String, for uid: CardUID) async throws -> SQLiteLedger {
        let ledger = try await SQLiteLedger.open(path: path, currency: .usd)
        let plan = CardPlan(
            origin: .issue, chip: .ntag213, isGenuineChip: nil, holder: .nobody, scratch: .none,
            face: .tapcard, balance: Money(minorUnits: 1_000_000, .usd), mayReissue: false,
            above: .none)
        try await carryOut(.make(plan), on: uid, in: ledger, version: nil)
        return ledger
    }

    private static func pay(_ uid: CardUID, in ledger: SQLiteLedger) async throws {
        let known = try required(try await ledger.knownCard(of: uid))
        try await carryOut(
            .pay(Money(minorUnits: 1, .usd)), on: uid, in: ledger, version: CardVersion(known))
    }

    private static func carryOut(
        _ action: CardAction, on uid: CardUID, in ledger: SQLiteLedger, version: CardVersion?
    ) async throws {
        let id = BenchmarkTill.dependencies.newID()
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let request = Request(id: id, uid: uid, action: action, at: now)
        guard
            case .begun(let open) = try await ledger.begin(
                request, version: version, sealer: sealer),
            case .committed = try await ledger.confirm(open, at: now)
        else { throw BenchmarkError("the ledger did not do what was asked") }
    }

    private static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw BenchmarkError("something is missing") }
        return value
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
