import FaultyWorld
import TapcardDomain

/// One row of the table: a script and the limits on its schedules.
struct Plan: Sendable {
    enum Work: Sendable {
        case taps(Bounds)
        case stations(DuelBounds)
    }

    let script: Script
    let work: Work

    /// Plans with a second station that does each of these, with strict and with careless readers.
    static func stations(
        _ script: Script, turns: Int, turnsWithFault: Int, isThorough: Bool = false,
        openings: [Opening] = [.none], against seconds: [Duel.Second] = [.payment, .repetition],
        sample: Sample? = nil
    ) -> [Plan] {
        openings.flatMap { opening in
            seconds.flatMap { second in
                [false, true].map { areCareless in
                    Plan(
                        script: script,
                        work: .stations(
                            DuelBounds(
                                turns: turns, turnsWithFault: turnsWithFault,
                                areReadersCareless: areCareless, second: second,
                                opening: opening, isThorough: isThorough, sample: sample)))
                }
            }
        }
    }

    private static func taps(_ script: Script, _ faults: Int, _ classes: TearClasses) -> Plan {
        Plan(script: script, work: .taps(Bounds(faults: faults, classes: classes)))
    }

    /// The schedules of `make test`, which are also in `check`: one fault for every request on the
    /// smallest chip that shows it, and for the requests that differ on the NTAG 424; and two
    /// stations.
    static var test: [Plan] {
        let onChip = [
            "issue", "replace", "change-keys", "pay", "add", "scratch", "refund", "close",
        ]
        return onChip.flatMap { small($0, on: .ntag424) }.map { taps($0, 1, .few) }
            + smallest.reversed().map { taps($0, 1, .few) }
            + small("pay").flatMap { stations($0, turns: 1, turnsWithFault: 1) }
            + small("add").flatMap { operators($0, turnsWithFault: 0) }
    }

    /// The schedules of `make check`: two faults for every request on the smallest chip that shows
    /// it and on the NTAG 424, and for a payment on every chip, with more classes of tears for a
    /// payment on an NTAG213; one fault of every class for every request on every chip; and two
    /// stations. The longest plans, which are the last requests, come first so that no core idles
    /// at the end.
    static var check: [Plan] {
        let pays = Script.all.filter { $0.request.name == "pay" && $0.chip != .ntag424 }
        let others = smallest.filter { $0.request.name != "pay" }
        let onChip = Script.all.filter { $0.chip == .ntag424 }
        var plans = pays.map { taps($0, 2, $0.chip == .ntag213 ? .some : .few) }
        plans += others.reversed().map { taps($0, 2, .one) } + onChip.map { taps($0, 2, .one) }
        plans += Script.all.map { taps($0, 1, .all) }
        plans += small("pay").flatMap { stations($0, turns: 2, turnsWithFault: 1) }
        plans += small("pay", on: .ntag424).flatMap { stations($0, turns: 2, turnsWithFault: 1) }
        plans += small("change-keys", on: .ntag424).flatMap {
            stations($0, turns: 1, turnsWithFault: 1)
        }
        plans += small("pay").flatMap {
            stations($0, turns: 2, turnsWithFault: 0, openings: Opening.broken)
        }
        plans += small("protect").flatMap {
            stations($0, turns: 1, turnsWithFault: 0, openings: Opening.broken)
        }
        plans += small("add").flatMap { stations($0, turns: 2, turnsWithFault: 0) }
        plans += ["pay", "add", "close", "ticket"].flatMap { small($0) }.flatMap {
            operators($0, turnsWithFault: 1)
        }
        plans += ["add", "protect", "unprotect"].flatMap { small($0) }.flatMap {
            stations($0, turns: 1, turnsWithFault: 1)
        }
        return plans
    }

    /// Plans in which an operator works without the card, in one transaction.
    static func operators(_ script: Script, turnsWithFault: Int) -> [Plan] {
        stations(
            script, turns: 1, turnsWithFault: turnsWithFault, openings: Opening.allCases,
            against: [.block, .retirement])
    }

    /// The schedules of two stations that are also played over PostgreSQL.
    static func far(_ sample: Sample, turns: Int, turnsWithFault: Int) -> [Plan] {
        small("pay").flatMap {
            stations($0, turns: turns, turnsWithFault: turnsWithFault, sample: sample)
                + stations(
                    $0, turns: turns, turnsWithFault: 0, openings: [.begun, .shown], sample: sample)
                + stations(
                    $0, turns: 1, turnsWithFault: turnsWithFault,
                    against: [.block, .retirement], sample: sample)
        }
            + ["add", "close", "ticket"].flatMap { small($0) }.flatMap {
                stations($0, turns: 1, turnsWithFault: turnsWithFault, sample: sample)
            }
    }

    /// The schedules of the NTAG 424, with one fault and then two, for the requests that write in
    /// several places or write there most often.
    static var ofChip: [Plan] {
        let scripts = ["pay", "add", "issue", "change-keys"].flatMap { small($0, on: .ntag424) }
        return [1, 2].flatMap { faults in scripts.map { taps($0, faults, .few) } }
    }

    private static func small(_ name: String, on chip: Chip = .ntag213) -> [Script] {
        Script.all.filter { $0.request.name == name && $0.chip == chip }
    }

    /// Every request on the smallest chip with pages that shows it.
    private static var smallest: [Script] {
        Script.all.filter { $0.chip == ($0.request.isShown ? .ntag215 : .ntag213) }
    }

    /// The runs of "make prove", the most revealing first: the smallest chip and the NTAG 424 come
    /// before the chips that differ only in where their pages are, and cheap kinds of runs before
    /// expensive ones. They are separate so that the whole can be stopped and resumed between any
    /// two.
    static var runs: [String] {
        [Chip.ntag213, .ntag424, .ntag215, .ntag216].flatMap { chip in
            let scripts = Script.all.filter { $0.chip == chip }
                .map { "--requests \($0.request.name) --chips \(chip.name)" }
            return scripts.map { "stations \($0) --turns 1 --turns-with-fault 1 --thorough yes" }
                + scripts.map { "\($0) --faults 2 --classes all" }
                + scripts.map { "stations \($0) --turns 3 --turns-with-fault 2" }
                + scripts.map { "\($0) --faults 3 --classes one" }
        }
    }
}
