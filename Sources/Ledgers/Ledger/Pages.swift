public import TapcardDomain

/// The rows of a large table, in order, with only one page in memory at a time.
public struct Pages<Row> {
    /// The number of rows in a page: few enough to fit in memory, but enough that finding the start
    /// of each page costs little.
    package static var rowsPerPage: Int { 500 }

    private let fetch: (_ last: Row?, _ count: Int) throws(LedgerError) -> [Row]
    private var page: ArraySlice<Row> = []
    private var last: Row?
    private var isAtEnd = false

    /// `fetch` returns at most `count` rows after the last one. If it returns fewer, no more rows
    /// follow.
    init(_ fetch: @escaping (_ last: Row?, _ count: Int) throws(LedgerError) -> [Row]) {
        self.fetch = fetch
    }

    /// The next row; nil at the end.
    public mutating func next() throws(LedgerError) -> Row? {
        if page.isEmpty, !isAtEnd {
            let rows = try fetch(last, Pages.rowsPerPage)
            // A short page is the last one, so there is no need to fetch an empty page.
            isAtEnd = rows.count < Pages.rowsPerPage
            (page, last) = (rows[...], rows.last)
        }
        return page.popFirst()
    }
}

extension LedgerRows {
    /// All cards, ordered by UID.
    public func pagesOfCards() -> Pages<LedgerCard> {
        Pages { last, count throws(LedgerError) in
            try cards(after: last?.uid, atMost: count)
        }
    }

    /// All cards with their balances, ordered by UID.
    public func pagesOfStandings() -> Pages<CardStanding> {
        Pages { last, count throws(LedgerError) in
            try standings(after: last?.uid, atMost: count)
        }
    }

    /// The operations on a card, oldest first; on all cards if none is given.
    public func pagesOfOperations(on uid: CardUID?) -> Pages<Operation> {
        Pages { last, count throws(LedgerError) in
            try operations(on: uid, after: last?.id, atMost: count)
        }
    }

    /// The operations begun at or after `start` and before `end`, oldest first.
    public func pagesOfOperations(
        begunSince start: Timestamp, until end: Timestamp
    ) -> Pages<Operation> {
        Pages { last, count throws(LedgerError) in
            try operations(begunSince: start, until: end, after: last, atMost: count)
        }
    }

    /// The operations begun at or after `start` and before `end`, oldest first, each with what it
    /// has booked.
    package func pagesOfBookings(
        begunSince start: Timestamp, until end: Timestamp
    ) -> Pages<Booking> {
        Pages { last, count throws(LedgerError) in
            try bookings(begunSince: start, until: end, after: last?.operation, atMost: count)
        }
    }

    /// The attempts for this card, along with those for this code on any card, oldest first; all
    /// attempts if no card is given.
    public func pagesOfActivations(
        on uid: CardUID?, or code: ScratchCode?
    ) -> Pages<ActivationAttempt> {
        Pages { last, count throws(LedgerError) in
            try activations(on: uid, or: code, after: last?.id, atMost: count)
        }
    }
}

/// All rows of one kind at once, for one card or a small ledger.
extension LedgerRows {
    package func cards() throws(LedgerError) -> [LedgerCard] { try pagesOfCards().all() }

    /// The operations on a card, oldest first.
    package func operations(on uid: CardUID?) throws(LedgerError) -> [Operation] {
        try pagesOfOperations(on: uid).all()
    }

    package func operations(
        begunSince start: Timestamp, until end: Timestamp
    ) throws(LedgerError) -> [Operation] {
        try pagesOfOperations(begunSince: start, until: end).all()
    }

    package func activations() throws(LedgerError) -> [ActivationAttempt] {
        try pagesOfActivations(on: nil, or: nil).all()
    }

    package func balances() throws(LedgerError) -> [Account: Int64] {
        var balances: [Account: Int64] = [:]
        try forEachAccount { account, balance, _ in balances[account] = balance }
        return balances
    }
}

extension Pages {
    fileprivate func all() throws(LedgerError) -> [Row] {
        var pages = self
        var rows: [Row] = []
        while let row = try pages.next() { rows.append(row) }
        return rows
    }
}
