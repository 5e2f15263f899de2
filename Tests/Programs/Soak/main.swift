import Glibc

exit(await SoakCommand.run(Array(CommandLine.arguments.dropFirst())))
