import Ledger

extension LedgerError {
    /// Translates a failure that occurred before COMMIT was sent, so that nothing was changed.
    init(_ failure: LinkFailure) {
        switch failure {
        case .lost(let why):
            self.init(.offline, "the database is offline (\(why)); try again")
        case .refused(let state, let text):
            self.init(sqlState: state, text)
        }
    }

    private init(sqlState state: String, _ text: String) {
        let cause = "(\(text), SQLSTATE \(state))"
        switch state.prefix(2) {
        case _ where state == LinkFailure.insufficientPrivilege, "25":
            self.init(
                .readOnly,
                "this machine has read-only access \(cause); ask the ledger's owner for write "
                    + "access")
        // The guardian has failed.
        case _ where state == Opening.guardState:
            self.init(
                .unavailable,
                "the ledger was reopened or this machine was removed in the meantime, and nothing "
                    + "was changed; try again to learn the reason")
        case "22", "23", "42":
            self.init(
                .corrupt,
                "the database refused a change that would break a ledger rule \(cause), and "
                    + "nothing was changed; run `tapcard audit`")
        case "40":
            self.init(.locked, "there were repeated conflicts on the same card \(cause); try again")
        case "53": self.init(.full, "the database has no space left \(cause); free up some space")
        case "55": self.init(.locked, "another connection holds a lock \(cause); try again")
        default:
            self.init(.unavailable, "the database cannot be used right now \(cause); try again")
        }
    }
}

extension LinkFailure {
    /// Whether another station got there first, so that the transaction has to be repeated.
    var isLostRace: Bool {
        guard case .refused(let state, _) = self else { return false }
        // 40001 is a serialization failure, 40P01 a deadlock.
        return ["40001", "40P01"].contains(state)
    }

    /// Whether another station may have gotten there first. One more attempt shows whether it did
    /// or whether a rule was violated.
    var mayBeLostRace: Bool {
        guard case .refused(let state, _) = self else { return false }
        // 22012: a change that had to affect a row affected none. 23505: a unique key already
        // exists.
        return ["22012", "23505", Opening.guardState].contains(state)
    }

    /// Whether the connection can no longer be used: the guardian failed, the station lacks a
    /// permission, or a prepared statement is gone or no longer matches the tables.
    var endsConnection: Bool {
        guard case .refused(let state, _) = self else { return false }
        // 26000: the prepared statement is unknown. 0A000: it no longer matches its tables.
        return [Opening.guardState, LinkFailure.insufficientPrivilege, "26000", "0A000"].contains(
            state)
    }

    static let insufficientPrivilege = "42501"
}
