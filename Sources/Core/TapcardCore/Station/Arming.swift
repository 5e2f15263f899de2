package import TapcardDomain

/// Decides which card pays a till's armed sale without another press: only a card that arrives after
/// arming, on a reader that was empty before. Times are passed in, on a monotonic clock.
package struct Arming: Sendable, Hashable {
    /// An armed sale waits this long for its card.
    package static let limit = Duration.seconds(30)
    /// The reader must have been empty this long before a card counts as arriving.
    package static let absence = Duration.seconds(1)
    private static let maxWithdrawn = 256

    package struct Sale: Sendable, Hashable {
        package let id: OperationID
        /// The page that armed the sale and owns it.
        package let client: OperationID
        package let at: Duration
    }

    /// Why a sale is no longer armed.
    package enum End: String, Sendable, CaseIterable {
        case changed
        case expired
        case otherPage = "other-page"
        case pageLeft = "page-left"
        /// A card change that was no clean arrival.
        case unclearCard = "unclear-card"
        case readerLost = "reader-lost"
        case readerUsed = "reader-used"
        /// A card arrived, and its payment begins.
        case paying
    }

    package enum Refusal: Sendable, Hashable {
        /// A card is on the reader, so the request has to name it.
        case cardPresent
        /// A card was refused or unclear, so the next request of this page has to name its card.
        case cardNeeded
        /// The sale with this ID was changed before this request arrived.
        case withdrawn
    }

    /// What is known about the reader.
    private enum Reader: Sendable, Hashable {
        case unknown, occupied
        case empty(since: Duration)
    }

    package private(set) var sale: Sale?
    private var reader = Reader.unknown
    /// The page that has to name its next card.
    private var naming: OperationID?
    private var withdrawn: [OperationID] = []

    package init() {}

    // MARK: The page

    /// Arms a sale. It replaces the sale that was armed before. `isServed` says that the card on the
    /// reader has already paid during its visit, so the sale is for the next card.
    package mutating func arm(
        _ id: OperationID, for client: OperationID, at now: Duration, isServed: Bool
    ) -> Refusal? {
        if withdrawn.contains(id), !SafetyRule.withdrawnStaysDisarmed.isDisabled {
            return .withdrawn
        }
        if naming == client { return .cardNeeded }
        if reader == .occupied, !isServed { return .cardPresent }
        sale = Sale(id: id, client: client, at: now)
        return nil
    }

    /// Disarms, because a page changed its cart. The sale with this ID is not armed again, even if
    /// the request to arm it arrives later.
    package mutating func change(_ id: OperationID?, of client: OperationID?) -> Bool {
        if let id { withdraw(id) }
        if naming == client { naming = nil }
        return end()
    }

    /// Disarms if the page that left owns the sale.
    package mutating func leave(_ client: OperationID) -> Bool {
        if naming == client { naming = nil }
        return sale?.client == client && end()
    }

    /// Disarms if the sale has waited too long.
    package mutating func expire(at now: Duration) -> Bool {
        guard let sale, now - sale.at >= Arming.limit else { return false }
        return end()
    }

    /// Records that a payment of this page was refused: its next request has to name the card.
    package mutating func refused(_ client: OperationID) { naming = client }

    /// Records that a payment of this page was made.
    package mutating func paid(_ client: OperationID) { if naming == client { naming = nil } }

    // MARK: The reader

    /// A card was read. Returns the sale that it pays, or why no sale is armed any longer. `seen` is
    /// when the card was first detected, which is before it was read.
    package mutating func arrive(
        seen: Duration, at now: Duration
    ) -> (pays: Sale?, ended: End?) {
        let before = reader
        reader = .occupied
        // The card was there before; it has only been read again.
        guard before != .occupied, let sale else { return (nil, nil) }
        guard now - sale.at < Arming.limit || SafetyRule.armedSaleExpires.isDisabled else {
            return (nil, end() ? .expired : nil)
        }
        if isArrival(before, seen, sale) {
            self.sale = nil
            withdraw(sale.id)
            return (sale, .paying)
        }
        return (nil, end() ? .unclearCard : nil)
    }

    private func isArrival(_ before: Reader, _ seen: Duration, _ sale: Sale) -> Bool {
        if SafetyRule.onlyArrivingCardPays.isDisabled { return true }
        guard case .empty(let since) = before else { return false }
        return seen >= sale.at && seen - since >= Arming.absence
    }

    /// Several tags, or a tag that cannot pay, are on the reader. True if that disarms a sale.
    package mutating func meetOther() -> Bool {
        reader = .occupied
        guard let sale else { return false }
        // It is unclear who pays, so the next request has to name its card.
        naming = sale.client
        return end()
    }

    /// The card is still on the reader after an operation.
    package mutating func stay() { reader = .occupied }

    /// The reader is empty, or the card on it was taken away.
    package mutating func empty(at now: Duration) {
        // If it was empty before, the time of that stays.
        if case .empty = reader { return }
        reader = .empty(since: now)
    }

    /// The reader was lost or found, or another operation uses it. A card on it afterwards may have
    /// been there all along.
    package mutating func loseSight() -> Bool {
        reader = .unknown
        return end()
    }

    // MARK: Ends

    private mutating func end() -> Bool {
        guard sale != nil else { return false }
        if let sale { withdraw(sale.id) }
        sale = nil
        return true
    }

    private mutating func withdraw(_ id: OperationID) {
        withdrawn.append(id)
        // The oldest IDs are dropped, so that the list cannot grow without limit.
        if withdrawn.count > Arming.maxWithdrawn { withdrawn.removeFirst() }
    }
}
