import TapcardCore
import TapcardDomain
import Verbs

extension Topic {
    /// The topics of tapcard, in the order of the overview.
    static var tapcard: [Topic] {
        [
            Topic(
                "exit-status", "what each exit status means for the card and the money",
                [.table("Exit status", exitStatuses)]
                    + Topic.paragraphs(
                        [afterAnUnknownOutcome, unwritableOutput, endedBySignal]
                            .joined(separator: "\n\n"))),
            Topic(
                "errors", "every error value in --json output and what it means",
                [.table("error, then result (exit status): meaning", errorRows)]),
            Topic(
                "amounts", "how amounts are written, and which of them need a confirmation",
                Topic.paragraphs([decimals, decimalComma, ceilings].joined(separator: "\n\n"))
                    + [.table("Needs a confirmation above; is refused above", currencyRows)]),
            ids, files,
            Topic(
                "settings", "every setting: its name, variable, option and default",
                Topic.paragraphs(precedence + "\n\n" + secrets)
                    + [.table("Settings", CommandTable.settingRows)]),
            reader, Topic("simulation", "cards and money to play with", simulation), keys, ledger,
        ]
    }

    private static let exitStatuses: [HelpPart.Row] = [
        ("0", "done"),
        (
            "1",
            "failed for another reason, or standard output could not be written. If the "
                + "operation itself succeeded, the status is 0, and standard error reports it"
        ),
        ("2", "wrong usage"), ("3", "no card in time"),
        ("4", "refused, e.g. low balance, wrong state, blocked or non-tapcard card"),
        ("5", "no usable reader"), ("6", "outcome unknown; the next tap of the card resolves it"),
        ("7", "the card cannot be trusted: forged, copied, rolled back, damaged"),
        ("8", "a remote service failed"), ("9", "the ledger failed"),
        ("130", "Ctrl-C before anything was started; another signal n gives 128 + n (SIGTERM 143)"),
    ]

    private static let afterAnUnknownOutcome = """
        After 6 the ledger has the operation open. Hold the same card to the reader again, with any
        command: that resolves the operation and says which way. To repeat the request safely,
        repeat it with the id that was printed: `--operation ID` never happens twice.
        """

    private static let unwritableOutput = """
        Where standard output cannot be written (a full disk, a pipe that nobody reads), the exit status is \
        1 and standard error says so. A failure keeps its own. If the operation itself succeeded (on a card, \
        in the ledger, on keys, settings or files), the exit status is 0, and standard error has the report \
        in words, with the operation. A script that repeats what has failed would otherwise charge twice.
        """

    private static let endedBySignal = """
        Ctrl-C, SIGTERM and SIGHUP end a command by that signal (130, 143, 129 for a shell) where nothing was \
        begun, so that a loop of the shell's stops. Where something was begun it ends, and the \
        exit status says how. What goes on until it is stopped (`serve`, `emulate`, `sandbox`, `read --watch`) \
        ends with 0 on SIGTERM and SIGHUP, as service managers want it, and by the signal on Ctrl-C. `serve` \
        without a terminal does not end on SIGHUP: it reads its certificate again, where it has one.
        """

    private static var errorRows: [HelpPart.Row] {
        TapcardError.Kind.allCases.map { kind in
            let result = TapcardError(kind, "").result
            return (kind.word, "\(result.rawValue) (\(result.exitStatus)): \(kind.meaning)")
        }
    }

    private static let decimals = """
        An amount is a number in the currency of the ledger, such as `4.50` or `20`, without a sign
        and without the currency's name. It has at most as many decimals as the currency: two for
        USD, none for JPY, three for KWD. `tapcard init --currency EUR` sets the currency for good.
        """

    private static var currencyRows: [HelpPart.Row] {
        Currency.known.map { currency in
            let amounts = CommandTable.ceilings(of: currency).map(\.description)
            return (
                currency.code,
                "payment \(amounts[0]), top-up \(amounts[1]), balance \(amounts[2]); payment "
                    + "\(amounts[3]), top-up \(amounts[4]), balance \(amounts[5])"
            )
        }
    }

    private static var ids: Topic {
        Topic(
            "ids", "cards, operations, holders, keys: what names what",
            [
                .paragraph("Commands print these names and take them again."),
                .table(
                    "Names",
                    [
                        (
                            "UID",
                            "A card: the number that the chip's maker gave it, 14 hexadecimal digits. "
                                + "--card UID refuses every other card."
                        ),
                        (
                            "operation",
                            "One request: a UUID. Each receipt has it, and so has an error after which "
                                + "the outcome is open. The same verb with --operation UUID never "
                                + "happens twice, so a script makes the id itself and keeps it until "
                                + "it has an answer."
                        ),
                        (
                            "id",
                            "The holder's number on a card, from 1. You choose it with issue --id, and "
                                + "any phone can read it."
                        ),
                        (
                            "KEY",
                            "One of the station's keys, as keys list shows it: a small number."
                        ),
                        (
                            "TICKET",
                            "A lottery ticket or a draw: the lottery's own names, as tickets and draws "
                                + "list them."
                        ),
                        (
                            "STATION",
                            "One of several stations on a ledger in PostgreSQL: the name of its login."
                        ),
                    ]),
            ])
    }

    private static var files: Topic {
        Topic(
            "files", "where keys, ledger and settings are",
            [
                .table(
                    "Files of a user",
                    [
                        (
                            "~/.config/tapcard/config.json",
                            "The settings; below XDG_CONFIG_HOME if set"
                        ),
                        (
                            "~/.local/share/tapcard/",
                            "The data folder; below XDG_DATA_HOME if set, or the setting data"
                        ),
                        ("keys.json", "In the data folder: the keys. Keep a copy: keys export"),
                        (
                            "ledger.sqlite",
                            "In the data folder: the ledger, with -wal and -shm next to it while it is "
                                + "in use. Copy it with backup, never by hand"
                        ),
                        (
                            "cashiers.json",
                            "In the data folder: the cashiers, with hashed passwords"
                        ),
                        ("mastermind.json", "In the data folder: the login and the games"),
                        ("cache/", "In the data folder: answers of the lottery; can be deleted"),
                        (
                            "simulated/",
                            "In both folders: settings, keys, ledger and tags of the simulated station"
                        ),
                    ]),
                .table(
                    "Files of the service tapcard.service",
                    [
                        ("/etc/tapcard/config.json", "Its settings"),
                        (
                            "/var/lib/tapcard/",
                            "Its data folder, which only the user tapcard can read"
                        ),
                    ]),
                .paragraph(
                    """
                    Removing the program or its package leaves all of them. A ledger without its keys,
                    and keys without their ledger, are of no use: back up both.
                    """),
            ])
    }

    private static var reader: Topic {
        Topic(
            "reader", "how a reader is named, and which one is used",
            [
                .paragraph(
                    """
                    Without `--reader`, `TAPCARD_READER` or the setting `reader`, the first reader that
                    is plugged in is used: USB, then those of pcscd. Serial ports are never tried,
                    because another device could be there. `tapcard readers` lists the readers with
                    their names, and `tapcard doctor` finds out why one is not working.
                    """),
                .table(
                    "Names",
                    [
                        ("pn532_uart:/dev/ttyUSB0", "A PN532 board on a serial port, by libnfc"),
                        ("acr122_usb:001:004", "A reader on USB, by libnfc; the numbers change"),
                        ("pcsc:NAME", "A reader of pcscd; a part of its name is enough"),
                        ("sim", "The simulated reader: see tapcard help simulation"),
                        ("sim:FILE", "The same with its tag in this file"),
                    ]),
                .paragraph(
                    """
                    The user at the machine may use a reader once the udev rules are installed. On a
                    server, the groups plugdev (USB) and dialout (serial ports) give the right.
                    """),
            ])
    }

    private static let keys = Topic(
        "keys", "what seals the cards, and what to do with it",
        """
        The keys seal the records on the cards. A station without them refuses every card; one with other
        keys rejects the cards of this ledger as forged where it does not know them. `tapcard init` makes them. They are in the file keys.json in the data folder, which
        only its owner can read, and are not in a backup of the ledger: `tapcard keys export` makes
        a copy, which belongs where nobody else reads it. With it one can make cards.

        If all copies are lost, genuine cards are rejected, and a card on an NTAG 424 can never be
        written again, by anyone: only the ledger still knows what it holds. So export the keys
        before the first card, and again after `tapcard keys rotate`, before the next tap.

        A new key, by `tapcard keys rotate`, seals from then on, and the older ones still verify.
        `tapcard keys retire` ends that for a key which somebody else may have. After both, the page
        that phones open needs its key file again (`tapcard keys customers`), and so does a station
        with a table of card keys (`tapcard keys table`).
        """)

    private static let ledger = Topic(
        "ledger", "the database that has the money",
        """
        The ledger has every account and every operation; a card is a sealed copy. It is the file
        ledger.sqlite in the data folder, or a database in PostgreSQL that several stations share:
        `--ledger postgresql://till-1@db.example/issuer`, `TAPCARD_LEDGER` or the setting `ledger`.

        `tapcard backup FILE` copies it while it is in use, and `tapcard restore-backup FILE` alone
        puts a copy back: a file copied by hand uses numbers a second time, and genuine cards are
        rejected. `tapcard audit` checks all of it.

        A later version of tapcard brings the ledger to its own form at the first command that
        writes. An earlier version then refuses it: make a backup before an update.
        """)
}
