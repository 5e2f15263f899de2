public import TapcardDomain

/// The time from a float in a station's drawer to the count of its cash.
public struct Shift: Hashable, Identifiable, Sendable {
    /// The ID from the request that opened the shift.
    public let id: ShiftID
    /// The number of the station. It is 0 in a ledger with one station, and in any shift that was
    /// not read from the ledger.
    public internal(set) var station: Int64
    /// When the shift was opened, by the ledger's clock.
    public let openedAt: Timestamp
    /// The cashier who opened the shift, if known.
    public let openedBy: CashierName?
    /// The cash in the drawer at the start, in minor units.
    public let float: Int64
    /// How the shift ended; nil while it is open.
    public internal(set) var closing: Closing?
    /// The counts of the drawer's cash, oldest first. The first one closed the shift.
    public internal(set) var counts: [Count]

    /// The end of a shift.
    public struct Closing: Hashable, Sendable {
        /// When the first count was saved, by the ledger's clock.
        public let at: Timestamp
        /// The cashier who made the first count, if known.
        public let by: CashierName?
        /// The cash that should have been in the drawer, including the float, in minor units.
        public let expected: Int64

        /// Creates the end of a shift.
        public init(at: Timestamp, by cashier: CashierName?, expected: Int64) {
            (self.at, by, self.expected) = (at, cashier, expected)
        }
    }

    /// A count of the drawer's cash.
    public struct Count: Hashable, Sendable {
        /// The counted cash, in minor units.
        public let amount: Int64
        /// When the count was saved, by the ledger's clock.
        public let at: Timestamp
        /// The cashier who counted, if known.
        public let cashier: CashierName?

        /// The maximum number of counts for one shift.
        public static let maximumCount = 100

        /// Creates a count.
        public init(amount: Int64, at: Timestamp, cashier: CashierName?) {
            (self.amount, self.at, self.cashier) = (amount, at, cashier)
        }
    }

    /// Creates a shift, which is open unless `closing` is given.
    public init(
        id: ShiftID, station: Int64 = 0, openedAt: Timestamp, openedBy: CashierName?, float: Int64,
        closing: Closing? = nil, counts: [Count] = []
    ) {
        (self.id, self.station, self.openedAt, self.openedBy) = (id, station, openedAt, openedBy)
        (self.float, self.closing, self.counts) = (float, closing, counts)
    }

    /// The counted cash minus the expected cash, in minor units; nil while the shift is open.
    public func difference(of count: Count) -> Int64? {
        closing.map { count.amount &- $0.expected }
    }
}

/// The ledger's response to a request to open a shift or to save a count.
public enum ShiftOutcome: Hashable, Sendable {
    /// The shift was opened, or the count was saved.
    case done(Shift)
    /// The request was carried out before, so nothing was changed now.
    case earlier(Shift)
    /// The ID belongs to a shift that was opened with another float.
    case mismatched
    /// The request breaks a rule; nothing was changed.
    case refused(Refusal)
}

extension LedgerStore {
    /// Opens a shift at this station, which can have only one open shift. A repeated request
    /// returns the shift in its current state, which may be closed by now.
    public func open(_ shift: Shift) async throws(LedgerError) -> ShiftOutcome {
        try await write { rows throws(LedgerError) in
            if let known = try rows.shift(shift.id) {
                return known.float == shift.float ? .earlier(known) : .mismatched
            }
            guard (0...Currency.largestBalance).contains(shift.float) else {
                return .refused(Refusal(.badAmount, "the float is too large"))
            }
            guard try rows.openShift() == nil || SafetyRule.oneOpenShift.isDisabled else {
                return .refused(
                    Refusal(.wrongState, "a shift is already open here; close it first"))
            }
            try rows.insert(shift)
            return .done(shift)
        }
    }

    /// Saves a count of the drawer's cash, in minor units, and closes the shift if it is open. If
    /// `id` is nil, counts the shift that is open at this station; a shift that is open at another
    /// station is refused. A closed shift can be counted again, but the same amount twice in a row
    /// by the same cashier counts as a retry and is saved only once. The time `now` is by the ledger's clock.
    public func count(
        _ id: ShiftID?, _ amount: Int64, by cashier: CashierName?, at now: Timestamp
    ) async throws(LedgerError) -> ShiftOutcome {
        try await write { rows throws(LedgerError) in
            // This locks the open shift, so that no entry is added to it while its sum is taken.
            let open = try rows.openShift()
            let named = try id.flatMap { id throws(LedgerError) in
                id == open?.id ? open : try rows.shift(id)
            }
            guard var shift = id == nil ? open : named else {
                return .refused(
                    Refusal(
                        .shiftNeeded,
                        id == nil ? "no shift is open here" : "there is no such shift"))
            }
            guard (0...Currency.largestPayout).contains(amount),
                shift.counts.count < Shift.Count.maximumCount
            else { return .refused(Refusal(.badAmount, "the amount cannot be recorded")) }
            if shift.closing == nil {
                guard shift.id == open?.id else {
                    return .refused(
                        Refusal(.wrongState, "the shift is open at another server; close it there")
                    )
                }
                var expected = try rows.expectedCash(in: shift)
                if SafetyRule.expectedCashIsComplete.isDisabled { expected &-= shift.float }
                shift.closing = Shift.Closing(at: now, by: cashier, expected: expected)
                try rows.close(shift)
            } else if let last = shift.counts.last, last.amount == amount, last.cashier == cashier {
                return .earlier(shift)
            }
            let count = Shift.Count(amount: amount, at: now, cashier: cashier)
            try rows.insert(count, of: shift)
            shift.counts.append(count)
            return .done(shift)
        }
    }
}

extension LedgerRows {
    /// The cash that should be in the drawer, in minor units: the float, plus what came in during
    /// the shift, minus what went out.
    func expectedCash(in shift: Shift) throws(LedgerError) -> Int64 {
        var sum = shift.float
        for entry in try entries(inShift: shift.id) where entry.account == .cash {
            sum &-= entry.amount
        }
        for operation in try cardless(inShift: shift.id) { sum &+= operation.cash }
        return sum
    }

    /// I17 and I18: a station has at most one open shift, and every closed shift has a count and
    /// the expected cash that follows from its float and its bookings.
    func violationsOfShifts() throws(LedgerError) -> [String] {
        var found: [String] = []
        var open: Set<Int64> = []
        for shift in try shifts() {
            guard let closing = shift.closing else {
                if !open.insert(shift.station).inserted {
                    found.append("I17: server \(shift.station) has more than one open shift")
                }
                continue
            }
            let sum = try expectedCash(in: shift)
            if sum != closing.expected {
                found.append(
                    "I18: shift \(shift.id) was closed with \(closing.expected) expected, but its "
                        + "float and entries sum to \(sum)")
            }
            if shift.counts.isEmpty {
                found.append("I18: shift \(shift.id) was closed without a count")
            }
        }
        return found
    }
}
