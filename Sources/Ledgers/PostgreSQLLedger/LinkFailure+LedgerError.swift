import Ledger

extension LedgerError {
    /// Translates a failure before COMMIT was sent, so that nothing was changed.
    init(_ failure: LinkFailure) {
        switch failure {
        case .lost(let why):
            self.init(.offline, "the database cannot be reached (\(why)); try again")
        case .refused(let state, let words):
            self.init(sqlState: state, words)
        }
    }

    private init(sqlState state: String, _ words: String) {
        let cause = "(\(words), SQLSTATE \(state))"
        switch state.prefix(2) {
        case _ where state == LinkFailure.noRight, "25":
            self.init(
                .readOnly, "this station may only read the ledger \(cause); ask who runs it")
        // The guardian's square root of a negative number.
        case _ where state == Opening.guardState:
            self.init(
                .unavailable,
                "the ledger was reopened, or its owner has revoked this station; nothing was "
                    + "changed, try again: then it says which")
        case "22", "23", "42":
            self.init(
                .corrupt,
                "a change would break a rule of the ledger \(cause); nothing was changed, run "
                    + "tapcard audit")
        case "40":
            self.init(.locked, "other stations change the same card again and again \(cause)")
        case "53": self.init(.full, "the database has no room left \(cause); free some")
        case "55": self.init(.locked, "somebody holds the ledger \(cause); try again later")
        default: self.init(.unavailable, "the database cannot be used now \(cause); try again")
        }
    }
}

extension LinkFailure {
    /// Whether another station was quicker, so that the transaction has to be repeated.
    var isLostRace: Bool {
        guard case .refused(let state, _) = self else { return false }
        // 40001 is a serialization failure, 40P01 a deadlock.
        return ["40001", "40P01"].contains(state)
    }

    /// Whether another station may have been quicker; one more try tells that from a broken rule.
    var mayBeLostRace: Bool {
        guard case .refused(let state, _) = self else { return false }
        // 22012: a change that had to change something changed nothing. 23505: a key is in use.
        return ["22012", "23505", Opening.guardState].contains(state)
    }

    /// Whether the connection can no longer be used: the server refused the station, through its
    /// guardian or for lack of a right, or a kept plan is gone or no longer fits the tables.
    var endsConnection: Bool {
        guard case .refused(let state, _) = self else { return false }
        // 26000: the plan is unknown. 0A000: it no longer fits its tables.
        return [Opening.guardState, LinkFailure.noRight, "26000", "0A000"].contains(state)
    }

    static let noRight = "42501"
}
