import FaultyWorld
import Glibc
import Type2Tag

await Task.detached {
    let args = CommandLine.arguments
    if args[1] == "replay" {
        var r = Replay(ScheduleNumber(UInt64(args[2])!))
        _ = await r.run()
        for l in r.lines { print(l) }
        return
    }
    var bounds = Bounds()
    bounds.faults = Int(args[2])!
    bounds.classes = TearClasses(rawValue: args[3])!
    for script in Script.all
    where (args[1] == "all" || script.deed.name == args[1]) && script.chip == .ntag213 {
        let a = clock()
        let r = await Explorer.explore(script, bounds)
        print(
            script.name, r.schedules, "exec", r.executions, "ends", r.ends, "images", r.images,
            "cut", r.stepsCut, "viol", r.violationCount, Double(clock() - a) / 1e6)
        for f in r.findings.values { print(f.violation, f.number, f.moment) }
    }
}.value
