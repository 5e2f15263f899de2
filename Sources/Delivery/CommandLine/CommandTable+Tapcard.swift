package import Verbs

extension CommandTable {
    /// The table of tapcard with the given commands.
    package static func tapcard(_ verbs: [Command], date: String = "") -> CommandTable {
        CommandTable(
            program: "tapcard",
            summary:
                "Value and scratch cards on NFC stickers (NTAG213, 215, 216, 424): a card pulled "
                + "away mid-payment always holds its old or its new state.",
            globals: switches,
            commands: verbs.map(\.spec),
            synonyms: [
                "undo": "refund", "reverse": "refund", "cancel": "refund", "charge": "pay",
                "topup": "add", "top-up": "add", "balance": "read", "payout": "close",
            ],
            topics: Topic.tapcard, date: date)
    }

    /// The options that every command takes: settings, and the form of the output.
    static let switches = [
        CommandParameter(
            "reader", .option("NAME"),
            help: "The reader, as tapcard readers names it; sim, or sim:FILE for a simulated "
                + "one", completes: .readers),
        CommandParameter(
            "ledger", .option("PLACE"),
            help: "The ledger: a file, or the address of a database", completes: .files),
        CommandParameter(
            "currency", .option("CODE"),
            help: "The currency of a new ledger; an old one in another is refused",
            completes: .currencies),
        CommandParameter(
            "timeout", .option("SECONDS"),
            help: "How long to wait for a card (default: 30)"),
        CommandParameter(
            "payment-lifetime", .option("SECONDS"),
            help: "How long an interrupted payment can still be booked by another tap "
                + "(default: 120)"),
        CommandParameter("json", .flag, help: "Print one JSON document"),
        CommandParameter(
            "quiet", .flag, short: "q",
            help: "Print only errors, and where new keys were stored"),
        CommandParameter(
            "verbose", .flag, short: "v", help: "Say what is done, step by step"),
        CommandParameter("no-color", .flag, help: "Print without colour"),
    ]
}
