import CommandLine
import Testing
import Verbs

@Suite("Help made from the command table")
struct CommandLineHelpTests {
    @Test(
        "The overview is shown without a verb and for every form of help",
        arguments: [[], ["--help"], ["-h"], ["help"], ["--json"], ["help", "--help"], ["--"]])
    func theOverview(line: [String]) throws {
        #expect(try text(line) == sample.help())
        #expect(sample.help() == overview)
    }

    @Test(
        "The help of a command is shown wherever help stands on the line",
        arguments: [
            ["help", "pay"], ["pay", "--help"], ["--help", "pay"], ["pay", "-h", "4.50", "5"],
            ["--json", "help", "pay"], ["help", "pay", "4.50"],
        ])
    func oneCommand(line: [String]) throws {
        let pay = try #require(sample.commands.first { $0.path == ["pay"] })
        #expect(try text(line) == sample.help(for: pay))
        #expect(sample.help(for: pay) == helpForPay)
    }

    @Test(
        "A group of commands shows its verbs",
        arguments: [["tag"], ["tag", "--help"], ["help", "tag"], ["tag", "--json"]])
    func aGroupOfCommands(line: [String]) throws {
        #expect(try text(line) == helpForTag)
    }

    @Test("The help of a command that is also a group lists its subcommands")
    func aCommandThatIsAGroupToo() throws {
        #expect(try text(["draws", "--help"]) == helpForDraws)
    }

    @Test("Help marks an optional argument and lists choices")
    func anArgumentThatMayBeLeftOutAndChoices() throws {
        #expect(try text(["tag", "dump", "--help"]) == helpForDump)
    }

    @Test("No line of help is longer than a hundred columns")
    func noLineIsLongerThanAHundredColumns() throws {
        let long = String(repeating: "word ", count: 100)
        let spec = CommandSpec(
            path: ["x"], summary: "Do it", discussion: long + "\n\n" + long,
            parameters: [CommandParameter("long", .flag, help: long)], example: "tapcard x",
            group: "X")
        let lines = sample.help(for: spec).split(separator: "\n")
        #expect(lines.map(\.count).max() == 99)
        #expect(lines.allSatisfy { $0.last != " " })
    }

    @Test("The options topic lists the options of every command")
    func theOptionsOfEveryCommand() throws {
        #expect(
            try text(["help", "options"]) == """
                options: options that every verb takes

                Options:
                  -r, --reader NAME  Use this reader
                  --ledger FILE      Keep the books here
                  --json             Print one JSON document
                  -h, --help         Show help and exit
                  --version          Show the version and exit

                """)
    }

    @Test("The documentation in Markdown covers every command")
    func theWholeDocumentation() throws {
        #expect(try text(["help", "--markdown"]) == sample.markdown())
        #expect(sample.markdown() == documentation)
    }
}

private let summary = """
    Keeps value and scratch cards on NFC stickers, and is sure of every payment even when the \
    card is
    pulled away too soon.
    """

private let overview = """
    Usage:
      tapcard VERB [OPTIONS]

    \(summary)

    Cards:
      read         Show what is on a card
      forget       Blank the names of cards

    Money:
      pay          Take a payment

    Lottery:
      draws        List the draws; subcommands: show

    Tags:
      tag          info, dump

    Other:
      completions  Print completions for a shell

    Topics:
      options      options that every verb takes

    More:
      tapcard VERB --help, tapcard help TOPIC

    """

private let helpForPay = """
    Usage:
      tapcard pay [OPTIONS] AMOUNT

    Take a payment

    The card is the old one or the new one, whatever moment it is pulled. A success is never claimed
    that did not happen, and a retry under the same operation pays once.

    Exit status 6 means: tap again.

    Arguments:
      AMOUNT            What to pay, such as 4.50

    Options:
      --operation UUID  Make a retry safe: an operation that has been done is answered with \
    what came of
                        it, and is not done again
      -c, --card UID    Insist on one card

    Example:
      tapcard pay 4.50

    More:
      tapcard help options, tapcard help exit-status

    """

private let helpForTag = """
    Usage:
      tapcard tag VERB [OPTIONS]

    Verbs:
      tag info  Describe the chip
      tag dump  Write all pages down

    More:
      tapcard tag VERB --help, tapcard help options, tapcard help exit-status

    """

private let helpForDraws = """
    Usage:
      tapcard draws [OPTIONS]

    List the draws

    Options:
      --age DAYS  Only so old

    Subcommands:
      draws show  Show one draw

    Example:
      tapcard draws

    More:
      tapcard help options, tapcard help exit-status

    """

private let helpForDump = """
    Usage:
      tapcard tag dump [OPTIONS] [FILE]

    Write all pages down

    Arguments:
      [FILE]           Where to

    Options:
      --format FORMAT  The form of the dump (text, flipper)

    Example:
      tapcard tag dump --format flipper

    More:
      tapcard help options, tapcard help exit-status

    """

private let documentation = #"""
    # tapcard commands

    Keeps value and scratch cards on NFC stickers, and is sure of every payment even when the \#
    card is pulled away too soon.

    `make docs` generates this page from the command table, so change the table instead.

    ## tapcard read

    `tapcard read [OPTIONS]`, such as `tapcard read --watch`

    Show what is on a card.

    | Arguments and options | |
    |---|---|
    | `-w, --watch` | Go on until Ctrl-C |

    ## tapcard forget

    `tapcard forget [OPTIONS] CARD...`, such as `tapcard forget 04AC6B72BA6C80`

    Blank the names of cards.

    | Arguments and options | |
    |---|---|
    | `CARD...` | The UID of a card |

    ## tapcard pay

    `tapcard pay [OPTIONS] AMOUNT`, such as `tapcard pay 4.50`

    Take a payment. The card is the old one or the new one, whatever moment it is pulled. A success is
    never claimed that did not happen, and a retry under the same operation pays once.

    Exit status 6 means: tap again.

    | Arguments and options | |
    |---|---|
    | `AMOUNT` | What to pay, such as 4.50 |
    | `--operation UUID` | Make a retry safe: an operation that has been done is answered with \#
    what came of it, and is not done again |
    | `-c, --card UID` | Insist on one card |

    ## tapcard draws

    `tapcard draws [OPTIONS]`, such as `tapcard draws`

    List the draws.

    | Arguments and options | |
    |---|---|
    | `--age DAYS` | Only so old |

    ## tapcard draws show

    `tapcard draws show [OPTIONS] ID`, such as `tapcard draws show draw-1`

    Show one draw.

    | Arguments and options | |
    |---|---|
    | `ID` | As draws lists it |

    ## tapcard tag info

    `tapcard tag info [OPTIONS]`, such as `tapcard tag info`

    Describe the chip.

    ## tapcard tag dump

    `tapcard tag dump [OPTIONS] [FILE]`, such as `tapcard tag dump --format flipper`

    Write all pages down.

    | Arguments and options | |
    |---|---|
    | `[FILE]` | Where to |
    | `--format FORMAT` | The form of the dump (text, flipper) |

    ## tapcard completions

    `tapcard completions [OPTIONS] SHELL`, such as `tapcard completions bash`

    Print completions for a shell.

    | Arguments and options | |
    |---|---|
    | `SHELL` | The shell \| its name (bash, zsh, fish) |

    ## Help: options

    | Options | |
    |---|---|
    | `-r, --reader NAME` | Use this reader |
    | `--ledger FILE` | Keep the books here |
    | `--json` | Print one JSON document |
    | `-h, --help` | Show help and exit |
    | `--version` | Show the version and exit |

    """#
