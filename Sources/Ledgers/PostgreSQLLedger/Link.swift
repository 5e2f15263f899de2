import CPQ
import Glibc
import Ledger
import LedgerColumns
import TapcardDomain

/// One statement and its parameters, which are written as $1, $2 and so on.
struct SQLStatement {
    let sql: String
    let values: [SQLValue]

    init(_ sql: String, _ values: [SQLValue] = []) { (self.sql, self.values) = (sql, values) }

    /// A change that fails where it changes nothing: by a division by 0, which every server knows.
    init(counting sql: String, _ values: [SQLValue]) {
        self.init("WITH done AS (\(sql) RETURNING 1) SELECT 1 / count(*) FROM done", values)
    }
}

/// The rows that a statement returned, and its tag, such as "COMMIT".
struct SQLAnswer {
    let rows: [[SQLValue]]
    let tag: String
}

/// The reason why a batch of statements was not carried out.
enum LinkFailure: Error {
    /// The server has refused a statement; those after it were not carried out.
    case refused(sqlState: String, String)
    /// The link is closed; the server may have carried out the batch or not.
    case lost(String)
}

/// How long an answer may take. A commit waits for the replica, and a person waits for both.
struct Patience {
    let reading: Duration
    let committing: Duration
    /// Whether a cashier waits.
    let isOfCounter: Bool

    static let ofCounter = Patience(
        reading: .milliseconds(2500), committing: .seconds(6), isOfCounter: true)
    /// For work away from a counter, and for tests on a busy machine.
    static let ofOwner = Patience(
        reading: .seconds(600), committing: .seconds(600), isOfCounter: false)
}

/// A connection to the server, used by one thread at a time. A batch of statements takes one round
/// trip. A request is never cancelled: a cancelled COMMIT may look like one that has succeeded. The
/// link is closed instead.
@safe final class Link {
    private let library: tapcard_libpq
    private var handle: OpaquePointer?
    private let warnings: UnsafeMutablePointer<tapcard_libpq_warnings>
    let patience: Patience
    /// The highest place that was given to a row by way of this link.
    var latestPlace: Int64 = 0
    /// Whether the server has not answered in time.
    private(set) var wasSilent = false
    /// How many batches were sent: for tests.
    private(set) var roundTrips = 0

    init(to address: String, patience: Patience) throws(LedgerError) {
        library = try PQLibrary.functions()
        self.patience = patience
        unsafe warnings = .allocate(capacity: 1)
        unsafe warnings.initialize(
            to: tapcard_libpq_warnings(field: library.resultErrorField, count: 0))
        // The address overrides the settings before it, and not those that follow.
        let settings: KeyValuePairs = [
            "connect_timeout": "2", "tcp_user_timeout": "6000", "keepalives_idle": "10",
            "sslmode": "verify-full", "target_session_attrs": "read-write",
            "application_name": "tapcard",
            "dbname": address, "client_encoding": "UTF8",
        ]
        var (names, values) = unsafe (
            settings.map { unsafe UnsafePointer(strdup($0.key)) } + [nil],
            settings.map { unsafe UnsafePointer(strdup($0.value)) } + [nil]
        )
        defer {
            unsafe (names + values).forEach {
                unsafe free(UnsafeMutablePointer(mutating: $0))
            }
        }
        unsafe handle = unsafe library.connectdbParams(&names, &values, 1)
        guard let handle = unsafe handle, unsafe library.status(handle) == CONNECTION_OK else {
            let why = message()
            throw LedgerError(
                Link.isServersWord(why) ? .unavailable : .unreachable,
                "the database cannot be reached: \(why)")
        }
        unsafe _ = library.setNoticeReceiver(handle, tapcard_libpq_note, warnings)
        guard unsafe library.setnonblocking(handle, 1) == 0,
            unsafe library.enterPipelineMode(handle) == 1
        else { throw LedgerError(.unavailable, "libpq does not begin: \(message())") }
    }

    /// Whether a server has refused the connection, or is not the one that was meant. A server that
    /// starts or stops is not there yet. libpq has no other sign of it than its words: those of a
    /// server follow a word of severity, a colon and two spaces.
    static func isServersWord(_ why: String) -> Bool {
        let stopped = ["starting up", "shutting down", "in recovery"]
        let isStopped = stopped.contains(where: why.contains)
        let isRefused = why.contains(":  ") && !isStopped
        return isRefused || ["certificate", "SSL", "GSS"].contains(where: why.contains)
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

    /// The server's process for this connection; a pooler gives another number.
    var process: Int64 { Int64(unsafe library.backendPID(handle)) }

    /// A text that proves knowledge of a password. The server keeps it, and never gets the password.
    func verifier(of password: String, login: String) throws(LedgerError) -> String {
        guard
            let text = unsafe library.encryptPasswordConn(
                handle, password, login, "scram-sha-256")
        else { throw LedgerError(.unavailable, "libpq makes no password: \(message())") }
        defer { unsafe library.freemem(text) }
        return unsafe String(cString: text)
    }

    /// Whether the server has warned during the last batch.
    var hasWarned: Bool { unsafe warnings.pointee.count > 0 }

    /// Carries out a batch and COMMIT in one round trip. It succeeds only if the server answers
    /// COMMIT, without a warning.
    func commit(_ batch: [SQLStatement]) throws(LinkFailure) {
        let answers = try run(batch + [SQLStatement("COMMIT")], within: patience.committing)
        // COMMIT of a failed transaction is answered by ROLLBACK, as if all were well. A warning
        // says that the replica may not have it: a failover would take it back.
        guard answers.last?.tag == "COMMIT", !hasWarned else {
            close()
            throw .lost("the server did not confirm the commit")
        }
    }

    /// Carries out statements in one round trip. The first that the server refuses ends the batch.
    func run(
        _ batch: [SQLStatement], within limit: Duration? = nil
    ) throws(LinkFailure) -> [SQLAnswer] {
        guard let handle = unsafe handle else { throw .lost("the link is closed") }
        unsafe warnings.pointee.count = 0
        roundTrips += 1
        for statement in batch {
            guard unsafe send(statement, handle) else { throw lost(message()) }
        }
        guard unsafe library.pipelineSync(handle) == 1 else { throw lost(message()) }
        let end = ContinuousClock.now + (limit ?? patience.reading)
        var answers: [SQLAnswer] = []
        var refusal: LinkFailure?
        while true {
            try unsafe wait(on: handle, until: end)
            // Nil stands between the answers to two statements.
            guard let result = unsafe library.getResult(handle) else {
                guard unsafe library.status(handle) == CONNECTION_OK else {
                    throw lost(message())
                }
                continue
            }
            defer { unsafe library.clear(result) }
            switch unsafe library.resultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                if let refusal { throw refusal }
                return answers
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answers.append(unsafe answer(result))
            case PGRES_PIPELINE_ABORTED: continue
            default:
                let state = unsafe field(result, tapcard_libpq_sqlstate) ?? ""
                let words = unsafe field(result, tapcard_libpq_message) ?? message()
                // The server says so and closes, or the connection itself is gone.
                guard !state.isEmpty, !state.hasPrefix("08"), !state.hasPrefix("57P"),
                    state != "25P03"
                else {
                    throw lost(words)
                }
                refusal = refusal ?? .refused(sqlState: state, words)
            }
        }
    }

    private func send(_ statement: SQLStatement, _ handle: OpaquePointer) -> Bool {
        var texts = unsafe statement.values.map { value in
            unsafe UnsafePointer(value.parameter.flatMap { unsafe strdup($0) })
        }
        defer {
            unsafe texts.forEach {
                unsafe free(UnsafeMutablePointer(mutating: $0))
            }
        }
        return unsafe library.sendQueryParams(
            handle, statement.sql, Int32(texts.count), nil, &texts, nil, nil, 0) == 1
    }

    /// Sends what is to be sent until an answer is there.
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
                throw lost("the database has not answered in time")
            }
            var waiting = pollfd(
                fd: unsafe library.socket(handle),
                events: Int16(unsent > 0 ? POLLIN | POLLOUT : POLLIN), revents: 0)
            let milliseconds =
                left.components.seconds * 1_000
                + left.components.attoseconds / 1_000_000_000_000_000
            let ready = unsafe poll(&waiting, 1, Int32(clamping: milliseconds + 1))
            guard ready > 0 else { continue }
            guard unsafe library.consumeInput(handle) == 1 else { throw lost(message()) }
        }
    }

    private func lost(_ why: String) -> LinkFailure {
        close()
        return .lost(why)
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

    /// The last complaint of libpq on one line, without its question whether the server runs.
    private func message() -> String {
        guard let words = unsafe library.errorMessage(handle) else { return "no memory" }
        return unsafe String(cString: words).split(separator: "\n")
            .filter { !$0.hasPrefix("\t") }.joined(separator: "; ")
    }
}

extension SQLValue {
    /// The text of a parameter; nil for NULL.
    fileprivate var parameter: String? {
        switch self {
        case .null: nil
        case .integer(let integer): String(integer)
        case .text(let text): text
        case .uid(let uid): String(uid.number)
        case .id(let id): id.description
        case .blob(let bytes): "\\x" + bytes.map(\.hexadecimal).joined()
        }
    }

    /// A value in the server's text form. The numbers of the types are fixed in its catalogue.
    fileprivate init(_ text: String, ofType type: UInt32) {
        switch type {
        case 16: self = .integer(text == "t" ? 1 : 0)
        case 17: self = SQLValue.bytes(text).map(SQLValue.blob) ?? .text(text)
        case 20, 21, 23, 1700: self = Int64(text).map(SQLValue.integer) ?? .text(text)
        default: self = .text(text)
        }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.dropFirst(2).map { UInt8(hexadecimal: $0) }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension UInt8 {
    fileprivate var hexadecimal: String {
        (self < 16 ? "0" : "") + String(self, radix: 16)
    }

    fileprivate init?(hexadecimal digit: UInt8) {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = digit - UInt8(ascii: "a") + 10
        default: return nil
        }
    }
}
