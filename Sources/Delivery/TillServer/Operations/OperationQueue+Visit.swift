import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// Keeps track of the card's visit: what has been done since the card was put on the reader, and
/// what may be started.
extension OperationQueue {
    /// Records a card that the watch has read, and what its tap resolved.
    func arrived(_ uid: String?, _ resolved: JSONValue?, _ problem: TapcardError?) async {
        guard let uid = uid.flatMap({ CardUID($0) }) else { return }
        admission.visit.arrive(uid)
        // If the ledger is offline, a query would delay the next operation.
        if problem?.result != .ledger { await recall() }
        noteResolved(resolved)
    }

    /// Asks the ledger about a card that was already on the reader when the watch began. If the
    /// ledger is offline, anything may have been done for that card.
    private func recall() async {
        // Another card may have been put on the reader during the ledger query.
        guard let uid = admission.visit.unseen, let earlier = await runner.earlierRequests(uid),
            admission.visit.unseen == uid
        else { return }
        admission.visit.recall(earlier)
    }

    private func noteResolved(_ resolved: JSONValue?) {
        for entry in resolved?.array ?? [] {
            guard let id = entry["operation"]?.string.flatMap({ OperationID($0) }) else { continue }
            // A voided operation took no money, so the card may be charged again.
            guard entry["outcome"]?.string == "committed" else {
                admission.visit.forget(id)
                continue
            }
            let kind = entry["kind"]?.string
            if let request = kind.flatMap({ VisitRequest(kind: $0) }) {
                admission.visit.note(request, id, .yes)
            }
            // The others were reported as done when they began, and have their receipt.
            if kind.flatMap(Operation.Kind.init(rawValue:))?.isVoidable == true {
                noteReceipt(of: id)
            }
        }
    }

    /// The error for an operation that has the reader but must not begin, because a request of the
    /// same kind was already done for its card during this visit. Nil if the ledger has the
    /// operation's ID, because a repeated request starts nothing new.
    func refusal(of id: OperationID) async -> TapcardError? {
        guard let operation = running[id],
            let request = operation.call.visitRequest
        else { return nil }
        func question() -> Visit.Certainty? {
            admission.question(request, on: operation.namedCard, isAgain: operation.isAgain)
        }
        if admission.visit.hasChecked, question() == nil { return nil }
        // The reader has not been checked yet, or the card may have been removed at the last
        // moment.
        switch await runner.checkPresence(again: true) {
        case .card(let uid?): admission.visit.arrive(uid)
        // A tag without a card number has no visit.
        case .card(nil): break
        case .empty:
            admission.visit.leave()
            cardRemoved()
        // If the card cannot be read, it could be one that was already charged.
        case .problem(let error): return error
        }
        await recall()
        guard let certainty = question() else { return nil }
        let uid = admission.visit.card
        // If this visit has recorded the ID, the request is a repeat, which charges nothing.
        if admission.visit.knows(id) { return nil }
        return switch await runner.recordedState(of: id, for: operation.call) {
        case .nothing, .unknown: .sameCard(request, certainty, uid)
        case .open, .answered, .ended: nil
        }
    }

    /// Records what an operation did for the card on which it ran.
    func note(_ uid: CardUID?, _ answer: TillRunner.Answer, of id: OperationID) {
        if let uid { admission.visit.arrive(uid) }
        note(answer, of: id)
    }

    /// Records that the card on which an operation ran is still on the reader.
    func stayed(_ uid: CardUID?) {
        arming.stay()
        keepOnReader(uid)
    }

    /// Records what is on the reader after an operation on a card.
    func note(_ presence: TillRunner.Presence, _ uid: CardUID?) {
        switch presence {
        case .card: stayed(uid)
        // A second tag next to the card does not end the card's visit.
        case .problem(let error) where error.kind == .severalTags: stayed(uid)
        case .empty:
            arming.empty(at: now)
            admission.visit.leave()
            cardRemoved()
        case .problem:
            admission.visit.open()
            cardRemoved()
        }
    }

    private func note(_ answer: TillRunner.Answer, of id: OperationID) {
        guard let operation = running[id] else { return }
        let problem = answer.problem
        noteResolved(answer.document?["resolved"] ?? problem.map { .resolved($0.resolved) })
        if let request = operation.call.visitRequest {
            // A replayed answer may be from an earlier visit, which does not count now.
            let isReplayed = answer.document?["replayed"] == .bool(true)
            if problem == nil, !isReplayed || admission.visit.knows(id) {
                admission.visit.note(request, id, .yes)
            } else if let problem, problem.result == .unknown, operation.uid != nil {
                // The outcome is unknown, so the card may have been charged.
                admission.visit.note(request, problem.operation ?? id, .perhaps)
            }
        }
        // After a full refund, the request may be made again without confirmation.
        if operation.call.path == "refund", problem == nil, !operation.command.isGiven(.part) {
            admission.visit.forget(operation.command[.refunded])
        }
    }
}

extension VisitRequest {
    /// The request that corresponds to an operation of this kind in the ledger.
    fileprivate init?(kind: String) {
        guard let kind = Operation.Kind(rawValue: kind) else { return nil }
        self.init(kind)
    }
}

extension TillOperation {
    /// Whether the cashier has confirmed that the request should be done for the card again.
    fileprivate var isAgain: Bool { command[.again] }

    /// The only card that the request applies to; nil if any card will do.
    var namedCard: CardUID? { command[.card] }
}
