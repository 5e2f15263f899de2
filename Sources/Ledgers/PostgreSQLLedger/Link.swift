import CPQ
import Glibc
import Ledger
import TapcardDomain

/// A statement and its parameters. The text refers to them as $1, $2, and so on.
struct SQLStatement {
    let sql: String
    let values: [SQLValue]

    init(_ sql: String, _ values: [SQLValue] = []) { (self.sql, self.values) = (sql, values) }

    /// A change that fails if it affects no row. It fails by dividing by 0, which works on every
    /// server.
    init(counting sql: String, _ values: [SQLValue]) {
        self.init("WITH done AS (\(sql) RETURNING 1) SELECT 1 / count(*) FROM done", values)
    }
}

/// The rows that a statement returned, and its tag, such as "COMMIT".
struct SQLAnswer {
    let rows: [[SQLValue]]
    let tag: String
}

/// Why a batch of statements failed.
enum LinkFailure: Error {
    /// The server refused a statement, and did not execute any after it.
    case refused(sqlState: String, String)
    /// The link is closed, and the server may or may not have executed the batch.
    case lost(String)
}

/// How long to wait for a response. A commit takes longer, because it also waits for the replica.
package struct ResponseTimeouts: Sendable {
    let reading: Duration
    let committing: Duration
    /// Whether a cashier is waiting.
    let isForTill: Bool

    package init(reading: Duration, committing: Duration, isForTill: Bool = false) {
        (self.reading, self.committing) = (reading, committing)
        self.isForTill = isForTill
    }

    package static let forTill = ResponseTimeouts(
        reading: .milliseconds(2500), committing: .seconds(6), isForTill: true)
    /// For reporting the state of the database while someone waits.
    static let forReport = ResponseTimeouts(reading: .seconds(10), committing: .seconds(10))
    /// For work that is not done at a till, and for tests on a busy machine.
    package static let forOwner = ResponseTimeouts(
        reading: .seconds(600), committing: .seconds(600))
}

/// A connection to the server, used by one thread at a time. A batch of statements takes one round
/// trip. A request is never canceled, because a canceled COMMIT may look like one that succeeded;
/// the link is closed instead.
@safe final class Link {
    private let library: tapcard_libpq
    private var handle: OpaquePointer?
    private let warnings: UnsafeMutablePointer<tapcard_libpq_warnings>
    let timeouts: ResponseTimeouts
    /// The highest place assigned to a row by transactions on this link.
    var latestPlace: Int64 = 0
    /// Whether the server failed to respond in time.
    private(set) var wasSilent = false
    /// How many batches were sent.
    private(set) var roundTrips = 0
    private(set) var statements = 0
    /// The statements whose plans the server keeps; nil if it keeps none.
    private var preparedStatements: PreparedStatements?

    init(to address: String, timeouts: ResponseTimeouts) throws(LedgerError) {
        library = try PQLibrary.functions()
        self.timeouts = timeouts
        unsafe warnings = .allocate(capacity: 1)
        unsafe warnings.initialize(
            to: tapcard_libpq_warnings(field: library.resultErrorField, count: 0))
        let limit = timeouts.isForTill ? timeouts.reading : nil
        let handle = unsafe try Connecting.connection(to: address, within: limit)
        unsafe self.handle = unsafe handle
        unsafe _ = library.setNoticeReceiver(handle, tapcard_libpq_note, warnings)
        // The connection is nonblocking, so that each wait can have a time limit.
        guard unsafe library.setnonblocking(handle, 1) == 0,
            unsafe library.enterPipelineMode(handle) == 1
        else { throw LedgerError(.unavailable, "libpq could not start: \(message())") }
    }

    /// Whether a server refused the connection, or is not the intended one. A server that is
    /// starting, recovering, or stopping does not count as refusing, because it is only temporarily
    /// unavailable. libpq reports only text; in a server's message, two spaces follow the severity
    /// and a colon.
    static func isServerRefusal(_ reason: String) -> Bool {
        let isRefused = reason.contains(":  ") && !reason.contains("the database system is ")
        return isRefused || ["certificate", "SSL", "GSS"].contains(where: reason.contains)
    }

    static func refusal(_ reason: String) -> String {
        // libpq's message for a read-only server, which is never translated.
        if reason.contains("session is read-only") {
            return "only a read-only replica responds, not the primary database (\(reason))"
        }
        // The server's messages, which are in English unless it is configured differently.
        if reason.contains("is not permitted to log in") {
            return "this machine was permanently removed by the owner (\(reason)); if that was a "
                + "mistake, add it under another name"
        }
        return isServerRefusal(reason)
            ? "the database cannot be used: \(reason)" : "the database is offline: \(reason)"
    }

    deinit {
        close()
        unsafe warnings.deallocate()
    }

    var isOpen: Bool { unsafe handle != nil }

    func close() {
        if let handle = unsafe handle { unsafe library.finish(handle) }
        unsafe handle = nil
    }

    /// The server process for this connection, according to libpq. Behind a pooler, the process
    /// that responds has a different number.
    var process: Int64 { Int64(unsafe library.backendPID(handle)) }

    /// A verifier that lets the server check a password without ever receiving it.
    func verifier(of password: String, login: String) throws(LedgerError) -> String {
        guard
            let text = unsafe library.encryptPasswordConn(
                handle, password, login, "scram-sha-256")
        else {
            throw LedgerError(.unavailable, "libpq could not make a password hash: \(message())")
        }
        defer { unsafe library.freemem(text) }
        return unsafe String(cString: text)
    }

    /// Whether the server issued a warning during the last batch.
    var hasWarned: Bool { unsafe warnings.pointee.count > 0 }

    /// Executes a batch and COMMIT in one round trip. Succeeds only if the server confirms COMMIT
    /// without a warning.
    func commit(_ batch: [SQLStatement]) throws(LinkFailure) {
        if SafetyRule.oneTransaction.isDisabled, batch.allSatisfy({ $0.sql != "BEGIN" }) {
            _ = try run(batch, within: timeouts.committing)
            return
        }
        let answers = try run(batch + [SQLStatement("COMMIT")], within: timeouts.committing)
        // For a failed transaction, the server responds to COMMIT with ROLLBACK and no error. A
        // warning means that the replica may lack the transaction, so that a failover would undo
        // it.
        guard isConfirmed(answers) else {
            close()
            throw .lost("the server responded to the commit with a warning or a rollback")
        }
    }

    private func isConfirmed(_ answers: [SQLAnswer]) -> Bool {
        let isCommitted = answers.last?.tag == "COMMIT"
        if SafetyRule.onlyCommitTagConfirms.isDisabled { return !hasWarned }
        if SafetyRule.warningIsUnknown.isDisabled { return isCommitted }
        return isCommitted && !hasWarned
    }

    /// Makes the server notice within about 7 seconds that a station's machine or its network is
    /// down.
    ///
    /// Otherwise, a session that is waiting for the rest of a batch keeps its card locked for as
    /// long as the server's operating system considers the link alive, which is two hours. None of
    /// the server's timeouts covers such a session, because it is neither idle nor working.
    private static let watch = [
        SQLStatement("SET tcp_keepalives_idle = 3"),
        SQLStatement("SET tcp_keepalives_interval = 2"),
        SQLStatement("SET tcp_keepalives_count = 2"), SQLStatement("SET tcp_user_timeout = 6000"),
    ]

    /// Executes statements in one round trip; the first one that the server refuses ends the batch.
    func run(
        _ batch: [SQLStatement], within limit: Duration? = nil
    ) throws(LinkFailure) -> [SQLAnswer] {
        guard let handle = unsafe handle else {
            throw .lost("the connection to the database is already closed")
        }
        unsafe warnings.pointee.count = 0
        // These settings are sent with the first batch, to save a round trip.
        let watch = roundTrips == 0 ? Link.watch : []
        roundTrips += 1
        statements += batch.count
        var preparations: [String?] = []
        for statement in watch + batch {
            guard unsafe send(statement, handle, &preparations) else { throw lost(message()) }
        }
        guard unsafe library.pipelineSync(handle) == 1 else { throw lost(message()) }
        var place = 0
        let end = ContinuousClock.now + (limit ?? timeouts.reading)
        var answers: [SQLAnswer] = []
        var refusal: LinkFailure?
        while true {
            try unsafe wait(on: handle, until: end)
            // Nil separates the results of two statements.
            guard let result = unsafe library.getResult(handle) else {
                guard unsafe library.status(handle) == CONNECTION_OK else {
                    throw lost(message())
                }
                continue
            }
            // Results come in the order of what was sent, including preparations.
            defer {
                unsafe library.clear(result)
                place += 1
            }
            switch unsafe library.resultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                preparedStatements?.endBatch()
                if let refusal { throw refusal }
                return Array(answers.dropFirst(watch.count))
            // The response to a preparation is not one of the results that the caller expects.
            case PGRES_COMMAND_OK where place < preparations.count && preparations[place] != nil:
                preparations[place].map { preparedStatements?.confirm($0) }
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answers.append(unsafe answer(result))
            // The server skips every statement after the one that it refused.
            case PGRES_PIPELINE_ABORTED: continue
            default:
                let state = unsafe field(result, tapcard_libpq_sqlstate) ?? ""
                let text = unsafe field(result, tapcard_libpq_message) ?? message()
                // The server is shutting down, the connection is gone, or the server does not know
                // whether a statement took effect, so the outcome is unknown.
                guard !state.isEmpty, !state.hasPrefix("08"), !state.hasPrefix("57P"),
                    state != "25P03", state != "40003"
                else {
                    throw lost(text)
                }
                // Only the first refusal is the cause.
                refusal = refusal ?? .refused(sqlState: state, text)
            }
        }
    }

    /// Makes the server reuse each statement's plan from now on. Such a plan covers all partitions.
    /// Creating it takes longer than a payment, but that happens only once per connection. The plan
    /// looks expensive to the server, because a partition is selected only when the plan runs.
    /// Without the other two settings, the server would compile it and start workers every time.
    func keepPlans() throws(LedgerError) {
        let settings = [
            "SET plan_cache_mode = force_generic_plan", "SET jit = off",
            "SET max_parallel_workers_per_gather = 0",
            // A batch without BEGIN, which only reads, sees one consistent state.
            "SET default_transaction_isolation = 'repeatable read'",
        ]
        _ = try translating(run(settings.map { SQLStatement($0) }), into: LedgerError.init)
        preparedStatements = PreparedStatements()
    }

    var keepsPlans: Bool { preparedStatements != nil }

    /// Sends a statement, preceded by its preparation if the server is to keep its plan.
    /// `preparations` gets an element for each expected result: the prepared text, or nil.
    private func send(
        _ statement: SQLStatement, _ handle: OpaquePointer, _ preparations: inout [String?]
    ) -> Bool {
        var texts = unsafe statement.values.map { value in
            unsafe UnsafePointer(value.parameter.flatMap { unsafe strdup($0) })
        }
        defer {
            unsafe texts.forEach {
                unsafe free(UnsafeMutablePointer(mutating: $0))
            }
        }
        let count = Int32(statement.values.count)
        guard let (name, isNew) = preparedStatements?.name(of: statement.sql) else {
            preparations.append(nil)
            return unsafe library.sendQueryParams(
                handle, statement.sql, count, nil, &texts, nil, nil, 0) == 1
        }
        if isNew {
            preparations.append(statement.sql)
            guard unsafe library.sendPrepare(handle, name, statement.sql, 0, nil) == 1 else {
                return false
            }
        }
        preparations.append(nil)
        return unsafe library.sendQueryPrepared(handle, name, count, &texts, nil, nil, 0) == 1
    }

    /// Sends the rest of the batch, and waits for a response.
    private func wait(
        on handle: OpaquePointer, until end: ContinuousClock.Instant
    ) throws(LinkFailure) {
        while true {
            let unsent = unsafe library.flush(handle)
            guard unsent >= 0 else { throw lost(message()) }
            if unsent == 0, unsafe library.isBusy(handle) == 0 { return }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else {
                wasSilent = true
                throw lost("the database did not respond in time")
            }
            var waiting = pollfd(
                fd: unsafe library.socket(handle),
                // While data is unsent, the server may be waiting for us to read its responses
                // first.
                events: Int16(unsent > 0 ? POLLIN | POLLOUT : POLLIN), revents: 0)
            let milliseconds =
                left.components.seconds * 1_000
                + left.components.attoseconds / 1_000_000_000_000_000
            // The timeout is rounded up; otherwise, this loop would not pause during the last
            // millisecond.
            let ready = unsafe poll(&waiting, 1, Int32(clamping: milliseconds + 1))
            guard ready > 0 else { continue }
            guard unsafe library.consumeInput(handle) == 1 else { throw lost(message()) }
        }
    }

    private func lost(_ reason: String) -> LinkFailure {
        close()
        return .lost(reason)
    }

    private func answer(_ result: OpaquePointer) -> SQLAnswer {
        let columns = unsafe library.nfields(result)
        let rows = unsafe (0..<library.ntuples(result)).map { row in
            (0..<columns).map { column in unsafe value(result, row, column) }
        }
        return SQLAnswer(
            rows: rows,
            tag: unsafe library.cmdStatus(result).map { unsafe String(cString: $0) } ?? "")
    }

    private func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> SQLValue {
        if unsafe library.getisnull(result, row, column) == 1 { return .null }
        let start = unsafe library.getvalue(result, row, column)
        let count = Int(unsafe library.getlength(result, row, column))
        let text = unsafe String(
            decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        return SQLValue(text, ofType: unsafe library.ftype(result, column))
    }

    private func field(_ result: OpaquePointer, _ letter: Int32) -> String? {
        unsafe library.resultErrorField(result, letter).map { unsafe String(cString: $0) }
    }

    private func message() -> String { unsafe Self.message(of: handle, library) }

    /// libpq's last error on one line, without the hint that asks whether the server is running.
    static func message(of handle: OpaquePointer?, _ library: tapcard_libpq) -> String {
        guard let text = unsafe library.errorMessage(handle) else { return "out of memory" }
        return unsafe String(cString: text).split(separator: "\n")
            .filter { !$0.hasPrefix("\t") }.joined(separator: "; ")
    }
}
