import FaultEnumerator
import FaultyWorld
import Testing

/// A number always stands for one schedule, and never for two kinds of schedule.
@Suite("Schedule numbers")
struct NumberTests {
    private let steps = [0, 1, 62, 127]
    /// Steps of a single station, which may take more of them.
    private let moreSteps = [0, 127, 128, 511]

    @Test("A number encodes a script, its gaps and up to three faults", arguments: 1...3)
    func faults(_ count: Int) throws {
        for script in Script.all {
            for (place, mishap) in Mishap.table.enumerated() {
                // The other faults are other mishaps, at other steps.
                let faults = (0..<count).map { row in
                    PlacedFault(
                        tap: (place + row) % 3, step: moreSteps[(place + row) % steps.count],
                        mishap: row == count - 1
                            ? mishap : Mishap.table[(place * 7 + row) % Mishap.table.count])
                }
                let gaps = (0..<3).map { (place + $0 * 11) % Gap.all.count }
                var number = ScheduleNumber(script)
                for (tap, gap) in gaps.enumerated() { number = number.adding(gap, behind: tap) }
                for fault in faults { number = number.adding(fault) }
                let decoded = try #require(ScheduleNumber(number.value).decoded)
                #expect(decoded.script.place == script.place && decoded.faults == faults)
                #expect(decoded.gaps == gaps.map { Gap.all[$0] })
                if let short = UInt64(exactly: number.value) {
                    #expect(Duel(number: short) == nil, "\(number)")
                }
            }
        }
    }

    @Test("A number encodes a fault at every step of a tap")
    func moments() throws {
        let script = try #require(Script.all.last)
        for tap in 0..<3 {
            for step in 0..<ScheduleNumber.mostSteps {
                for mishap in [Mishap.table[0], Mishap.table[Mishap.table.count - 1]] {
                    let fault = PlacedFault(tap: tap, step: step, mishap: mishap)
                    let decoded = ScheduleNumber(script).adding(fault).decoded
                    #expect(decoded?.faults == [fault])
                }
            }
        }
    }

    @Test(
        "A number encodes the turns of two stations and their fault",
        arguments: 0...Duel.maximumTurns)
    func stations(_ count: Int) throws {
        for script in Script.all {
            for (place, mishap) in Mishap.table.enumerated() {
                for second in Duel.Second.allCases {
                    let turns = (0..<count).map { row in
                        Duel.Turn(
                            steps: steps[(place + row) % steps.count],
                            movesCard: (place + row) % 2 == 0)
                    }
                    let step = place * 5 % Duel.mostFaultSteps
                    let duel = Duel(
                        script, areReadersCareless: place % 3 == 0, second: second,
                        opening: Opening.allCases[place % Opening.allCases.count], turns: turns,
                        fault: place == 0 ? nil : Duel.Fault(step: step, mishap: mishap))
                    #expect(Duel(number: duel.number) == duel)
                    #expect(ScheduleNumber(UInt128(duel.number)).decoded == nil)
                }
            }
        }
    }

    @Test("The encoding has room for every script, gap and mishap")
    func room() {
        #expect(Script.all.allSatisfy { $0.place < 128 })
        #expect(Set(Script.all.map(\.place)).count == Script.all.count)
        #expect(Set(Mishap.table).count == Mishap.table.count && Gap.all.count <= 32)
    }

    @Test("A number that encodes no schedule is refused")
    func none() {
        #expect(ScheduleNumber(63).decoded == nil)
        #expect(ScheduleNumber(UInt128(1) << 100).decoded == nil)
        // More steps of a fault that there is not, and a second fault without a first one.
        #expect(ScheduleNumber(UInt128(1) << 71).decoded == nil)
        #expect(ScheduleNumber(UInt128(1) << 32).decoded == nil)
        #expect(Duel(number: 0) == nil && Duel(number: .max) == nil)
    }
}
