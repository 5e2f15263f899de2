import TapcardCore
import TapcardDomain
import Verbs

extension Topic {
    /// tapcard's topics, in the order used in the overview.
    static var tapcard: [Topic] {
        [
            Topic(
                "exit-status", "what a command's exit status means",
                [.table("Status", exitStatuses)]
                    + Topic.paragraphs(
                        [afterAnUnknownOutcome, unwritableOutput, endedBySignal]
                            .joined(separator: "\n\n"))),
            Topic(
                "errors", "error codes in JSON output, and what they mean",
                [.table("Errors", errorRows)]),
            Topic(
                "amounts", "how to write amounts, and which limits apply",
                Topic.paragraphs([decimals, decimalComma, ceilings].joined(separator: "\n\n"))
                    + [.table("Default limits (without and with confirmation)", currencyRows)]),
            ids, files,
            Topic(
                "settings", "what each setting does, and where it comes from",
                Topic.paragraphs(precedence + "\n\n" + secrets)
                    + [.table("Settings", CommandTable.settingRows)]),
            reader,
            Topic("simulation", "tapcard without a real reader or real money", simulation),
            keys, ledger,
        ]
    }

    private static let exitStatuses: [HelpPart.Row] = [
        ("0", "Success, or the request had already succeeded"),
        ("1", "Failure that has no status of its own, such as an unusable file"),
        ("2", "Invalid option, argument, or setting; nothing was done"),
        ("3", "No card within the timeout"),
        ("4", "Refused, such as for a limit or a low balance; the message says what was resolved"),
        ("5", "No reader, or the reader is busy, lost, or unsuitable"),
        ("6", "Outcome unknown; the next tap of the same card resolves it"),
        ("7", "The card cannot be trusted; the money is safe in the ledger"),
        ("8", "A service did not return a usable response"),
        ("9", "Ledger unusable, keys behind, machine not set up, or audit failed"),
        ("130", "Stopped by Ctrl-C before anything began (SIGTERM 143, SIGHUP 129)"),
    ]

    private static let afterAnUnknownOutcome = """
        After exit status 6, put the same card on the reader again: any command that uses the card
        resolves the operation and reports the outcome. `read --no-resolve`, `tag info`, `tag dump`,
        `tag restore`, `tag format`, `block`, `unblock`, and `forget` do not resolve it. Without the
        card, the operation stays open, and `payment-lifetime` later determines whether a payment
        that is already on the card still counts. To retry safely, run the same verb with the same
        arguments and add `--operation` with the ID that was printed; the operation will never
        happen twice.
        """

    private static let unwritableOutput = """
        If standard output cannot be written, for example because the disk is full or a pipe is
        closed, the exit status is 1 and a message goes to stderr. A command that failed keeps its
        own status. A command that succeeded in changing a card, the ledger, keys, settings, or
        files still exits with 0 and reports the result, with the operation ID, on stderr, so a
        script that checks the status will not charge twice.
        """

    private static let endedBySignal = """
        If nothing has begun yet, the first signal ends the command, and its exit status indicates
        the signal, so that a shell loop stops, too. Work that has begun is completed, and the exit
        status shows how it ended. A second signal ends the command at once; the next tap resolves
        any open operation. `serve`, `watch`, `emulate`, and `sandbox` exit with 0 on SIGTERM and
        SIGHUP, but Ctrl-C terminates them with SIGINT. For `serve`, SIGHUP reloads the certificates
        instead; it ends the server only if the terminal that started it is gone.
        """

    private static var errorRows: [HelpPart.Row] {
        TapcardError.Kind.allCases.map { kind in
            let (result, status) = (kind.result.rawValue, kind.result.exitStatus)
            return (kind.word, "\(result) (\(status)): \(kind.meaning)")
        }
    }

    private static let decimals = """
        Write an amount in digits with a decimal point, such as `4.50`, `20`, or `.50`, without a
        sign, currency, or thousands separator. It can have up to as many decimal places as the
        currency: two for most currencies, none for JPY and KRW, and three for KWD. The currency is
        the ledger's, which `tapcard init --currency EUR` sets permanently. Payments, top-ups, and
        refunds must be more than 0. A card can hold at most 99999999 minor units, or 999999.99 in
        USD.
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
            "ids", "the IDs and names that commands print and accept",
            [
                .paragraph(
                    """
                    Commands print these IDs and names and accept them as arguments. A script should
                    choose its own operation ID and keep that ID until it gets a response.
                    """),
                .table(
                    "IDs and names",
                    [
                        (
                            "UID",
                            "Tag number, 14 hexadecimal digits; `--card UID` refuses any other card"
                        ),
                        (
                            "operation",
                            "UUID of a request, as printed on its receipt; a request repeated with "
                                + "`--operation` takes effect only once"
                        ),
                        (
                            "id",
                            "Cardholder's number, 1 or higher; need not be unique; phones can read "
                                + "it except on an NTAG 424"
                        ),
                        ("KEY", "Number of a key, 0 to 15, as shown by `tapcard keys list`"),
                        (
                            "TICKET",
                            "ID of a ticket, such as `ticket-0123456789ab`, as listed by "
                                + "`tapcard tickets`"
                        ),
                        ("ID", "ID of a draw, such as `draw-1`, as listed by `tapcard draws`"),
                        (
                            "NAME",
                            "Login of a server on a shared ledger, as listed by `tapcard servers "
                                + "list`"
                        ),
                        (
                            "JOURNAL",
                            "UUID of a server's journal, as shown by `tapcard ledger status`"
                        ),
                    ]),
            ])
    }

    private static var files: Topic {
        Topic(
            "files", "where the settings, keys, and ledger are kept",
            [
                .table(
                    "Files",
                    [
                        (
                            "~/.config/tapcard/config.json",
                            "Settings; in `$XDG_CONFIG_HOME/tapcard` if that is set"
                        ),
                        (
                            "~/.local/share/tapcard/",
                            "Data folder, unless `data` or `$XDG_DATA_HOME` specifies another"
                        ),
                    ]),
                .table(
                    "Files in the data folder",
                    [
                        ("keys.json", "Keys; copy them with `tapcard keys export`"),
                        ("ledger.sqlite", "Ledger; copy it only with `tapcard backup`"),
                        (
                            "ledger.sqlite.before-restore-N",
                            "Ledger that was replaced by a backup; tapcard never deletes it"
                        ),
                        (
                            "ledger.sqlite.moved-N",
                            "Ledger that `tapcard ledger copy` has moved to a database"
                        ),
                        ("cashiers.json", "Names and password hashes of the cashiers"),
                        ("tokens.json", "API tokens, as hashes"),
                        ("mastermind.json", "Mastermind login and games"),
                        (
                            "cache/",
                            "Latest responses from the lottery service, for use while it is offline"
                        ),
                        (
                            "confirmed.txt",
                            "Confirmations that this machine has received from a shared ledger"
                        ),
                        (
                            "deferred.journal",
                            "Offline payments that are not booked yet; no backup includes them"
                        ),
                        (
                            "deferred.snapshot",
                            "State of all cards, by which offline payments are accepted or refused"
                        ),
                        ("simulated/", "The same files for the simulation"),
                    ]),
                .table(
                    "System service files",
                    [
                        ("/etc/tapcard/config.json", "Service settings"),
                        (
                            "/var/lib/tapcard/",
                            "The service's data folder, accessible only to the `tapcard` user"
                        ),
                    ]),
                .paragraph(
                    """
                    Removing the program or its package leaves these files in place. A ledger is
                    useless without its keys, and the keys without their ledger: back up both.
                    """),
            ])
    }

    private static var reader: Topic {
        Topic(
            "reader", "which reader is used, and how to select one",
            [
                .paragraph(
                    """
                    If you do not select a reader, tapcard uses the first one that is ready: USB
                    readers first, then readers that can be reached only through pcscd. Serial ports
                    and board buses (SPI, I2C) are used only if you select them. `tapcard readers`
                    lists all readers, and `tapcard doctor` finds out why a reader is not working.
                    """),
                .table(
                    "Reader names",
                    [
                        ("pn532_uart:/dev/ttyUSB0", "PN532 on a serial port"),
                        (
                            "acr122_usb:001:004",
                            "USB reader by bus and device; the numbers change when you plug it in "
                                + "again"
                        ),
                        ("DRIVER:PLACE", "Any other libnfc reader, such as `pn532_i2c:/dev/i2c-1`"),
                        ("pcsc:NAME", "Reader known to pcscd; part of its name is enough"),
                        ("sim", "Simulated reader in the data folder"),
                        ("sim:FILE", "Simulated reader with up to 250 tags in FILE"),
                    ]),
                .paragraph(
                    """
                    A user who is logged in at the machine itself can use readers once the udev
                    rules are installed. On a server, add the user to the groups `plugdev` (USB
                    readers) and `dialout` (serial readers).
                    """),
            ])
    }

    private static let keys = Topic(
        "keys", "the keys that seal the cards, and how to keep them safe",
        """
        The keys seal the records on cards, and a machine with different keys rejects those cards.
        `tapcard init` creates them in `keys.json` in the data folder, readable only by its owner.
        If a machine has been set up but has no keys, new ones are created only if the ledger has no
        cards; otherwise, everything that needs keys is refused (`keys-unusable`). A backup of the
        ledger does not include the keys; `tapcard keys export` copies them. Anyone who has the copy
        can make cards.

        If every copy of the keys is lost, genuine cards will be rejected, nobody can ever write to
        an NTAG 424 again, and the balances will exist only in the ledger. Export the keys before
        you issue the first card, and again right after `tapcard keys rotate`, before the next tap.

        `tapcard keys rotate` starts sealing with a new key, while older seals remain valid; on a
        shared ledger, run it twice. `tapcard keys retire` stops trusting a key that may have
        leaked. After either command, run `tapcard keys customers FILE --overwrite` for the customer
        page.
        """)

    private static let ledger = Topic(
        "ledger", "accounts and operations, in a file or a shared database",
        """
        The ledger holds all accounts and operations; a card holds a sealed copy of its own account.
        The ledger is the file `ledger.sqlite` in the data folder, or a PostgreSQL database that
        servers share. Specify it with `--ledger postgresql://server-1@db.example/issuer`, the
        variable `TAPCARD_LEDGER`, or the `ledger` setting.

        `tapcard backup` copies a ledger file while it is in use. Restore the copy only with
        `tapcard restore-backup`; a ledger copied back by hand reuses record numbers, so genuine
        cards will be rejected. Back up and restore a database with the server's own tools, then run
        `tapcard ledger reopen --after-loss`. `tapcard audit` checks a ledger of either kind from
        end to end.

        The first command that opens a ledger file from an older version updates it, even if the
        command itself changes nothing; if the file is not writable, it is refused. A database is
        updated only by its owner, with `tapcard ledger migrate`. Earlier versions of tapcard then
        refuse the ledger (`ledger-newer`), so make a backup before you update.
        """)
}
