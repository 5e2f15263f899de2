/// The prizes that a ticket can win, depending on how many of its balls match.
public struct PrizeTable: Hashable, Sendable, CustomStringConvertible {
    /// The prize for one row of the table.
    public enum Prize: Hashable, Sendable {
        /// A fixed amount.
        case amount(Money)
        /// The top prize of the draw.
        case top
    }

    /// A row of the table. It applies to tickets with exactly `matchCount` matching balls and, if
    /// `needsBonus` is true, a matching bonus ball.
    public struct Row: Hashable, Sendable {
        /// The number of balls that have to match, not counting the bonus ball.
        public let matchCount: Int
        /// Whether the bonus ball also has to match.
        public let needsBonus: Bool
        /// The prize for a ticket to which the row applies.
        public let prize: Prize

        /// Creates a row of the table.
        public init(matchCount: Int, needsBonus: Bool, prize: Prize) {
            (self.matchCount, self.needsBonus, self.prize) = (matchCount, needsBonus, prize)
        }
    }

    /// The rows, starting with the one that requires the most matching balls.
    public let rows: [Row]
    /// The currency of all amounts.
    public let currency: Currency

    /// The default table, as text.
    public static let standardText = "6=top 5+bonus=100000 5=1750 4=140 3=30"

    /// Parses rows separated by spaces or commas, such as those in `standardText`.
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
        // The first row that applies determines the prize. Of two rows with the same count, the one
        // that requires the bonus ball must therefore come first.
        self.rows = rows.sorted {
            ($0.matchCount, $0.needsBonus ? 1 : 0) > ($1.matchCount, $1.needsBonus ? 1 : 0)
        }
        self.currency = currency
    }

    /// The row that applies to the result; `nil` if the ticket has won nothing.
    public func row(for result: TicketResult) -> Row? {
        rows.first {
            $0.matchCount == result.matchCount && (!$0.needsBonus || result.isBonusMatched)
        }
    }

    /// The ticket's prize in the draw; `nil` if the ticket has won nothing.
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

/// The unit in which the lottery reports its top prize.
public enum TopPrizeUnit: String, Sendable, CaseIterable {
    /// Whole units, such as dollars.
    case whole
    /// Minor units, such as cents.
    case minor

    /// Converts a reported top prize to money, limited to the largest representable amount.
    public func money(_ number: Int64, _ currency: Currency) -> Money {
        let scale = self == .whole ? currency.minorUnitsInWhole : 1
        let (units, overflow) = number.multipliedReportingOverflow(by: scale)
        return Money(minorUnits: overflow ? .max : units, currency)
    }
}
