public import TapcardDomain

/// A till whose reader is on another machine, where an agent drives it.
public struct EnrolledTill: Hashable, Sendable {
    /// The till's number, which never changes and is never reused.
    public let number: Int
    /// The till's name, which is unique among the tills that have not been removed.
    public internal(set) var name: TillName
    /// Whether cards can be made at this till, which shows tag passwords and factory keys to its
    /// agent.
    public internal(set) var isTrusted: Bool
    /// Whether the owner must confirm the till, because the ledger was restored from a backup.
    public internal(set) var isSuspended: Bool
    /// When the till was added.
    public let added: Timestamp
    /// When the till was removed; nil if it has not been removed.
    public internal(set) var removed: Timestamp?
    /// The latest code for enrolling an agent.
    public internal(set) var code: Code?
    /// The hash of the agent's token; nil if no agent has enrolled yet.
    public internal(set) var token: [UInt8]?
    /// A number that increases when an agent enrolls and whenever one attaches its reader. Servers
    /// refuse messages with an older epoch.
    public internal(set) var epoch: Int64
    /// The latest attachment of a reader.
    public internal(set) var attachment: Attachment?

    /// A code with which one agent can enroll for a till.
    public struct Code: Hashable, Sendable {
        /// How long a code is valid, in milliseconds.
        public static let lifetime: Int64 = 10 * 60_000

        /// The hash of the code.
        public let hash: [UInt8]
        /// When the code stops working.
        public let expires: Timestamp
        /// Whether an agent has used the code. Only that agent can use it again.
        public internal(set) var isUsed: Bool

        /// Creates a code that has not been used, unless `isUsed` is true.
        public init(hash: [UInt8], expires: Timestamp, isUsed: Bool = false) {
            (self.hash, self.expires, self.isUsed) = (hash, expires, isUsed)
        }
    }

    /// What is recorded when an agent attaches its reader.
    public struct Attachment: Hashable, Sendable {
        /// When the reader was attached.
        public let at: Timestamp
        /// The host name of the server.
        public let server: String
        /// The address at which other servers reach this server, with a seal under a key of the
        /// issuer; nil if it has none.
        public let serverAddress: String?
        /// The random ID that the agent chose when it started.
        public let run: [UInt8]
        /// The agent's version of tapcard.
        public let release: String
        /// The name of the reader.
        public let reader: String
        /// The agent's network address.
        public let address: String

        /// Creates the record of an attachment.
        public init(
            at: Timestamp, server: String, serverAddress: String?, run: [UInt8], release: String,
            reader: String, address: String
        ) {
            (self.at, self.server, self.serverAddress) = (at, server, serverAddress)
            (self.run, self.release, self.reader, self.address) = (run, release, reader, address)
        }
    }

    /// The lowest number of such a till. Lower numbers are for the server's own readers.
    public static let firstNumber = 101
    /// The maximum number of tills in a ledger, not counting removed ones.
    public static let maximumCount = 2_000

    package init(
        number: Int, name: TillName, isTrusted: Bool, isSuspended: Bool = false, added: Timestamp,
        removed: Timestamp? = nil, code: Code? = nil, token: [UInt8]? = nil, epoch: Int64 = 0,
        attachment: Attachment? = nil
    ) {
        (self.number, self.name, self.isTrusted, self.isSuspended) =
            (number, name, isTrusted, isSuspended)
        (self.added, self.removed, self.code, self.token) = (added, removed, code, token)
        (self.epoch, self.attachment) = (epoch, attachment)
    }
}

/// The till after it was added or changed, or the reason for a refusal.
public enum TillOutcome: Hashable, Sendable {
    /// The till was added or changed.
    case done(EnrolledTill)
    /// Nothing was changed.
    case refused(Refusal)
}

extension LedgerRows {
    /// The tills that have not been removed, ordered by number.
    public func currentTills() throws(LedgerError) -> [EnrolledTill] {
        try tills().filter { $0.removed == nil }
    }

    /// The till of the agent with this token, or why the agent is refused.
    fileprivate func till(tokenHash: [UInt8]) throws(LedgerError) -> TillOutcome {
        guard let till = try currentTills().first(where: { $0.token == tokenHash }) else {
            return .refused(Refusal(.badIdentifier, "no till has this token"))
        }
        guard !till.isSuspended else {
            return .refused(
                Refusal(
                    .wrongState,
                    "the ledger was restored, so the owner must confirm this till first"))
        }
        return .done(till)
    }
}

extension LedgerStore {
    /// Adds a till. Refuses a name that is a number or already in use, and too many tills.
    public func addTill(
        _ name: TillName, isTrusted: Bool, code: EnrolledTill.Code, at now: Timestamp
    ) async throws(LedgerError) -> TillOutcome {
        try await write { rows throws(LedgerError) in
            let all = try rows.tills()
            let current = all.filter { $0.removed == nil }
            if let refusal = name.refusalForTill { return .refused(refusal) }
            guard !current.contains(where: { $0.name == name }) else {
                return .refused(Refusal(.badName, "there is already a till named \(name.text)"))
            }
            guard current.count < EnrolledTill.maximumCount else {
                return .refused(
                    Refusal(
                        .wrongState,
                        "the limit of \(EnrolledTill.maximumCount) tills has been reached"))
            }
            let number = max(all.map(\.number).max() ?? 0, EnrolledTill.firstNumber - 1) + 1
            let till = EnrolledTill(
                number: number, name: name, isTrusted: isTrusted, added: now, code: code)
            try rows.save(till)
            return .done(till)
        }
    }

    /// Changes the till with this name, unless `change` returns a refusal. The sessions of a
    /// removed till end.
    public func changeTill(
        _ name: TillName,
        _ change: @escaping @Sendable (inout EnrolledTill, [EnrolledTill]) -> Refusal?
    ) async throws(LedgerError) -> TillOutcome {
        try await write { rows throws(LedgerError) in
            let current = try rows.currentTills()
            guard var till = current.first(where: { $0.name == name }) else {
                return .refused(Refusal(.wrongState, "there is no till named \(name.text)"))
            }
            if let refusal = change(&till, current) { return .refused(refusal) }
            try rows.save(till)
            if till.removed != nil { try rows.endSessions(at: till.number) }
            return .done(till)
        }
    }

    /// Renames a till.
    public func renameTill(
        _ name: TillName, to new: TillName
    ) async throws(LedgerError) -> TillOutcome {
        try await changeTill(name) { till, all in
            if let refusal = new.refusalForTill { return refusal }
            guard !all.contains(where: { $0.name == new && $0.number != till.number }) else {
                return Refusal(.badName, "there is already a till named \(new.text)")
            }
            till.name = new
            return nil
        }
    }

    /// Removes a till. Its code and its agent's token are no longer accepted.
    public func removeTill(
        _ name: TillName, at now: Timestamp
    ) async throws(LedgerError) -> TillOutcome {
        try await changeTill(name) { till, _ in
            (till.removed, till.code, till.token) = (now, nil, nil)
            return nil
        }
    }

    /// Gives a till a new code. The current agent can connect until another one uses the code.
    public func renewCode(
        of name: TillName, _ code: EnrolledTill.Code
    ) async throws(LedgerError) -> TillOutcome {
        try await changeTill(name) { till, _ in
            till.code = code
            return nil
        }
    }

    /// Suspends all tills until the owner confirms them, and ends their sessions. A restored ledger
    /// may still contain tills that were removed and sessions that ended after the backup was made.
    package func suspendTills() async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            for var till in try rows.currentTills() {
                till.isSuspended = true
                try rows.save(till)
                try rows.endSessions(at: till.number)
            }
        }
    }

    /// Ends a till's suspension, which began when the ledger was restored.
    public func confirmTill(_ name: TillName) async throws(LedgerError) -> TillOutcome {
        try await changeTill(name) { till, _ in
            till.isSuspended = false
            return nil
        }
    }

    /// Enrolls an agent: stores the hash of its token for the till with this code. If the response
    /// is lost, the agent can send the same code and token again, even after the code has expired.
    public func enroll(
        codeHash: [UInt8], tokenHash: [UInt8], at now: Timestamp
    ) async throws(LedgerError) -> TillOutcome {
        let unknown = TillOutcome.refused(Refusal(.badIdentifier, "this code is not valid"))
        // Unknown codes are refused without a write, so that guessing cannot slow down the ledger.
        let isKnown = try await read { rows throws(LedgerError) in
            try rows.currentTills().contains { $0.code?.hash == codeHash }
        }
        guard isKnown else { return unknown }
        return try await write { rows throws(LedgerError) in
            let current = try rows.currentTills()
            guard var till = current.first(where: { $0.code?.hash == codeHash }),
                let code = till.code,
                !current.contains(where: { $0.token == tokenHash && $0.number != till.number })
            else { return unknown }
            if till.token == tokenHash { return .done(till) }
            guard !code.isUsed, code.expires > now else {
                return .refused(
                    Refusal(
                        .badIdentifier,
                        code.isUsed ? "this code has already been used" : "this code has expired"))
            }
            till.code?.isUsed = true
            till.token = tokenHash
            till.epoch += 1
            try rows.save(till)
            return .done(till)
        }
    }

    /// The till whose reader the agent with this token may attach, or why it may not.
    package func till(tokenHash: [UInt8]) async throws(LedgerError) -> TillOutcome {
        try await read { rows throws(LedgerError) in try rows.till(tokenHash: tokenHash) }
    }

    /// Records that the agent with this token has attached its reader, and raises the till's epoch.
    public func attach(
        tokenHash: [UInt8], _ attachment: EnrolledTill.Attachment
    ) async throws(LedgerError) -> TillOutcome {
        // Refusals need no write, so that guessing cannot slow down the ledger.
        let known = try await till(tokenHash: tokenHash)
        guard case .done = known else { return known }
        return try await write { rows throws(LedgerError) in
            let outcome = try rows.till(tokenHash: tokenHash)
            guard case .done(var till) = outcome else { return outcome }
            till.epoch += 1
            till.attachment = attachment
            try rows.save(till)
            return .done(till)
        }
    }
}

extension TillName {
    /// Why a till on another machine cannot have this name; nil if it can. Numbers are the names of
    /// tills with the server's own readers.
    fileprivate var refusalForTill: Refusal? {
        text.allSatisfy(\.isNumber)
            ? Refusal(.badName, "a till's name must not be a number") : nil
    }
}
