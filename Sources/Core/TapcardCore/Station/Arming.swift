package import TapcardDomain

/// Keeps track of a till's armed sale, and decides whether an arriving card pays it. The times that
/// callers pass in are all measured from the same moment.
package struct Arming: Sendable, Hashable {
    /// How long a sale stays armed.
    package static let limit = Duration.seconds(30)
    /// How long the reader must have been empty before a card counts as arriving.
    package static let absence = Duration.seconds(1)
    /// The maximum number of withdrawn IDs to remember.
    private static let maxWithdrawn = 256

    /// A sale that the next arriving card pays.
    package struct Sale: Sendable, Hashable {
        /// The ID that the payment will have.
        package let id: OperationID
        /// The client that armed the sale, usually a till page.
        package let client: OperationID
        /// When the sale was armed.
        package let at: Duration
    }

    /// Why a sale is no longer armed. The API returns the raw values.
    package enum End: String, Sendable, CaseIterable {
        /// A client changed or disarmed the sale.
        case changed
        /// No card arrived in time.
        case expired
        /// Another client armed a sale.
        case otherPage = "other-page"
        /// The client's last event stream ended.
        case pageLeft = "page-left"
        /// There was a card, but it may not have arrived for this sale, or it could not be read.
        case unclearCard = "unclear-card"
        /// The reader is no longer available.
        case readerLost = "reader-lost"
        /// Another operation began to use the reader.
        case readerUsed = "reader-used"
        /// A card arrived, and its payment begins.
        case paying
    }

    /// Why a sale was not armed.
    package enum Refusal: Sendable, Hashable {
        /// A card is on the reader, and it may not have paid yet.
        case cardPresent
        /// The client's last card could not pay, so the next payment has to name its card.
        case cardNeeded
        /// The sale with this ID has already ended, or was changed before it was armed.
        case withdrawn
    }

    /// What is known about the reader.
    private enum Reader: Sendable, Hashable {
        case unknown, occupied
        case empty(since: Duration)
    }

    /// The armed sale; nil if none is armed.
    package private(set) var sale: Sale?
    private var reader = Reader.unknown
    /// The client whose next payment has to name its card.
    private var naming: OperationID?
    /// The IDs of sales that must not be armed again, oldest first.
    private var withdrawn: [OperationID] = []

    /// Creates a state without an armed sale and without any knowledge of the reader.
    package init() {}

    // MARK: The page

    /// Arms a sale, which replaces any sale that is already armed. Returns nil if the sale is
    /// armed, and otherwise the reason why not. If `isServed` is true, the card on the reader has
    /// certainly paid already, so it may stay there.
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

    /// Disarms the sale, whichever client armed it. If `id` is given, the sale with this ID can no
    /// longer be armed. The next payment of `client` no longer has to name its card.
    ///
    /// - Returns: Whether a sale was disarmed.
    package mutating func change(_ id: OperationID?, of client: OperationID?) -> Bool {
        if let id { withdraw(id) }
        if naming == client { naming = nil }
        return end()
    }

    /// Disarms the sale if this client armed it, because the client's last event stream has ended.
    ///
    /// - Returns: Whether a sale was disarmed.
    package mutating func leave(_ client: OperationID) -> Bool {
        if naming == client { naming = nil }
        return sale?.client == client && end()
    }

    /// Disarms the sale if it has been armed for ``limit``.
    ///
    /// - Returns: Whether a sale was disarmed.
    package mutating func expire(at now: Duration) -> Bool {
        guard let sale, now - sale.at >= Arming.limit else { return false }
        return end()
    }

    /// Notes that a card could not pay, so the client's next payment has to name its card.
    package mutating func refused(_ client: OperationID) { naming = client }

    /// Notes that a payment succeeded, so the client's next payment does not have to name its card.
    package mutating func paid(_ client: OperationID) { if naming == client { naming = nil } }

    // MARK: The reader

    /// Handles a card that was read, and decides whether it pays the armed sale. A card that was
    /// already on the reader changes nothing. `seen` is when the card was first detected, before it
    /// was read.
    ///
    /// - Returns: The sale to pay, if the card pays it, and why the sale is no longer armed, if it
    ///   has ended.
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

    /// Whether the card was put on the reader after the sale was armed, and after the reader had
    /// been empty for ``absence``.
    private func isArrival(_ before: Reader, _ seen: Duration, _ sale: Sale) -> Bool {
        if SafetyRule.onlyArrivingCardPays.isDisabled { return true }
        guard case .empty(let since) = before else { return false }
        return seen >= sale.at && seen - since >= Arming.absence
    }

    /// Handles a tag that was not accepted as a card. If a sale is armed, it is disarmed, and its
    /// client's next payment has to name its card.
    ///
    /// - Returns: Whether a sale was disarmed.
    package mutating func meetOther() -> Bool {
        reader = .occupied
        guard let sale else { return false }
        // It is unclear who pays, so the next request has to name its card.
        naming = sale.client
        return end()
    }

    /// Notes that a card is still on the reader after an operation.
    package mutating func stay() { reader = .occupied }

    /// Notes that the reader is empty. Repeated calls do not restart the time for which it has been
    /// empty.
    package mutating func empty(at now: Duration) {
        // The time counts from when the card was removed.
        if case .empty = reader { return }
        reader = .empty(since: now)
    }

    /// Disarms the sale because the station can no longer tell which card is on the reader.
    ///
    /// - Returns: Whether a sale was disarmed.
    package mutating func loseSight() -> Bool {
        reader = .unknown
        return end()
    }

    // MARK: Ends

    /// Disarms the sale for good. Returns false if no sale was armed.
    private mutating func end() -> Bool {
        guard sale != nil else { return false }
        if let sale { withdraw(sale.id) }
        sale = nil
        return true
    }

    /// Keeps the sale with this ID from being armed.
    private mutating func withdraw(_ id: OperationID) {
        withdrawn.append(id)
        // The oldest IDs are dropped, so that the list cannot grow without limit.
        if withdrawn.count > Arming.maxWithdrawn { withdrawn.removeFirst() }
    }
}
