import TapcardCore
import TapcardDomain
import Verbs

extension Settings.Name {
    /// The default value in words.
    fileprivate var defaultDescription: String {
        if let builtIn { return "`\(builtIn)`" }
        switch self {
        case .reader: return "the first reader that is ready"
        case .data: return "`~/.local/share/tapcard` (simulation: its subfolder `simulated`)"
        case .ledger: return "`ledger.sqlite` in the data folder"
        case .currency: return "the ledger's; USD for a new simulation"
        case .confirmPaymentAbove: return Self.standard(\.unconfirmed.payment)
        case .confirmTopUpAbove: return Self.standard(\.unconfirmed.topUp)
        case .confirmBalanceAbove: return Self.standard(\.unconfirmed.balance)
        case .paymentLimit: return Self.standard(\.absolute.payment)
        case .topUpLimit: return Self.standard(\.absolute.topUp)
        case .balanceLimit: return Self.standard(\.absolute.balance)
        case .creditLimit: return Self.standard(\.credit)
        case .cashierRefundLimit: return Self.inCurrencies(Settings.standardRefundLimit)
        case .offlineCardLimit: return Self.standardOffline(\.card)
        case .offlineStationLimit: return Self.standardOffline(\.station)
        case .topUpPresets: return "about 5, 10, 20, and 50 dollars in the ledger's currency"
        default: return "none"
        }
    }

    private static func standard(_ amount: KeyPath<Ceilings, Money>) -> String {
        inCurrencies { Ceilings.standard(for: $0)[keyPath: amount] }
    }

    private static func standardOffline(_ amount: KeyPath<OfflineLimits, Money>) -> String {
        inCurrencies { OfflineLimits.standard(for: $0)[keyPath: amount] }
    }

    private static func inCurrencies(_ amount: (Currency) -> Money) -> String {
        ["USD", "CZK", "JPY"].compactMap(Currency.init(code:)).map { "\(amount($0)) \($0.code)" }
            .joined(separator: ", ")
    }

    /// Whether a global option also sets this setting.
    fileprivate var isOption: Bool {
        CommandTable.switches.contains { $0.name == rawValue }
    }

    /// The purpose of the setting.
    fileprivate var help: String {
        switch self {
        case .reader: "Reader to use, as listed by `tapcard readers`"
        case .data: "Data folder for keys, ledger, and cashiers, as an absolute path"
        case .ledger:
            "Ledger file as an absolute path, or `postgresql://` address; ignored with a simulated "
                + "reader"
        case .currency:
            "Currency of a new ledger, such as EUR; an existing ledger in another currency is "
                + "refused"
        case .timeout: "Seconds to wait for a card, 0 to 86400; 0 checks only once"
        case .cashier:
            "Cashier recorded with each operation on the command line, up to 40 characters"
        case .paymentLifetime:
            "Seconds, 0 to 86400, after which an open payment is voided instead of committed"
        case .activationURL:
            "Address of the activation service; set it once, even to its default, to confirm it"
        case .lotteryURL:
            "Address of the lottery service; set it once, even to its default, to confirm it"
        case .mastermindURL:
            "Address of the Mastermind service; set it once, even to its default, to confirm it"
        case .caFile:
            "PEM file of certificate authorities to trust for services, in addition to the system's"
        case .ticketPrice: "Price of a lottery ticket, more than 0"
        case .prizes:
            "Prizes by exact number of balls: COUNT=AMOUNT, COUNT+bonus=AMOUNT, or COUNT=top, "
                + "separated by spaces"
        case .topPrizeUnit:
            "Unit of the lottery's top prize: `whole` units (dollars) or `minor` units (cents)"
        case .lotteryBalls: "Number of balls on a ticket, 1 to 20, without the bonus ball"
        case .lotteryHighest: "Highest ball number, above `lottery-balls`, up to 999"
        case .confirmPaymentAbove: "Amount above which a payment or ticket needs confirmation"
        case .confirmTopUpAbove:
            "Amount above which a top-up or starting balance needs confirmation"
        case .confirmBalanceAbove: "Balance above which a top-up or new card needs confirmation"
        case .paymentLimit: "Largest payment or ticket price; `--yes` does not lift it"
        case .topUpLimit:
            "Largest top-up, starting balance, or accepted balance; `--yes` does not lift it"
        case .creditLimit:
            "Most that a sale may add to a card, or pay out in cash, for returned deposits"
        case .balanceLimit:
            "Largest balance on a card; `--yes` does not lift it, but a refund may exceed it"
        case .cashierRefundLimit:
            "Most that a cashier may refund or pay out at once on the till page"
        case .offlinePayments:
            "Take payments while the ledger's database is offline; the issuer bears any amount "
                + "that cards cannot cover"
        case .offlineCardLimit:
            "Maximum total of unbooked offline payments for one card on this machine"
        case .offlineStationLimit: "Maximum total of all unbooked offline payments on this machine"
        case .offlineSnapshotAge:
            "Seconds, 0 to 86400, after which a snapshot is too old for offline payments"
        case .express:
            "On the till page, arm a sale of one product one second after it is pressed, without "
                + "Charge"
        case .shiftRequired:
            "Require an open shift on this machine for sales, top-ups, tickets, and starting "
                + "balances, but not for offline payments"
        case .topUpPresets:
            "Top-up amounts offered on the till page: one to six, separated by spaces"
        case .displayBalance: "Show the balance after a payment on the customer's display"
        case .receipts:
            "When the server prints receipts: `never`, `request` (when the page's button is "
                + "pressed), or `always` (also after each operation that moves money)"
        case .receiptHeader:
            "Text at the top of each receipt, such as the shop's name and address; it may have "
                + "several lines"
        case .receiptPrinter:
            "Address of an ESC/POS receipt printer on the network, `tcp://HOST:PORT` (default "
                + "port: 9100)"
        case .cardAddress:
            "Address that NTAG 424 cards give to phones, `https://HOST/PATH`; the customer page "
                + "is at `/c`"
        case .customers:
            "Address at which `tapcard serve` also serves the customer page, as IPv4:PORT"
        case .customersName: "Host names for the customer page, separated by commas"
        case .customersCertificate:
            "TLS certificate for the customer page in PEM format; not needed on a loopback "
                + "address"
        case .customersCertificateKey:
            "TLS private key for the customer page in PEM format, readable only by its owner"
        case .customersKeys: "Key file made by `tapcard keys customers`; required with `customers`"
        case .json: "Print one JSON document instead of text"
        case .quiet: "Suppress result text; errors still appear"
        case .verbose: "Log each step to stderr"
        case .noColor: "Print without color"
        }
    }
}

extension CommandTable {
    /// The contents of docs/SETTINGS.md.
    package static func settingsPage() -> String {
        let rows = Settings.Name.allCases.map { name in
            "| `\(name.rawValue)` | `\(name.variable)` | \(name.isOption ? "yes" : "") | "
                + "\(name.defaultDescription) | \(name.help) |"
        }
        let currencies = Currency.known.map { currency in
            "| \(currency.code) | "
                + ceilings(of: currency).map(\.description).joined(separator: " | ") + " |"
        }
        return [
            settingsStart, Topic.precedence, settingsTable + rows.joined(separator: "\n"),
            Topic.secrets, "## Simulation", Topic.simulation, "## Confirmations and limits",
            Topic.ceilings, ceilingsTable + currencies.joined(separator: "\n"),
            "## Decimal comma", Topic.decimalComma,
        ].joined(separator: "\n\n") + "\n"
    }

    /// The settings as rows for the help, where a table with five columns would be too wide.
    static var settingRows: [HelpPart.Row] {
        Settings.Name.allCases.map { name in
            let option = name.isOption ? ", --\(name.rawValue)" : ""
            return (
                name.rawValue,
                "\(name.help). \(name.variable)\(option); default: \(name.defaultDescription)"
            )
        }
    }

    /// The default ceilings: first the amounts above which confirmation is needed, then the limits,
    /// each for payments, top-ups, and balances.
    static func ceilings(of currency: Currency) -> [Money] {
        let ceilings = Ceilings.standard(for: currency)
        return [
            ceilings.unconfirmed.payment, ceilings.unconfirmed.topUp,
            ceilings.unconfirmed.balance, ceilings.absolute.payment, ceilings.absolute.topUp,
            ceilings.absolute.balance,
        ]
    }

    private static let settingsStart = """
        # Settings

        This page is for anyone who runs tapcard: it lists every setting with its variable,
        option, and default. `make docs` generates the page from the table in the program.
        """

    private static let settingsTable = """
        | Setting | Variable | Option | Default | Purpose |
        |---|---|---|---|---|

        """

    private static let ceilingsTable = """
        | Currency | Payment | Top-up | Balance | Payment limit | Top-up limit | Balance limit |
        |---|---|---|---|---|---|---|

        """
}

extension Topic {
    static let precedence = """
        An option overrides an environment variable, a variable overrides the settings file, and the
        file overrides the default; an empty variable counts as not set. For a simulated reader,
        only `--ledger` changes the ledger. `tapcard config` shows each value and where it comes
        from, `tapcard config get KEY` prints one value, `tapcard config set KEY VALUE` writes it to
        the file, and `tapcard config set KEY` removes it from the file. A running server keeps the
        settings with which it was started; to apply a change, restart it.

        The settings file is `~/.config/tapcard/config.json`, or
        `$XDG_CONFIG_HOME/tapcard/config.json`. It is a JSON object with one member per setting:
        text, a number, `true`, or `false`. Invalid values, passwords, broken links, and files that
        others can write to are refused. Unknown settings and unknown `TAPCARD_` variables have no
        effect; each command warns about them on stderr, except with `--quiet`.
        """

    static let secrets = """
        Passwords are read only from variables or typed at a prompt, and are never shown:
        `TAPCARD_MASTERMIND_PASSWORD` and `TAPCARD_CASHIER_PASSWORD`.
        """

    static let simulation = """
        The readers `sim` and `sim:FILE` belong to a simulation with its own settings, keys, ledger,
        and tags, so play money never reaches the real ledger. The simulation keeps its keys,
        ledger, and tags in `~/.local/share/tapcard/simulated`, or in the `simulated` subfolder of
        the folder that the `data` setting specifies. If you select the reader with `--reader` or
        `TAPCARD_READER`, the simulation's settings are in
        `~/.config/tapcard/simulated/config.json`. If your settings file selects a simulated reader,
        that file also holds them. The keys and a ledger are created on first use, in USD or the
        configured currency; for another currency, start with
        `tapcard --reader sim init --currency EUR`. If the keys exist but the ledger is missing,
        commands are refused, as with a real reader.
        The `ledger` setting and `TAPCARD_LEDGER` have no effect; only `--ledger` makes commands on
        a simulated reader use another ledger, and every command that does so prints a warning.
        `tapcard sim put`, `take`, `tear`, `list`, and `phone` work on the simulation's tags.
        """

    static let ceilings = """
        A payment above `confirm-payment-above`, a top-up above `confirm-top-up-above`, or a
        resulting balance above `confirm-balance-above` is refused as `confirmation-needed` (exit
        status 4) until you confirm it with `--yes`, or with `"confirmed": true` in the HTTP API.
        Above `payment-limit`, `top-up-limit`, or `balance-limit`, it is refused as
        `limit-exceeded`, even if confirmed. An amount equal to a limit is allowed. A ticket or a
        sale without a card counts as a payment, and a starting or accepted balance as a top-up.
        These limits do not apply to refunds, payouts, and replacements, but on the till page, the
        role cashier has its own, `cashier-refund-limit`. Credits for returned deposits are limited
        by `credit-limit`. A prize does not need confirmation, but if it would take the balance
        above `balance-limit`, pay it out in cash. A request repeated with its ID does not need to
        be confirmed again. Offline payments have additional limits.

        By default, a payment above about 100 dollars, a top-up above 200, or a balance above 500,
        or the equivalent in another currency, needs confirmation. The limits that apply even with
        confirmation are 100 times as high, but never above 99999999 minor units. A typical price
        does not need confirmation; the same price typed without its decimal point does.
        """

    static let decimalComma = """
        A comma before exactly two final digits is a decimal comma in every currency: `3,50` means
        3.50, or 3.500 in KWD, and is refused in a currency without decimal places. Before any other
        number of digits, a comma is accepted if the ledger's currency is EUR, CZK, PLN, HUF, SEK,
        NOK, or DKK. It is also accepted if the currency has decimal places and the first of
        `LC_ALL`, `LC_NUMERIC`, and `LANG` that is not empty names a language that uses a decimal
        comma, such as `de`, `fr`, or `es` (but not `de_CH` or `es_MX`). A comma is never a
        thousands separator: `1,500` is refused in a currency with two decimal places. Output always
        uses a decimal point.
        """
}
