import FaultyWorld
import Type2Tag

/// One row of the table: a script and how far its schedules are followed.
struct Plan: Sendable {
    enum Work: Sendable {
        case taps(Bounds)
        case stations(DuelBounds)
    }

    let script: Script
    let work: Work

    static func stations(_ script: Script, turns: Int, turnsWithFault: Int) -> [Plan] {
        [false, true].map { areCareless in
            Plan(
                script: script,
                work: .stations(
                    DuelBounds(
                        turns: turns, turnsWithFault: turnsWithFault,
                        areReadersCareless: areCareless)))
        }
    }

    private static func taps(_ script: Script, _ faults: Int, _ classes: TearClasses) -> Plan {
        Plan(script: script, work: .taps(Bounds(faults: faults, classes: classes)))
    }

    /// What every run of the tests plays: one fault of every class for every deed on every chip;
    /// two faults, of every class for a payment, of few for all else; two stations.
    static var test: [Plan] {
        let small = Script.all.filter { $0.chip == .ntag213 }
        let longest = small.map { taps($0, 2, $0.deed.name == "pay" ? .all : .few) }
        return longest + Script.all.map { taps($0, 1, .all) }
            + small.filter { ["pay", "add"].contains($0.deed.name) }
            .flatMap { stations($0, turns: 2, turnsWithFault: 1) }
    }

    /// What proves more and takes its time: two faults of every class for every deed on every
    /// chip, three of few classes for what moves money, two stations with more switches.
    static var prove: [Plan] {
        let money = ["pay", "add", "refund", "close"]
        let small = Script.all.filter { $0.chip == .ntag213 }
        return small.filter { money.contains($0.deed.name) }.map { taps($0, 3, .few) }
            + Script.all.map { taps($0, 2, .all) }
            + small.flatMap { stations($0, turns: 3, turnsWithFault: 2) }
    }
}
