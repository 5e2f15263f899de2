import Ledger
import TapcardDomain

/// The rows that were read or written, keyed by the values that a transaction's body looks up. A
/// stored nil means that there is no such row.
struct KnownRows {
    /// A card, and the other contents of its row, such as the balance of its account.
    struct CardRow {
        var card: LedgerCard
        var balance: Int64
        /// The row's version; nil for a card that is not in the ledger yet.
        var version: Int64?
        var lastPlace: Int64
        let epoch: Int64
        /// The ticket that the row refers to in the ledger.
        var storedTicket: String?
        /// Whether the row refers to a ticket that was not read with it.
        var lacksTicket = false
        /// Numbers that the card skips but that have not been recorded in the ledger yet.
        var skipped: SequenceGap?
        var isChanged = false
    }

    /// The retired keys, and the sealing key.
    struct Keys {
        var retired: [RetiredKey] = []
        var sealing: UInt8?

        /// An expression that lists the retired keys, each with its time, and the sealing key,
        /// which has none.
        static let selected = """
            (SELECT string_agg(concat_ws('@', id, retired_at), ' ' ORDER BY id) FROM (
                SELECT id, retired_at FROM retired_key
                UNION ALL (SELECT id, NULL FROM (\(IssuerKeys.sealing)) AS sealing)) AS key)
            """

        init(_ row: inout Columns) throws(LedgerError) {
            let keys = try row.optional(\.text)?.split(separator: " ") ?? []
            for key in keys.map({ $0.split(separator: "@").map { Int64($0) } }) {
                guard let id = key.first?.flatMap(UInt8.init(exactly:)) else {
                    throw Columns.unreadable
                }
                guard key.count > 1 else {
                    sealing = id
                    continue
                }
                guard let time = key[1].flatMap({ SQLValue.integer($0).time }) else {
                    throw Columns.unreadable
                }
                retired.append(RetiredKey(id: id, retiredAt: time))
            }
        }
    }

    var cards: [CardUID: CardRow?] = [:]
    var operations: [OperationID: Operation?] = [:]
    var openOperations: [CardUID: OperationID?] = [:]
    var gaps: [CardUID: [SequenceGap]] = [:]
    var records: [CardUID: [SequenceNumber: IssuedRecord?]] = [:]
    var cardless: [OperationID: CardlessOperation?] = [:]
    var attempts: [OperationID: ActivationAttempt?] = [:]
    var attemptsForCodes: [ScratchCode: ActivationAttempt?] = [:]
    var ticketsOfOperations: [OperationID: SoldTicket?] = [:]
    var keys: Keys?
    var clock: ServerClock?

    /// The rows that a change may rely on without querying the server first, because the change's
    /// own batch checks that they are current: a card's rows by the card's version, and new IDs by
    /// inserting them. Activation attempts are left out, because an attempt may change without the
    /// card that has its code.
    var verifiable: KnownRows {
        var rows = self
        // The batch can check that an ID has no attempt, because it inserts the ID.
        rows.attempts = rows.attempts.filter { $0.value == nil }
        rows.cardless = rows.cardless.filter { $0.value == nil }
        rows.attemptsForCodes = [:]
        return rows
    }

    /// These rows; no rows once there are many, which limits memory use.
    var bounded: KnownRows {
        let limit = 64
        return operations.count + cards.count + attempts.count > limit ? KnownRows() : self
    }

    /// Adds newer rows.
    mutating func merge(_ newer: KnownRows) {
        self = bounded
        // If a card's version has changed, any of its other rows may have changed, too.
        for (uid, row) in newer.cards where row?.version != (cards[uid] ?? nil)?.version {
            operations = operations.filter { $0.value?.uid != uid }
            (openOperations[uid], gaps[uid], records[uid]) = (nil, nil, nil)
        }
        cards.merge(newer.cards) { $1 }
        operations.merge(newer.operations) { $1 }
        openOperations.merge(newer.openOperations) { $1 }
        gaps.merge(newer.gaps) { $1 }
        records.merge(newer.records) { $0.merging($1) { $1 } }
        cardless.merge(newer.cardless) { $1 }
        attempts.merge(newer.attempts) { $1 }
        attemptsForCodes.merge(newer.attemptsForCodes) { $1 }
        ticketsOfOperations.merge(newer.ticketsOfOperations) { $1 }
        keys = newer.keys ?? keys
        clock = newer.clock ?? clock
    }
}
