import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// An operation that a client requested, with its progress.
struct TillOperation: Sendable {
    /// The progress of an operation. Once `committed`, the operation has taken effect.
    enum Phase: String, Sendable, CaseIterable {
        case begun, waiting, seen, resolving, scratching, writing, asking, committed, done, failed

        init?(_ progress: Station.Progress) {
            switch progress {
            case .waitingForCard: self = .waiting
            case .cardSeen: self = .seen
            case .resolving: self = .resolving
            case .scratching: self = .scratching
            case .writing, .switchingProtection: self = .writing
            case .asking: self = .asking
            case .committed: self = .committed
            case .hint: return nil
            }
        }
    }

    let id: OperationID
    let call: TillCall
    let command: ParsedCommand
    /// The request's members without the operation ID, to recognize a repeated request.
    let members: [JSONMember]
    var needsReader: Bool
    /// The page that sent the request; nil for other programs.
    let client: OperationID?
    /// Who made the request, without the till.
    let requester: Requester
    let began = ContinuousClock.now
    var gate: StopGate
    var phase = Phase.begun
    var uid: CardUID?
    var answer: TillRunner.Answer?
    var task: Task<TillRunner.Answer, Never>?

    /// Cancels the operation. Returns false if it has begun work that must be completed.
    func stop() -> Bool { gate.stop { task?.cancel() } }

    /// Whether the operation has ended without taking effect.
    var hasNotHappened: Bool {
        guard let problem = answer?.problem else { return false }
        return switch problem.result {
        case .usage, .refused, .untrusted, .noCard, .noReader: true
        case .failed: problem.kind == .cancelled
        // The ledger or the service may have received the request even if the response was lost.
        case .unknown, .ledger, .service: false
        }
    }

    /// Whether the other operation has the same call and the same members.
    func isSame(as other: TillOperation) -> Bool {
        call.path == other.call.path && Set(members) == Set(other.members)
    }

    mutating func note(_ progress: Station.Progress) {
        guard answer == nil, let next = Phase(progress) else { return }
        if case .cardSeen(let uid) = progress { self.uid = uid }
        // Once committed, the operation has taken effect, even if the text for phones is still
        // being written.
        guard phase != .committed else { return }
        phase = next
    }

    mutating func end(_ answer: TillRunner.Answer) {
        self.answer = answer
        phase = answer.problem == nil ? .done : .failed
        uid = answer.problem?.uid ?? uid
    }

    /// The operation as everyone may see it.
    var document: JSONValue { document(for: .seller) }

    /// The operation as a person with this role may see it.
    func document(for role: CashierRole) -> JSONValue {
        let isHidden = call.hidesAnswer && call.permission.lowest.map { role < $0 } ?? false
        return [
            "operation": .string(id.description), "verb": .string(call.path),
            "client": client.map { .string($0.description) } ?? .null,
            "phase": .string(phase.rawValue),
            "uid": uid.map { .string($0.description) } ?? .null,
            "answer": isHidden ? .null : answer?.document ?? .null,
            "problem": answer?.problem.map { Problem($0).document } ?? .null,
        ]
    }
}
