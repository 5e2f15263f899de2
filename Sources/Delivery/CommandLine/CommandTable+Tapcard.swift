import TapcardDomain
package import Verbs

extension CommandTable {
    /// tapcard's table with the given commands.
    package static func tapcard(_ verbs: [Command], date: String = "") -> CommandTable {
        CommandTable(
            program: "tapcard",
            summary:
                "Prepaid cards and scratch cards on NFC stickers: \(Chip.list("and")). "
                + "If a card is pulled away mid-write, it is left in either its old "
                + "state or its new one, and the next tap shows which.",
            globals: switches,
            commands: verbs,
            synonyms: [
                "undo": "refund", "reverse": "refund", "cancel": "refund", "charge": "pay",
                "topup": "add", "top-up": "add", "balance": "read", "payout": "close",
            ],
            topics: Topic.tapcard, date: date)
    }

    /// The options that every command accepts: settings and output formats.
    static let switches = [
        CommandParameter(
            "reader", .option("NAME"), help: "Reader to use, as listed by `tapcard readers`",
            completes: .readers),
        CommandParameter(
            "ledger", .option("LOCATION"), help: "Ledger file or `postgresql://` address",
            completes: .files),
        CommandParameter(
            "currency", .option("CODE"), help: "Currency of a new ledger, such as EUR",
            completes: .currencies),
        CommandParameter(
            "timeout", .option("SECONDS"), help: "Seconds to wait for a card (default 30)"),
        CommandParameter(
            "payment-lifetime", .option("SECONDS"),
            help: "Void open payments older than this (default 120)"),
        CommandParameter("json", .flag, help: "Print one JSON document instead of text"),
        CommandParameter(
            "quiet", .flag, short: "q", help: "Suppress result text; errors still appear"),
        CommandParameter("verbose", .flag, short: "v", help: "Log each step to stderr"),
        CommandParameter("no-color", .flag, help: "Print without color"),
    ]
}
