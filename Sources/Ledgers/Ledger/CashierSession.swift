public import TapcardDomain

/// A cashier's session at a till with a reader on another machine. It is in the ledger, so that
/// another server of the same ledger can continue it. The ledger has only hashes of its secrets.
public struct CashierSession: Hashable, Sendable {
    /// The hash of the session's token.
    public let token: [UInt8]
    /// The hash of the session's cookie.
    public let cookie: [UInt8]
    /// The number of the till.
    public let till: Int
    /// The cashier who logged in.
    public let cashier: CashierName
    /// A seal over the session and the cashier's password, under a key of the issuer.
    public let login: [UInt8]
    /// When the cashier logged in.
    public let opened: Timestamp
    /// The time of a recent use. Not every use is recorded.
    public internal(set) var used: Timestamp

    /// Creates a session, as it is in the ledger.
    public init(
        token: [UInt8], cookie: [UInt8], till: Int, cashier: CashierName, login: [UInt8],
        opened: Timestamp, used: Timestamp
    ) {
        (self.token, self.cookie, self.till) = (token, cookie, till)
        (self.cashier, self.login) = (cashier, login)
        (self.opened, self.used) = (opened, used)
    }
}

extension LedgerStore {
    /// The sessions at this till, in the order in which they were opened.
    public func sessions(at till: Int) async throws(LedgerError) -> [CashierSession] {
        try await read { rows throws(LedgerError) in try rows.sessions(at: till) }
    }

    /// Records a new session, and deletes the till's sessions that were opened before `oldest`.
    public func add(
        _ session: CashierSession, after oldest: Timestamp
    ) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            for old in try rows.sessions(at: session.till) where old.opened < oldest {
                try rows.deleteSession(old.token)
            }
            try rows.save(session)
        }
    }

    /// Records a use of a session, unless the session has ended.
    public func noteUse(
        of token: [UInt8], at till: Int, _ now: Timestamp
    ) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            guard var session = try rows.sessions(at: till).first(where: { $0.token == token })
            else { return }
            session.used = max(session.used, now)
            try rows.save(session)
        }
    }

    /// Deletes the session with this hash of its token.
    public func endSession(_ token: [UInt8]) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in try rows.deleteSession(token) }
    }
}

extension LedgerRows {
    /// Deletes all sessions at this till.
    func endSessions(at till: Int) throws(LedgerError) {
        for session in try sessions(at: till) { try deleteSession(session.token) }
    }
}
