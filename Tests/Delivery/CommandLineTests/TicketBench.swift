import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing
import Verbs

/// Cards and tickets for tests of the lottery.
extension ProgramBench {
    /// The operation that has bought the ticket, and the ticket's name.
    static let purchase = "00000000-0000-4000-8000-000000000001"
    static let ticket = "ticket-6bfffbf1fa13"

    /// A card with 20.00, and the lottery, which is the example by default.
    static func withCard(
        _ lottery: FakeLottery? = nil, clock: @escaping @Sendable () -> Timestamp = { now }
    ) async throws -> (ProgramBench, FakeLottery) {
        let lottery = try lottery ?? .example()
        let bench = try ProgramBench(services: lottery.services, clock: clock)
        _ = await bench.run("issue --balance 20 --quiet")
        return (bench, lottery)
    }

    /// A card with 18.00, and a ticket for draw-4 with the numbers 6 9 14 36 50 54 and the bonus
    /// 44. `draw` takes place afterwards.
    static func withTicket(
        _ lottery: FakeLottery? = nil, in draw: Draw? = nil
    ) async throws -> (ProgramBench, FakeLottery) {
        let (bench, lottery) = try await withCard(lottery)
        _ = await bench.run("ticket buy --quiet --operation \(purchase)")
        if let draw { try lottery.draw(draw) }
        return (bench, lottery)
    }

    /// Runs a line that a fault interrupts, then lays the card down again.
    func interrupt(_ line: String, by fault: Fault) async throws {
        try await arm(fault)
        #expect(await run(line).status == 6)
        try await arm(nil)
    }
}

extension FakeLottery {
    /// The draw of that ticket, which has won nothing.
    static func lost() throws -> Draw { try won([1, 2, 3, 4, 5, 6], bonus: 7, top: 1) }

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
