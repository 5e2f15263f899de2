import ServicePorts
import TapcardCommands
import TapcardDomain
import Testing

@Suite("How draws and tickets look")
struct LotteryLookTests {
    @Test("x")
    func look() async throws {
        let tickets = try [
            FakeLottery.ticket("ticket-1", "draw-1", [2, 16, 1, 44, 3, 4], 14),
            FakeLottery.ticket("ticket-2", "draw-9", [2, 16, 1, 44, 3, 4], 14),
            FakeLottery.ticket("ticket-3", "draw-2", [2, 16, 1, 44, 3, 5], 14),
        ]
        let lottery = try FakeLottery.example(tickets: tickets)
        for size in [
            nil, TerminalSize(columns: 80, rows: 24), TerminalSize(columns: 40, rows: 12),
            TerminalSize(columns: 20, rows: 12),
        ] {
            let bench = try ProgramBench(
                isTerminal: size != nil, size: size, services: lottery.services)
            for line in ["draws", "draws show draw-1 --next", "tickets"] {
                print("=====", line, size as Any)
                print(await bench.run(line).text)
                print(await bench.run(line + " --no-color").text)
            }
        }
        let bench = try ProgramBench(services: lottery.services)
        for line in ["draws --json", "draws show draw-1 --next --json", "tickets --json"] {
            print(await bench.run(line).text)
        }
        try lottery.vanish(age: 185, notes: ["cache thrown away"])
        print(await bench.run("draws").text)
    }
}
