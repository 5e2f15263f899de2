import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<String?> {
    fileprivate static var text: Self {
        .optionalArgument(
            "TEXT", .text(0...HolderName.maximumBytes),
            "Part of a cardholder's name or a card's UID")
    }
    fileprivate static var foundAmount: Self {
        .option(
            "amount", "AMOUNT", .text(1...PageParameter.maximumAmountLength),
            "Find operations of exactly this amount")
    }
    fileprivate static var cashier: Self {
        .option(
            "cashier", "NAME", .text(0...HolderName.maximumBytes),
            "Find operations by this cashier (full name)")
    }
    fileprivate static var product: Self {
        .option(
            "product", "NAME", .text(0...HolderName.maximumBytes),
            "Find sales of this product (full name)")
    }
}

extension Parameter<Int?> {
    fileprivate static var most: Self {
        .option(
            "last", "N", .wholeNumber(1...100, orSay: "Nothing was read."),
            "Show at most N results, 1 to 100 (default: 20)")
    }
}

extension Parameter<OperationID?> {
    fileprivate static var before: Self {
        .option("before", "UUID", .operation, "Show operations before this one")
    }
}

extension Parameter<CardUID?> {
    fileprivate static var after: Self {
        .option("after", "UID", .card, "Show cards after this one")
    }
}

extension Command {
    static let find = Command(
        "find", group: .operators, "Find cards by name or UID, or find operations",
        discussion: "By default, this lists the cards that match TEXT, ordered by UID. With "
            + "`--amount`, `--from`, `--to`, `--cashier`, or `--product`, it lists the operations "
            + "that match all of the conditions, newest first, including sales without a card. If "
            + "there are more results, the last line names the option that shows them. If "
            + "cardholders share a name, compare the UIDs and last uses.",
        takes: .text, .foundAmount, .from, .to, .cashier, .product, .most, .after, .before,
        page: .get("find", reader: .never, for: .cashiers), answers: .found,
        example: "tapcard find amanda", run: FindCommand.find)
}

/// A card that matches a search.
struct FoundCard: DocumentedObject {
    let card: LedgerCard
    let balance: Money
    /// When the latest operation on the card began; nil if there is none.
    let lastUsed: Timestamp?

    static let fields: Fields<FoundCard> = [
        "uid": .of(\.card.uid), "name": .of(\.card.holder.name),
        "id": .of { $0.card.holder.id.map { Int($0.number) } }, "status": .of(\.card.status),
        "balance": .of(\.balance), "lastUsed": .of(\.lastUsed),
    ]
}

/// An operation that matches a search.
struct FoundOperation: DocumentedObject {
    let booking: Booking
    /// The change to the card's balance; without a card, ``CardlessOperation/amount``.
    let amount: Money
    /// Whether a sale without a card was undone.
    let isUndone: Bool

    static let fields: Fields<FoundOperation> = [
        "operation": .of(\.booking.id), "uid": .of(\.booking.card),
        "name": .of(\.booking.holder), "kind": .of(\.booking.kind),
        "amount": .of(ValueSchemas.signedAmount, \.amount), "at": .of(\.booking.beganAt),
        "cashier": .of(\.booking.cashier), "till": .ifAny(\.booking.requester.till),
        "products": .of { $0.booking.lines.words ?? "" },
        "tender": .ifAny(\.booking.cardless?.tender),
        "undone": .ifAny { $0.isUndone ? true : nil },
    ]
}

enum FindCommand {
    /// How many results are shown without `--last`.
    private static let pageSize = 20

    /// Searches the operations if a day, an amount, a cashier, or a product is given; otherwise,
    /// searches the cards.
    static func find(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let searched = try Searched(session, ledger.currency)
        guard searched.isForOperations ? session[.after] == nil : session[.before] == nil else {
            throw TapcardError.usage(
                "--after continues a list of cards, and --before a list of operations.")
        }
        let count = session[.most] ?? pageSize
        return searched.isForOperations
            ? try await operations(searched, count, in: ledger, before: session[.before])
            : try await cards(searched, count, in: ledger, after: session[.after])
    }

    /// Finds the cards that follow a given one, ordered by UID.
    private static func cards(
        _ searched: Searched, _ count: Int, in ledger: any LedgerStore, after: CardUID?
    ) async throws(TapcardError) -> Report {
        let currency = ledger.currency
        // One more than is shown tells whether there are more.
        var found = try await queryingLedger(
            await ledger.readWithoutBlocking { rows throws(LedgerError) in
                var found: [FoundCard] = []
                var last = after
                while found.count <= count {
                    let page = try rows.cards(
                        after: last, atMost: Pages<LedgerCard>.rowsPerPage)
                    guard let end = page.last?.uid else { break }
                    for card in page where searched.matches(card.uid, card.holder.name) {
                        guard found.count <= count else { break }
                        found.append(
                            FoundCard(
                                card: card,
                                balance: Money(
                                    minorUnits: try rows.balance(of: card.purse), currency),
                                lastUsed: try rows.operations(on: card.uid, last: 1).last?.beganAt))
                    }
                    last = end
                }
                return found
            })
        let hasMore = found.count > count
        if hasMore { found.removeLast() }
        let cells = found.map { found in
            [
                "\(found.card.uid)", found.card.holder.name?.text.shown ?? "-",
                found.card.status.rawValue, found.balance.shown,
                found.lastUsed.map(LocalTime.text) ?? "never used",
            ]
        }
        return report(
            found, [], cells, hasMore ? found.last.map { "--after \($0.card.uid)" } : nil)
    }

    /// Finds the operations before a given one, newest first. `before` has no effect if the period
    /// does not contain that operation.
    private static func operations(
        _ searched: Searched, _ count: Int, in ledger: any LedgerStore, before: OperationID?
    ) async throws(TapcardError) -> Report {
        let currency = ledger.currency
        let (start, end) = LocalTime.span(from: searched.from, to: searched.to)
        // Bookings arrive oldest first, so the latest matches are kept until the end.
        let latest = try await History.bookings(
            begunSince: start, until: end, in: ledger, into: [Booking](),
            { latest, booking in
                // The list ends before this operation, so reading stops here.
                guard booking.id != before || before == nil else { return false }
                guard searched.matches(booking) else { return true }
                latest.append(booking)
                if latest.count > count + 1 { latest.removeFirst() }
                return true
            }, then: { _ in }
        ).sum
        let undone = try await queryingLedger(
            await ledger.read { rows throws(LedgerError) in
                var undone: Set<OperationID> = []
                for case let sale? in latest.map(\.cardless) where sale.kind == .sale {
                    if try rows.cardless(undoing: sale.id) != nil { undone.insert(sale.id) }
                }
                return undone
            })
        let found = latest.reversed().prefix(count).map { booking in
            FoundOperation(
                booking: booking,
                amount: booking.operation?.change(in: currency)
                    ?? Money(minorUnits: booking.cardless?.amount ?? 0, currency),
                isUndone: booking.id.map(undone.contains) ?? false)
        }
        let cells = found.map { found -> [String] in
            let booking = found.booking
            let (card, id) = (booking.card?.description, booking.id?.description)
            let (name, cashier) = (booking.holder?.text.shown, booking.cashier?.text.shown)
            let row: [String] = [
                LocalTime.text(booking.beganAt), card ?? "-", name ?? "-", booking.kind,
                found.amount.shown, cashier ?? "-", id ?? "", booking.lines.words ?? "",
            ]
            return row
        }
        return report(
            [], Array(found), cells,
            latest.count > count
                ? found.last.flatMap(\.booking.id).map { "--before \($0)" } : nil)
    }

    /// The report of what was found. `more` is the option that shows the next results; nil if there
    /// are no more.
    private static func report(
        _ cards: [FoundCard], _ operations: [FoundOperation], _ cells: [[String]], _ more: String?
    ) -> Report {
        let widths = (cells.first ?? []).indices.map { column in
            cells.map { $0[column].cellCount }.max() ?? 0
        }
        let lines = cells.map { row in
            String(zip(row, widths).map { $0.padded($1) }.joined(separator: "  ").trimmingSpaces)
        }
        return Report(
            [
                "cards": cards.document, "operations": operations.document,
                "hasMore": .bool(more != nil),
            ],
            (lines.isEmpty ? ["Nothing found."] : lines)
                + (more.map { ["More: add \($0)"] } ?? []), isPlain: true)
    }
}

/// What to search for. All given conditions have to match; those that are nil are ignored.
private struct Searched: Sendable {
    /// Part of a cardholder's name or of a UID, in lowercase.
    private let text: String?
    /// An amount in minor units.
    private let amount: Int64?
    let from: CalendarDate?
    let to: CalendarDate?
    /// A cashier's full name, in lowercase.
    private let cashier: String?
    /// A product's full name, in lowercase.
    private let product: String?

    /// Reads the conditions. Throws if a text is too long or the amount is not valid.
    init(_ session: Session, _ currency: Currency) throws(TapcardError) {
        // Names are limited in bytes, so no name has more characters.
        let names = [session[.text], session[.cashier], session[.product]].map {
            ($0, HolderName.maximumBytes)
        }
        for (text, limit) in names + [(session[.foundAmount], PageParameter.maximumAmountLength)] {
            guard (text?.unicodeScalars.count ?? 0) <= limit else {
                throw TapcardError.usage("What to find has at most \(limit) characters.")
            }
        }
        text = session[.text]?.lowercased()
        (from, to) = (session[.from], session[.to])
        (cashier, product) = (session[.cashier]?.lowercased(), session[.product]?.lowercased())
        amount = try session[.foundAmount].map { text throws(TapcardError) in
            try translating(session.settings.amount(text, currency).minorUnits) {
                (error: Refusal) in TapcardError(error)
            }
        }
    }

    /// Whether there is a condition that only operations can match.
    var isForOperations: Bool {
        amount != nil || from != nil || to != nil || cashier != nil || product != nil
    }

    /// Whether the text is part of the name or the UID. Spaces and colons in a UID are ignored.
    func matches(_ uid: CardUID, _ name: HolderName?) -> Bool {
        guard let text else { return true }
        // Printed card numbers have spaces.
        let number = text.filter { $0 != " " && $0 != ":" }
        return name?.text.lowercased().contains(text) ?? false
            || !number.isEmpty && "\(uid)".lowercased().contains(number)
    }

    /// Whether a booking matches all conditions. An amount matches the operation's own amount or
    /// the total of the sale.
    func matches(_ booking: Booking) -> Bool {
        let day = LocalTime.dayAndHour(booking.beganAt).day
        let amount = booking.operation?.amount ?? booking.cardless?.amount
        return !booking.entries.isEmpty && LocalTime.isDay(day, from: from, to: to)
            && (text == nil || booking.card.map { matches($0, booking.holder) } ?? false)
            && (self.amount.map { $0.magnitude == amount?.magnitude || $0 == booking.lines.total }
                ?? true)
            && (cashier.map { $0 == booking.cashier?.text.lowercased() } ?? true)
            && (product.map { name in
                booking.lines.contains { $0.name.text.lowercased() == name }
            } ?? true)
    }
}
