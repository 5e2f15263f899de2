import Games
import TapcardCore
import TapcardDomain
import Verbs

/// Cards and tickets that tests of the lottery begin with.
extension ProgramBench {
    /// The operation that has bought the ticket, and the ticket's name.
    static let purchase = "00000000-0000-4000-8000-000000000001"
    static let ticket = "ticket-6bfffbf1fa13"

    /// A card with 20.00, and this lottery.
    static func withCard(
        _ lottery: FakeLottery, isTerminal: Bool = false, size: TerminalSize? = nil,
        clock: @escaping @Sendable () -> Timestamp = { ProgramBench.now }
    ) async throws -> ProgramBench {
        let bench = try ProgramBench(
            isTerminal: isTerminal, size: size, services: lottery.services, clock: clock)
        _ = await bench.run("issue --balance 20 --quiet")
        return bench
    }

    /// A card with 18.00, and a ticket for draw-4 with the numbers 6 9 14 36 50 54 and the bonus 44.
    static func withTicket(
        _ lottery: FakeLottery, isTerminal: Bool = false, size: TerminalSize? = nil
    ) async throws -> ProgramBench {
        let bench = try await withCard(lottery, isTerminal: isTerminal, size: size)
        _ = await bench.run("ticket buy --quiet --operation \(purchase)")
        return bench
    }
}

extension FakeLottery {
    /// The draw of that ticket: with these numbers it has won 30.00, with its own the top prize.
    static func won(
        _ numbers: [Int] = [9, 6, 36, 1, 2, 3], bonus: Int = 4, top: Int64 = 50
    ) throws -> Draw {
        try draw("draw-4", "2023-06-05", numbers, bonus, top)
    }

    /// The draw in which that ticket has all its balls.
    static func wonAll(_ top: Int64) throws -> Draw {
        try won([6, 9, 14, 36, 50, 54], bonus: 44, top: top)
    }
}
