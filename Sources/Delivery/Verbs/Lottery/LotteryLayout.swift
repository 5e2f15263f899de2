import TapcardDomain

/// Lays out draws and tickets: one line each in a pipe, or to fit the width of a terminal.
struct LotteryLayout: Sendable {
    /// The width; nil in a pipe, where lines have no limit.
    let width: Int?

    private static let indent = "  "

    /// A sentence, wrapped between words.
    func sentence(_ text: String) -> [Line] {
        Line.flow(
            text.split(separator: " ").map { Line(String($0)) }, gap: " ", indent: "", width: width)
    }

    func table(of draws: [PricedDraw]) -> [Line] {
        let digits = LotteryLayout.digits(draws.map(\.draw.balls))
        let rows =
            [["Draw", "Date", "Balls", "Bonus", "Top prize"].map { Line($0, .title) }]
            + draws.map { row in
                // The numbers are padded, so that the balls of all draws line up.
                let balls = row.draw.balls.numbers.map { String($0).padded(digits, atStart: true) }
                return [
                    Line(row.draw.id.text), Line(row.draw.date.description),
                    Line(balls.joined(separator: " ")),
                    Line(String(row.draw.balls.bonus), .gold), Line(row.topPrize.shown),
                ]
            }
        let widths = (0..<5).map { column in rows.map { $0[column].width }.max() ?? 0 }
        guard fits(widths.reduce(0, +) + 2 * (widths.count - 1)) else {
            return draws.flatMap(stacked)
        }
        return rows.map { row in
            Line.flow(
                row.enumerated().map { column, cell in
                    // The bonus ball and the prize are right-aligned.
                    cell.padded(widths[column], atStart: column >= 3)
                }, width: nil)[0]
        }
    }

    /// A draw on several lines, for a narrow terminal.
    private func stacked(_ row: PricedDraw) -> [Line] {
        let head = [row.draw.id.text, row.draw.date.description, row.topPrize.shown].map {
            Line($0)
        }
        return Line.flow(head, width: width) + flow(pieces(row.draw.balls), gap: " ")
    }

    /// Only the numbers, without captions.
    func numbers(of balls: Balls) -> [Line] {
        Line.flow(pieces(balls), gap: " ", indent: "", width: width)
    }

    private func pieces(_ balls: Balls) -> [Line] {
        balls.numbers.map { Line(String($0)) } + [Line("+ ") + Line(String(balls.bonus), .gold)]
    }

    /// One draw in large type, readable from a distance.
    func large(_ balls: Balls) -> [Line] {
        guard let width else {
            return [
                Line("Balls: " + balls.numbers.map(String.init).joined(separator: " ")),
                Line("Bonus ball: \(balls.bonus)"),
            ]
        }
        let digits = LotteryLayout.digits([balls])
        // There is space around the numbers if the width allows it. Each number takes five columns
        // more than its digits: two edges, two spaces, and a gap.
        let isSpaced = balls.all.count * (digits + 5) <= width
        let boxes =
            balls.numbers.map { box($0, digits, isSpaced, edge: "╭─╮│╰╯", .plain) }
            + [box(balls.bonus, digits, isSpaced, edge: "╔═╗║╚╝", .gold)]
        // One column is added to the width, because the last box needs no gap.
        let perRow = max(1, (width + 1) / (boxes[0][0].width + 1))
        return stride(from: 0, to: boxes.count, by: perRow).flatMap { start in
            let row = boxes[start..<min(start + perRow, boxes.count)]
            return (0..<3).map { line in
                Line.flow(row.map { $0[line] }, gap: " ", width: nil)[0]
            }
        }
    }

    private func box(
        _ number: Int, _ digits: Int, _ isSpaced: Bool, edge: String, _ style: Style
    ) -> [Line] {
        let parts = edge.map(String.init)
        let space = isSpaced ? " " : ""
        let text = space + String(number).padded(digits, atStart: true) + space
        let bar = String(repeating: parts[1], count: text.count)
        return [
            parts[0] + bar + parts[2], parts[3] + text + parts[3], parts[4] + bar + parts[5],
        ].map { Line($0, style) }
    }

    /// Tickets: one line each in a pipe; on a terminal, the numbers are below the ticket's ID.
    func lines(of tickets: [ShownTicket]) -> [Line] {
        let heads = tickets.map { ticket in
            [Line(ticket.ticket.id.text), Line(ticket.drawWords)]
                + (ticket.keeper.map { [Line($0)] } ?? [])
        }
        // Only some tickets have a third column, which says where the ticket is kept.
        let widths = (0..<3).map { column in
            heads.map { $0.count > column ? $0[column].width : 0 }.max() ?? 0
        }
        let digits = LotteryLayout.digits(tickets.map(\.ticket.balls))
        let lines: [Line] = zip(tickets, heads).flatMap { ticket, head in
            let balls = balls(of: ticket, digits)
            let numbers = Line.flow(balls, gap: "", width: nil)
            // A pipe is read by programs, so each ticket stays on one line.
            guard let width else {
                let columns = zip(head, widths).map { $0.padded($1) }
                return Line.flow(columns + numbers + ticket.verdict, width: nil)
            }
            let isTooWide = numbers[0].width > width - LotteryLayout.indent.count
            return Line.flow(head, width: width)
                + (isTooWide
                    ? flow(balls, gap: "") + flow(ticket.verdict)
                    : flow(numbers + ticket.verdict))
        }
        return lines.map(\.trimmed)
    }

    /// Matches are green and in brackets, misses are red, and the bonus is gold; the brackets make
    /// the result readable without color.
    private func balls(of ticket: ShownTicket, _ digits: Int) -> [Line] {
        let balls = ticket.ticket.balls
        let marks = balls.numbers.enumerated().map { index, number in
            ball(number, digits, ticket.result?.matches[index], "[]", .good)
        }
        let bonus = ball(balls.bonus, digits, ticket.result?.isBonusMatched, "()", .gold)
        return marks + [Line(" +") + bonus]
    }

    private func ball(
        _ number: Int, _ digits: Int, _ isMatched: Bool?, _ brackets: String, _ good: Style
    ) -> Line {
        let text = String(number).padded(digits, atStart: true)
        guard let isMatched else { return Line(" \(text) ") }
        let parts = isMatched ? brackets.map(String.init) : [" ", " "]
        return Line(parts[0] + text + parts[1], isMatched ? good : .bad)
    }

    /// Indents the pieces below a ticket's ID.
    private func flow(_ pieces: [Line], gap: String = "  ") -> [Line] {
        let indent = LotteryLayout.indent
        return Line.flow(
            pieces, gap: gap, indent: "", width: width.map { $0 - indent.count }
        ).map { Line(indent) + $0 }
    }

    private func fits(_ columns: Int) -> Bool { width.map { columns <= $0 } ?? true }

    /// The number of digits in the largest number.
    private static func digits(_ balls: [Balls]) -> Int {
        balls.flatMap(\.all).map { String($0).count }.max() ?? 0
    }
}

extension Balls {
    /// All numbers, followed by the bonus ball.
    fileprivate var all: [Int] { numbers + [bonus] }
}
