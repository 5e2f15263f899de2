import FuzzTargets
import Glibc

// TapcardFuzz names the targets; TapcardFuzz TARGET with the fuzzer's own options runs one.
if CommandLine.arguments.count < 2 {
    for target in FuzzTarget.all { unsafe puts(target.name) }
    exit(0)
}
exit(fuzz(CommandLine.arguments[1]))
