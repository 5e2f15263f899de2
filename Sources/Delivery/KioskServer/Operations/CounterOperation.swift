import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// Something that somebody at a page has asked for, and how far it is.
struct CounterOperation: Sendable {
    /// How far; from the committed phase on it has happened.
    enum Phase: String, Sendable, CaseIterable {
        case begun, waiting, seen, settling, scratching, writing, asking, committed, done, failed

        init?(_ progress: Station.Progress) {
            switch progress {
            case .waitingForCard: self = .waiting
            case .cardSeen: self = .seen
            case .settling: self = .settling
            case .scratching: self = .scratching
            case .writing, .switchingProtection: self = .writing
            case .asking: self = .asking
            case .committed: self = .committed
            case .hint: return nil
            }
        }
    }

    let id: OperationID
    let call: CounterCall
    /// Without the operation's id.
    let members: [JSONMember]
    var needsReader: Bool
    /// The page that has asked; nobody's when it was another program.
    let client: OperationID?
    let cashier: CashierName?
    let began = ContinuousClock.now
    var gate: StopGate
    var phase = Phase.begun
    var uid: CardUID?
    var answer: CounterDesk.Answer?
    var task: Task<CounterDesk.Answer, Never>?

    var isOver: Bool { answer != nil }

    /// Ends it where nothing has been begun that would have to be brought to an end; false otherwise.
    func stop() -> Bool { gate.stop { task?.cancel() } }

    /// Whether it has ended, or is sure to end, without having happened.
    var hasNotHappened: Bool {
        guard let problem = answer?.problem else { return false }
        return switch problem.result {
        case .usage, .refused, .untrusted, .noCard, .noReader: true
        case .failed: problem.kind == .cancelled
        case .unknown, .ledger, .service: false
        }
    }

    /// What was asked for, with the id under which the ledger knows it.
    var namedMembers: [JSONMember] {
        guard call.takesOperation else { return members }
        return members + [JSONMember(key: "operation", value: .string(id.description))]
    }

    /// Whether it is the same that was asked for before.
    func isSame(as other: CounterOperation) -> Bool {
        call.path == other.call.path && Set(members) == Set(other.members)
    }

    mutating func note(_ progress: Station.Progress) {
        guard !isOver, let next = Phase(progress) else { return }
        if case .cardSeen(let uid) = progress { self.uid = uid }
        // What phones read may still be written then; it has happened all the same.
        guard phase != .committed else { return }
        phase = next
    }

    mutating func end(_ answer: CounterDesk.Answer) {
        self.answer = answer
        phase = answer.problem == nil ? .done : .failed
        uid = answer.problem?.uid ?? uid
    }

    var document: JSONValue {
        [
            "operation": .string(id.description), "verb": .string(call.path),
            "client": client.map { .string($0.description) } ?? .null,
            "phase": .string(phase.rawValue),
            "uid": uid.map { .string($0.description) } ?? .null,
            "answer": answer?.document ?? .null,
            "problem": answer?.problem.map { Problem($0).document } ?? .null,
        ]
    }
}
