import Glibc

let words = Array(CommandLine.arguments.dropFirst())
if words.first == RealReaders.drivingWord {
    await RealReaders.drive(words.dropFirst().first)
} else {
    exit(await Wiring.run(words))
}
