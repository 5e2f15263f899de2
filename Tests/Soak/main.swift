import Glibc

exit(await Command.run(Array(CommandLine.arguments.dropFirst())))
