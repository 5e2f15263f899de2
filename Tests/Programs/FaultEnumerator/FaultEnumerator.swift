import FaultyWorld
import Glibc
import TapcardDomain

/// Plays every schedule of faults within the bounds against the real core and prints the results.
/// The exit status is 1 if an invariant was broken.
@main
enum FaultEnumerator {
    static let usage = """
        FaultEnumerator test|check [--requests NAME,...] [--chips NAME,...]
            plays the schedules that "make test" or "make check" plays, or those of them that are
            about these requests and chips
        FaultEnumerator runs
            prints the words of each run of "make prove", a line for each
        FaultEnumerator [--requests NAME,...] [--chips NAME,...] [--faults N]
            [--classes one|few|some|all]
            plays every schedule of up to N faults
        FaultEnumerator stations [--requests NAME,...] [--chips NAME,...] [--turns N]
            [--turns-with-fault N] [--thorough yes] [--open yes]
            plays two stations that share a card, whole or left open by an earlier tap
        FaultEnumerator database [--one-of N] [--seed N] [--requests NAME,...] [--turns N]
            [--turns-with-fault N]
            plays one of N schedules of two stations over a ledger in PostgreSQL
        FaultEnumerator operators [--requests NAME,...] [--chips NAME,...] [--turns-with-fault N]
            plays a station and an operator who blocks the card or gives its key up
        FaultEnumerator replay NUMBER
            tells one schedule step by step
        FaultEnumerator mutants [--without-rule N]
            in the build of "make mutants": leaves out one rule after the other, or one of them
        --without-rule N, in that build: leaves out one rule
        """

    static func main() async {
        guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
            print(usage)
            exit(2)
        }
        // Runs on the pool, which has a thread for each core, instead of the main thread.
        let isGood = await Task.detached { await run(arguments) }.value
        exit(isGood ? 0 : 1)
    }

    private static func run(_ arguments: Arguments) async -> Bool {
        guard arguments.command == .mutants || arguments.withoutRule != nil else {
            return await obey(arguments)
        }
        guard let leftOut = SafetyRule.leftOut else {
            print("Rules can be left out in the build of \"make mutants\" only.")
            return false
        }
        return await leftOut.withValue(arguments.withoutRule) { await obey(arguments) }
    }

    private static func obey(_ arguments: Arguments) async -> Bool {
        switch arguments.command {
        case .replay(let number):
            guard let (lines, broken) = await Replay.tell(number) else {
                print("\(number) is the number of no schedule.")
                return false
            }
            for line in lines { print(line) }
            return broken.isEmpty
        case .runs:
            for line in Plan.runs { print(line) }
            return true
        case .play(let plans): return await Table.run(plans)
        case .mutants: return await Mutants.run(only: arguments.withoutRule)
        }
    }
}
