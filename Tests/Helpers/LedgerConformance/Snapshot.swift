public import Ledger
public import TapcardDomain

/// Every row of a ledger, for comparison.
public struct Snapshot: Hashable, Sendable {
    public let cards: [LedgerCard]
    public let operations: [Operation]
    public let entries: [Entry]
    public let balances: [Account: Int64]
    public let records: [IssuedRecord]
    public let gaps: [SequenceGap]
    public let tickets: [SoldTicket]
    public let activations: [ActivationAttempt]
    public let retiredKeys: [RetiredKey]
    public let journals: [StationJournal]
    public let standings: [CardStanding]
    public let readCounters: [ReadCounter?]
    public let products: [Product]
    public let tills: [EnrolledTill]

    public init(of ledger: any LedgerStore) async throws(LedgerError) {
        self = try await ledger.read { rows throws(LedgerError) in try Snapshot(rows) }
    }

    private init(_ rows: any LedgerRows) throws(LedgerError) {
        cards = try rows.cards()
        operations = try rows.operations(on: nil)
        entries = try rows.entries(of: nil)
        balances = try rows.balances()
        tickets = try rows.tickets(on: nil)
        activations = try rows.activations()
        retiredKeys = try rows.retiredKeys()
        journals = try rows.journals()
        products = try rows.products()
        tills = try rows.tills()
        var standings: [CardStanding] = []
        var pages = rows.pagesOfStandings()
        while let standing = try pages.next() { standings.append(standing) }
        self.standings = standings
        var records: [IssuedRecord] = []
        var gaps: [SequenceGap] = []
        for card in cards {
            records += try rows.issuedRecords(on: card.uid)
            gaps += try rows.gaps(on: card.uid)
        }
        readCounters = try cards.map { card throws(LedgerError) in
            try rows.readCounter(of: card.uid)
        }
        self.records = records
        self.gaps = gaps
    }
}
