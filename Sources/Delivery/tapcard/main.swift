import Glibc

exit(await Wiring.run(Array(CommandLine.arguments.dropFirst())))
