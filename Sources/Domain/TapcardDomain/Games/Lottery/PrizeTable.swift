/// The prizes that a ticket can win, depending on how many of its balls match.
public struct PrizeTable: Hashable, Sendable, CustomStringConvertible {
    /// The prize in a row.
    public enum Prize: Hashable, Sendable {
        /// A fixed amount.
        case amount(Money)
        /// The top prize of the draw.
        case top
    }

    /// One row of the table. It applies to tickets with exactly this many matching balls, plus the
    /// bonus ball if the row requires it.
    public struct Row: Hashable, Sendable {
        /// The number of balls that have to match.
        public let matchCount: Int
        /// Whether the bonus ball has to match as well.
        public let needsBonus: Bool
        /// The prize for such a ticket.
        public let prize: Prize

        /// Creates a row of the table.
        public init(matchCount: Int, needsBonus: Bool, prize: Prize) {
            (self.matchCount, self.needsBonus, self.prize) = (matchCount, needsBonus, prize)
        }
    }

    /// The rows, best prize first.
    public let rows: [Row]
    /// The currency of all amounts.
    public let currency: Currency

    /// The default table.
    public static let standardText = "6=top 5+bonus=100000 5=1750 4=140 3=30"

    /// Reads rows separated by spaces or commas, such as `standardText`.
    public init(parsing text: String, _ currency: Currency) throws(Refusal) {
        var rows: [Row] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            let row = try PrizeTable.row(String(word), currency)
            guard
                !rows.contains(where: {
                    $0.matchCount == row.matchCount && $0.needsBonus == row.needsBonus
                })
            else {
                throw Refusal(
                    .badAmount, "the prize table has two rows for \(printable(String(word)))")
            }
            rows.append(row)
        }
        guard !rows.isEmpty else { throw Refusal(.badAmount, "the prize table is empty") }
        // A row that needs the bonus ball comes before the row with the same count that does not:
        // the first row that applies wins.
        self.rows = rows.sorted {
            ($0.matchCount, $0.needsBonus ? 1 : 0) > ($1.matchCount, $1.needsBonus ? 1 : 0)
        }
        self.currency = currency
    }

    /// The row that applies; `nil` if the ticket has won nothing.
    public func row(for result: TicketResult) -> Row? {
        rows.first {
            $0.matchCount == result.matchCount && (!$0.needsBonus || result.isBonusMatched)
        }
    }

    /// The ticket's prize in this draw; `nil` if the ticket has won nothing.
    public func prize(of ticket: Ticket, in draw: Draw, _ unit: TopPrizeUnit) -> Money? {
        guard let row = row(for: ticket.result(in: draw)) else { return nil }
        let prize =
            switch row.prize {
            case .amount(let amount): amount
            case .top: unit.money(draw.topPrize, currency)
            }
        // The lottery may report a top prize of 0.
        return prize.minorUnits > 0 ? prize : nil
    }

    public var description: String {
        rows.map { row in
            let prize =
                switch row.prize {
                case .amount(let amount): amount.description
                case .top: "top"
                }
            return "\(row.matchCount)\(row.needsBonus ? "+bonus" : "")=\(prize)"
        }.joined(separator: " ")
    }

    private static func row(_ word: String, _ currency: Currency) throws(Refusal) -> Row {
        let sides = word.split(separator: "=", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw malformed(word) }
        let key = sides[0].split(separator: "+", omittingEmptySubsequences: false)
        guard let count = key.first.flatMap({ Int($0) }),
            (0...LotteryRules.maximumBalls).contains(count),
            key.count == 1 || (key.count == 2 && key[1] == "bonus")
        else { throw malformed(word) }
        if sides[1] == "top" {
            return Row(matchCount: count, needsBonus: key.count == 2, prize: .top)
        }
        let amount = try Money(parsing: String(sides[1]), currency)
        guard amount.minorUnits > 0 else { throw malformed(word) }
        return Row(matchCount: count, needsBonus: key.count == 2, prize: .amount(amount))
    }

    private static func malformed(_ word: String) -> Refusal {
        Refusal(
            .badAmount,
            "\"\(printable(word))\" is not a valid row of a prize table; write rows such as "
                + "5+bonus=100000 or 6=top"
        )
    }
}

/// The unit of the lottery's top prize.
public enum TopPrizeUnit: String, Sendable, CaseIterable {
    /// The lottery reports its top prize in whole units, such as dollars.
    case whole
    /// The lottery reports its top prize in minor units, such as cents.
    case minor

    /// The top prize as money, limited to the largest amount that can be represented.
    public func money(_ number: Int64, _ currency: Currency) -> Money {
        let scale = self == .whole ? currency.minorUnitsInWhole : 1
        let (units, overflow) = number.multipliedReportingOverflow(by: scale)
        return Money(minorUnits: overflow ? .max : units, currency)
    }
}
