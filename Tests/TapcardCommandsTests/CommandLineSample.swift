import TapcardCommands

/// A small table with an example of everything that a table can say.
let sample = CommandTable(
    program: "tapcard",
    summary: """
        Keeps value and scratch cards on NFC stickers, and is sure of every payment even when the \
        card is pulled away too soon.
        """,
    globals: [
        CommandOption(name: "reader", short: "r", value: "NAME", help: "Use this reader"),
        CommandOption(
            name: "ledger", value: "FILE", help: "Keep the books here", completesFiles: true),
        CommandOption(name: "json", help: "Print one JSON document"),
    ],
    commands: [
        CommandSpec(
            path: ["read"], summary: "Show what is on a card",
            options: [CommandOption(name: "watch", short: "w", help: "Go on until Ctrl-C")],
            example: "tapcard read --watch", group: "Cards"),
        CommandSpec(
            path: ["forget"], summary: "Blank the names of cards",
            arguments: [CommandArgument(name: "CARD", help: "The UID of a card", repeats: true)],
            example: "tapcard forget 04AC6B72BA6C80", group: "Cards"),
        CommandSpec(
            path: ["pay"], summary: "Take a payment",
            discussion: """
                The card is the old one or the new one, whatever moment it is pulled. A success is
                never claimed that did not happen, and a retry under the same operation pays once.

                Exit status 6 means: tap again.
                """,
            arguments: [CommandArgument(name: "AMOUNT", help: "What to pay, such as 4.50")],
            options: [
                CommandOption(
                    name: "operation", value: "UUID",
                    help: """
                        Make a retry safe: an operation that has been done is answered with what \
                        came of it, and is not done again
                        """),
                CommandOption(name: "card", short: "c", value: "UID", help: "Insist on one card"),
            ],
            example: "tapcard pay 4.50", group: "Money"),
        CommandSpec(
            path: ["draws"], summary: "List the draws",
            options: [CommandOption(name: "age", value: "DAYS", help: "Only so old")],
            example: "tapcard draws", group: "Lottery"),
        CommandSpec(
            path: ["draws", "show"], summary: "Show one draw",
            arguments: [CommandArgument(name: "ID", help: "As draws lists it")],
            example: "tapcard draws show draw-1", group: "Lottery"),
        CommandSpec(
            path: ["tag", "info"], summary: "Describe the chip", example: "tapcard tag info",
            group: "Tags"),
        CommandSpec(
            path: ["tag", "dump"], summary: "Write all pages down",
            arguments: [
                CommandArgument(
                    name: "FILE", help: "Where to", isRequired: false, completesFiles: true)
            ],
            options: [
                CommandOption(
                    name: "format", value: "FORMAT", help: "The form of the dump",
                    choices: ["text", "flipper"])
            ],
            example: "tapcard tag dump --format flipper", group: "Tags"),
        CommandSpec(
            path: ["completions"], summary: "Print completions for a shell",
            arguments: [
                CommandArgument(
                    name: "SHELL", help: "The shell | its name", choices: ["bash", "zsh", "fish"])
            ],
            example: "tapcard completions bash", group: "Other"),
    ],
    exitStatuses: [(0, "done"), (2, "wrong usage")])

/// The command that a line runs, or nil when it asks for help or the version.
func run(_ line: String...) throws(CommandLineError) -> ParsedCommand? {
    if case .run(let command) = try sample.parse(line) { command } else { nil }
}

/// The text that a line asks for, or nil when it runs a command or asks for the version.
func text(_ line: [String]) throws(CommandLineError) -> String? {
    switch try sample.parse(line) {
    case .help(let text), .page(let text): text
    default: nil
    }
}
