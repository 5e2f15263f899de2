package import SimulatedReader

/// A fault at one step of a tap: at a frame, or at a transaction of the ledger.
package enum Mishap: Hashable, Sendable {
    /// On the radio. Where the card is gone by it, it stays away until the next tap.
    case radio(Fault.Kind)
    /// On the radio, and the card is laid back at once.
    case radioAndBack(Fault.Kind)
    /// The process dies before the step, or after it.
    case killedBefore, killedAfter
    /// The ledger cannot be asked, and says so; nothing is done.
    case ledgerOffline
    /// The ledger cannot be asked from here to the end of the tap.
    case ledgerGone
    /// The commit is lost, and whether it was done is not known.
    case commitLost
    /// The commit is done, and whether it was is not known.
    case commitUnknown
    /// The commit is done without an answer, and from here on the ledger does not answer.
    case commitUnknownLedgerGone
    case service(ServiceFault)
    /// A command to a chip is lost, and somebody else answers that it is done.
    case forgedAnswer
}

/// How the activation service can disappoint.
package enum ServiceFault: String, Hashable, Sendable, CaseIterable {
    /// It says no, unless the code is active already.
    case refuses
    case offline
    /// It makes the code active, and its answer is lost.
    case answerLost
}

extension Mishap {
    /// Whether the tag refuses a frame or command.
    var isRefusal: Bool { if case .radio(.refused) = self { true } else { false } }
}

extension Mishap: CustomStringConvertible {
    package var description: String {
        switch self {
        case .radio(let kind): "\(kind)"
        case .radioAndBack(let kind): "\(kind), and laid back at once"
        case .killedBefore: "the process is killed before it"
        case .killedAfter: "the process is killed after it"
        case .ledgerOffline: "the ledger is offline"
        case .ledgerGone: "the ledger is offline from here on"
        case .commitLost: "the commit is lost, its outcome unknown"
        case .commitUnknown: "the commit is done, its outcome unknown"
        case .commitUnknownLedgerGone:
            "the commit is done, its outcome unknown, and the ledger is offline from here on"
        case .service(.refuses): "the service refuses"
        case .service(.offline): "the service is offline"
        case .service(.answerLost): "the service does it, and its answer is lost"
        case .forgedAnswer: "it is lost, and somebody else answers that it is done"
        }
    }
}
