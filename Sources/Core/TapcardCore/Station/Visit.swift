package import Ledger
package import TapcardDomain

/// A request that a card gets once while it stays on the reader.
package enum VisitRequest: String, Sendable, CaseIterable {
    case pay, add
    case ticket = "ticket/buy"

    /// Nil for an operation that is no such request.
    package init?(_ kind: Operation.Kind) {
        switch kind {
        case .pay, .offline: self = .pay
        case .add: self = .add
        case .ticket: self = .ticket
        default: return nil
        }
    }
}

/// One card's stay on a reader, and what it has had meanwhile.
package struct Visit: Sendable, Hashable {
    /// How sure it is that the card has had a request.
    package enum Certainty: String, Sendable, CaseIterable { case yes, perhaps }

    /// The card; nil if there is none, or if the reader was not looked at yet.
    package private(set) var card: CardUID?
    /// Whether the reader was looked at since it was opened.
    package private(set) var hasLooked = false
    /// Whether nobody saw the card arrive, and the ledger was not asked about it yet.
    private var isUnseen = false
    /// What an unseen card had at any time before.
    private var earlier: Set<VisitRequest> = []
    private var operations: [VisitRequest: [OperationID: Certainty]] = [:]

    package init() {}

    /// The reader was opened, or found again: whatever is on it may have been there all the time.
    package mutating func open() { self = Visit() }

    package mutating func leave() {
        self = Visit()
        hasLooked = true
    }

    package mutating func arrive(_ uid: CardUID) {
        guard uid != card else { return }
        let isUnseen = !hasLooked && !SafetyRule.unseenCardIsAskedAbout.isLeftOut
        leave()
        (card, self.isUnseen) = (uid, isUnseen)
    }

    /// The card that the ledger has to be asked about.
    package var unseen: CardUID? { isUnseen ? card : nil }

    /// Takes what the ledger knows of the unseen card.
    package mutating func recall(_ earlier: Set<VisitRequest>) {
        (self.earlier, isUnseen) = (earlier, false)
    }

    /// Notes an operation on this card.
    package mutating func note(
        _ request: VisitRequest, _ id: OperationID, _ certainty: Certainty
    ) {
        guard operations[request]?[id] != .yes else { return }
        operations[request, default: [:]][id] = certainty
    }

    /// Forgets an operation that was voided, or undone as a whole.
    package mutating func forget(_ id: OperationID) {
        for request in VisitRequest.allCases { operations[request]?[id] = nil }
    }

    package func knows(_ id: OperationID) -> Bool {
        operations.values.contains { $0[id] != nil }
    }

    /// Whether the card has had this request; nil if it has not.
    package func certainty(of request: VisitRequest) -> Certainty? {
        let noted = (operations[request] ?? [:]).values
        if noted.contains(.yes) { return .yes }
        return isUnseen || earlier.contains(request) || !noted.isEmpty ? .perhaps : nil
    }
}

/// Decides which requests a till may begin: what a card gets once a visit, it gets again only if
/// somebody says so, and a repeated request never begins anything.
package struct Admission: Sendable {
    private static let mostWithdrawn = 256

    package var visit = Visit()
    private var withdrawn: [OperationID] = []

    package init() {}

    /// Why somebody has to be asked before this request is begun; nil if it may be begun. `card` is
    /// the only card that it is for.
    package func question(
        _ request: VisitRequest, on card: CardUID?, isAgain: Bool
    ) -> Visit.Certainty? {
        if SafetyRule.oncePerVisit.isLeftOut { return nil }
        if isAgain || (card ?? visit.card) != visit.card { return nil }
        return visit.certainty(of: request)
    }

    /// Whether a repeated request may go on. If nothing was begun under its id, nothing will be:
    /// the first request may still be on its way.
    package mutating func goesOn(_ id: OperationID, isBegun: Bool) -> Bool {
        if SafetyRule.repetitionBeginsNothing.isLeftOut { return true }
        if isBegun { return true }
        withdrawn.append(id)
        if withdrawn.count > Admission.mostWithdrawn { withdrawn.removeFirst() }
        return false
    }

    /// Whether a client was told that nothing happens under this id.
    package func isWithdrawn(_ id: OperationID) -> Bool {
        withdrawn.contains(id) && !SafetyRule.withdrawnIsNotBegun.isLeftOut
    }
}

extension TapcardError {
    /// The refusal of a request that the card has had in this visit, or may have had.
    package static func sameCard(
        _ request: VisitRequest, _ certainty: Visit.Certainty, _ uid: CardUID?
    ) -> TapcardError {
        let had =
            switch request {
            case .pay: "paid"
            case .add: "been topped up"
            case .ticket: "bought a ticket"
            }
        let sureness = certainty == .yes ? "has just" : "may just have"
        return TapcardError(
            .sameCard, "This card \(sureness) \(had).",
            meaning: "Nothing was done: the card stayed on the reader, so the second request was "
                + "refused.", uid: uid)
    }
}
