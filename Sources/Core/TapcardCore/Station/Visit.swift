package import Ledger
package import TapcardDomain

/// A request that is carried out only once for a card while it stays on the reader.
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

/// One card's stay on a reader, and which requests were carried out for it during that time.
package struct Visit: Sendable, Hashable {
    /// How certain it is that a request was carried out for the card.
    package enum Certainty: String, Sendable, CaseIterable { case yes, perhaps }

    /// The card; nil if there is none, or if nobody has looked at the reader yet.
    package private(set) var card: CardUID?
    /// Whether anybody has looked at the reader since it was opened.
    package private(set) var hasLooked = false
    /// Whether nobody saw the card being put on the reader and the ledger has not been asked about
    /// it yet.
    private var isUnseen = false
    /// Which requests may already have been carried out for an unseen card.
    private var earlier: Set<VisitRequest> = []
    private var operations: [VisitRequest: [OperationID: Certainty]] = [:]

    package init() {}

    /// Notes that the reader was opened or found again: whatever is on it may have been there all
    /// along.
    package mutating func open() { self = Visit() }

    package mutating func leave() {
        self = Visit()
        hasLooked = true
    }

    package mutating func arrive(_ uid: CardUID) {
        guard uid != card else { return }
        // A card found at the first look may have been there before this program started.
        let isUnseen = !hasLooked && !SafetyRule.unseenCardIsAskedAbout.isLeftOut
        leave()
        (card, self.isUnseen) = (uid, isUnseen)
    }

    /// The card that the ledger has to be asked about, if any.
    package var unseen: CardUID? { isUnseen ? card : nil }

    /// Records what the ledger knows about the unseen card.
    package mutating func recall(_ earlier: Set<VisitRequest>) {
        (self.earlier, isUnseen) = (earlier, false)
    }

    /// Records an operation on this card.
    package mutating func note(
        _ request: VisitRequest, _ id: OperationID, _ certainty: Certainty
    ) {
        // What is certain stays certain, whatever a later report about the same operation says.
        guard operations[request]?[id] != .yes else { return }
        operations[request, default: [:]][id] = certainty
    }

    /// Forgets an operation that was voided or fully undone.
    package mutating func forget(_ id: OperationID) {
        for request in VisitRequest.allCases { operations[request]?[id] = nil }
    }

    package func knows(_ id: OperationID) -> Bool {
        operations.values.contains { $0[id] != nil }
    }

    /// How certain it is that this request was carried out for the card; nil if it was not.
    package func certainty(of request: VisitRequest) -> Certainty? {
        let noted = (operations[request] ?? [:]).values
        if noted.contains(.yes) { return .yes }
        // Until the ledger answers, any request may have been carried out for a card that nobody
        // saw being put on the reader.
        return isUnseen || earlier.contains(request) || !noted.isEmpty ? .perhaps : nil
    }
}

/// Decides which requests a till may begin: a request that was carried out once in a visit is
/// carried out again only if someone confirms it, and a repeated request never begins anything.
package struct Admission: Sendable {
    private static let mostWithdrawn = 256

    package var visit = Visit()
    private var withdrawn: [OperationID] = []

    package init() {}

    /// How certain it is that this request was already carried out for the card, so that someone
    /// has to be asked first; nil if it may begin. `card` is the only card that the request is for.
    package func question(
        _ request: VisitRequest, on card: CardUID?, isAgain: Bool
    ) -> Visit.Certainty? {
        if SafetyRule.oncePerVisit.isLeftOut { return nil }
        if isAgain || (card ?? visit.card) != visit.card { return nil }
        return visit.certainty(of: request)
    }

    /// Whether a repeated request may continue. If nothing was begun under its ID, nothing will be,
    /// although the first request may still be on its way.
    package mutating func goesOn(_ id: OperationID, isBegun: Bool) -> Bool {
        if SafetyRule.repetitionBeginsNothing.isLeftOut { return true }
        if isBegun { return true }
        withdrawn.append(id)
        if withdrawn.count > Admission.mostWithdrawn { withdrawn.removeFirst() }
        return false
    }

    /// Whether a client was told that nothing will happen under this ID.
    package func isWithdrawn(_ id: OperationID) -> Bool {
        withdrawn.contains(id) && !SafetyRule.withdrawnIsNotBegun.isLeftOut
    }
}

extension TapcardError {
    /// The refusal of a request that was, or may have been, carried out for the card during this
    /// visit.
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
