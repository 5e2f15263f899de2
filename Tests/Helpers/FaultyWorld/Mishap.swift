package import SimulatedReader

/// A fault at one step of a tap: at a frame, or at a transaction of the ledger.
package enum Mishap: Hashable, Sendable {
    /// A fault on the radio. A card that is gone stays away until the next tap.
    case radio(Fault.Kind)
    /// A fault on the radio, after which the card is put back at once.
    case radioAndBack(Fault.Kind)
    /// The process dies before the step, or after it.
    case killedBefore, killedAfter
    /// The ledger is offline and says so; nothing is done.
    case ledgerOffline
    /// The ledger is offline from here to the end of the tap.
    case ledgerGone
    /// The commit is lost, and its outcome is unknown.
    case commitLost
    /// The commit is done, and its outcome is unknown.
    case commitUnknown
    /// The commit is done without an answer, and the ledger is offline from here on.
    case commitUnknownLedgerGone
    case service(ServiceFault)
    /// A command to a chip is lost, and an attacker answers that it is done.
    case forgedAnswer
}

/// A fault of the activation service.
package enum ServiceFault: String, Hashable, Sendable, CaseIterable {
    /// It refuses, unless the code is already active.
    case refuses
    case offline
    /// It activates the code, and its answer is lost.
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
