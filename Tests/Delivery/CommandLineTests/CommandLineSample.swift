import CommandLine
import Verbs

/// A small table with an example of everything that a command table can hold.
let sample = CommandTable(
    program: "tapcard",
    summary: """
        Keeps value and scratch cards on NFC stickers, and is sure of every payment even when the \
        card is pulled away too soon.
        """,
    globals: [
        CommandParameter("reader", .option("NAME"), short: "r", help: "Use this reader"),
        CommandParameter(
            "ledger", .option("FILE"), help: "Keep the books here", completes: .files),
        CommandParameter("json", .flag, help: "Print one JSON document"),
    ],
    commands: [
        CommandSpec(
            path: ["read"], summary: "Show what is on a card",
            parameters: [
                CommandParameter("watch", .flag, short: "w", help: "Go on until Ctrl-C")
            ],
            example: "tapcard read --watch", group: "Cards"),
        CommandSpec(
            path: ["forget"], summary: "Blank the names of cards",
            parameters: [
                CommandParameter(
                    "CARD", .arguments, help: "The UID of a card", isRequired: true)
            ],
            example: "tapcard forget 04AC6B72BA6C80", group: "Cards"),
        CommandSpec(
            path: ["pay"], summary: "Take a payment",
            discussion: """
                The card is the old one or the new one, whatever moment it is pulled. A success is
                never claimed that did not happen, and a retry under the same operation pays once.

                Exit status 6 means: tap again.
                """,
            parameters: [
                CommandParameter(
                    "AMOUNT", .argument, help: "What to pay, such as 4.50", isRequired: true),
                CommandParameter(
                    "operation", .option("UUID"),
                    help: """
                        Make a retry safe: an operation that has been done is answered with what \
                        came of it, and is not done again
                        """),
                CommandParameter(
                    "card", .option("UID"), short: "c", help: "Insist on one card"),
            ],
            example: "tapcard pay 4.50", group: "Money"),
        CommandSpec(
            path: ["draws"], summary: "List the draws",
            parameters: [CommandParameter("age", .option("DAYS"), help: "Only so old")],
            example: "tapcard draws", group: "Lottery"),
        CommandSpec(
            path: ["draws", "show"], summary: "Show one draw",
            parameters: [
                CommandParameter("ID", .argument, help: "As draws lists it", isRequired: true)
            ],
            example: "tapcard draws show draw-1", group: "Lottery"),
        CommandSpec(
            path: ["tag", "info"], summary: "Describe the chip", example: "tapcard tag info",
            group: "Tags"),
        CommandSpec(
            path: ["tag", "dump"], summary: "Write all pages down",
            parameters: [
                CommandParameter("FILE", .argument, help: "Where to", completes: .files),
                CommandParameter(
                    "format", .option("FORMAT"), help: "The form of the dump",
                    choices: ["text", "flipper"]),
            ],
            example: "tapcard tag dump --format flipper", group: "Tags"),
        CommandSpec(
            path: ["completions"], summary: "Print completions for a shell",
            parameters: [
                CommandParameter(
                    "SHELL", .argument, help: "The shell | its name", isRequired: true,
                    choices: ["bash", "zsh", "fish"])
            ],
            example: "tapcard completions bash", group: "Other"),
    ].map(row))

/// A table row whose command does nothing.
func row(_ spec: CommandSpec) -> Command { Command(spec, answers: .nothing) { _ in .nothing } }

/// The command that a line runs, or nil when it asks for help or the version.
func run(
    _ line: String...
) throws(CommandLineError) -> (verb: Command, texts: [String: [String]])? {
    if case .run(let verb, let texts, _) = try sample.parse(line) { (verb, texts) } else { nil }
}

/// The text that a line asks for, or nil when it runs a command or asks for the version.
func text(_ line: [String]) throws(CommandLineError) -> String? {
    switch try sample.parse(line) {
    case .help(let text), .page(let text): text
    default: nil
    }
}
