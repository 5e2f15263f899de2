package import Ledger
package import TapcardDomain

/// A kind of request that is carried out only once for a card while the card stays on the reader.
package enum VisitRequest: String, Sendable, CaseIterable {
    case pay, add
    case ticket = "ticket/buy"

    /// Nil for an operation of any other kind.
    package init?(_ kind: Operation.Kind) {
        switch kind {
        // An offline payment counts as a payment, so that no customer pays twice. A credit is also
        // the outcome of a sale.
        case .pay, .offline, .credit: self = .pay
        case .add: self = .add
        case .ticket: self = .ticket
        default: return nil
        }
    }
}

/// One card's stay on a reader, and the requests that were carried out for it during that time.
package struct Visit: Sendable, Hashable {
    /// How certain it is that a request was carried out for the card.
    package enum Certainty: String, Sendable, CaseIterable { case yes, perhaps }

    /// The card; nil if there is none, or if the reader has not been checked for a card yet.
    package private(set) var card: CardUID?
    /// Whether the reader has been checked for a card since it was opened.
    package private(set) var hasChecked = false
    /// Whether the card may have been on the reader before the first check, and has not been looked
    /// up in the ledger yet.
    private var isUnseen = false
    /// The requests that may already have been carried out for a card whose arrival was not seen.
    private var earlier: Set<VisitRequest> = []
    private var operations: [VisitRequest: [OperationID: Certainty]] = [:]

    package init() {}

    /// Starts over because the reader was opened or found again. A card on it may have been there
    /// all along.
    package mutating func open() { self = Visit() }

    package mutating func leave() {
        self = Visit()
        // The reader has been checked now, so the next card's arrival will be seen.
        hasChecked = true
    }

    package mutating func arrive(_ uid: CardUID) {
        // The same card is still there, so its visit continues.
        guard uid != card else { return }
        // A card found at the first check may have been there before this program started.
        let isUnseen = !hasChecked && !SafetyRule.unseenCardIsLookedUp.isDisabled
        leave()
        (card, self.isUnseen) = (uid, isUnseen)
    }

    /// The card that has to be looked up in the ledger, if any.
    package var unseen: CardUID? { isUnseen ? card : nil }

    /// Records the requests that the ledger reports for a card whose arrival was not seen.
    package mutating func recall(_ earlier: Set<VisitRequest>) {
        (self.earlier, isUnseen) = (earlier, false)
    }

    /// Records an operation on this card.
    package mutating func note(
        _ request: VisitRequest, _ id: OperationID, _ certainty: Certainty
    ) {
        // A later, less certain report does not override a certain one.
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
        let recorded = (operations[request] ?? [:]).values
        if recorded.contains(.yes) { return .yes }
        // Until the ledger has been queried, any request may have been carried out for a card whose
        // arrival was not seen.
        return isUnseen || earlier.contains(request) || !recorded.isEmpty ? .perhaps : nil
    }
}

/// Decides which requests a till may begin. A kind of request that was carried out during a visit
/// is carried out again only if someone confirms it. A repeated request never begins an operation.
package struct Admission: Sendable {
    private static let maxWithdrawn = 256

    package var visit = Visit()
    private var withdrawn: [OperationID] = []

    package init() {}

    /// How certain it is that this request was already carried out for the card. If so, someone has
    /// to confirm the request before it may begin again. Nil if the request may begin. `card` is
    /// the only card that the request accepts.
    package func question(
        _ request: VisitRequest, on card: CardUID?, isAgain: Bool
    ) -> Visit.Certainty? {
        if SafetyRule.oncePerVisit.isDisabled { return nil }
        // The request may begin if someone has confirmed it or it accepts only another card.
        if isAgain || (card ?? visit.card) != visit.card { return nil }
        return visit.certainty(of: request)
    }

    /// Whether a repeated request may continue. If no operation was begun with its ID, none will
    /// be, even if the first request is still on its way and arrives later.
    package mutating func mayContinue(_ id: OperationID, isBegun: Bool) -> Bool {
        if SafetyRule.repetitionBeginsNothing.isDisabled { return true }
        if isBegun { return true }
        withdrawn.append(id)
        // The oldest IDs are dropped, so that the list cannot grow without limit.
        if withdrawn.count > Admission.maxWithdrawn { withdrawn.removeFirst() }
        return false
    }

    /// Whether a client was told that no operation will ever be begun with this ID.
    package func isWithdrawn(_ id: OperationID) -> Bool {
        withdrawn.contains(id) && !SafetyRule.withdrawnIsNotBegun.isDisabled
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
        let claim = certainty == .yes ? "has just" : "may just have"
        return TapcardError(
            .sameCard, "This card \(claim) \(had).",
            meaning: "Nothing was done: the card stayed on the reader, so the second request was "
                + "refused.", uid: uid)
    }
}
