import TapcardCore
import TapcardDomain
import Verbs

extension Settings.Name {
    /// The default value in words.
    fileprivate var builtInWords: String {
        if let builtIn { return "`\(builtIn)`" }
        switch self {
        case .reader: return "the first that is plugged in"
        case .data:
            return "`~/.local/share/tapcard`; its folder `simulated` for a simulated reader"
        case .ledger: return "`ledger.sqlite` in the data folder"
        case .currency: return "the ledger's own"
        case .paymentWithoutAsking: return Self.usual(\.unconfirmed.payment)
        case .topUpWithoutAsking: return Self.usual(\.unconfirmed.topUp)
        case .balanceWithoutAsking: return Self.usual(\.unconfirmed.balance)
        case .paymentLimit: return Self.usual(\.absolute.payment)
        case .topUpLimit: return Self.usual(\.absolute.topUp)
        case .balanceLimit: return Self.usual(\.absolute.balance)
        case .offlineCardLimit: return Self.usualOffline(\.card)
        case .offlineStationLimit: return Self.usualOffline(\.station)
        case .presets: return "about `1 2.50 5 10` dollars"
        case .topUpPresets: return "about `5 10 20 50` dollars"
        default: return "none"
        }
    }

    private static func usual(_ amount: KeyPath<Ceilings, Money>) -> String {
        let codes = ["USD", "CZK", "JPY"].compactMap(Currency.init(code:))
        return codes.map { "\(Ceilings.standard(for: $0)[keyPath: amount]) \($0.code)" }
            .joined(separator: ", ")
    }

    private static func usualOffline(_ amount: KeyPath<OfflineLimits, Money>) -> String {
        let codes = ["USD", "CZK", "JPY"].compactMap(Currency.init(code:))
        return codes.map { "\(OfflineLimits.standard(for: $0)[keyPath: amount]) \($0.code)" }
            .joined(separator: ", ")
    }

    /// Whether a global option sets it as well.
    fileprivate var isOption: Bool {
        CommandTable.switches.contains { $0.name == rawValue }
    }

    /// The purpose of a setting.
    fileprivate var help: String {
        switch self {
        case .reader:
            "The reader, as `tapcard readers` names it; `sim` for a simulated one. Several are named on "
                + "the command line of `tapcard serve` alone"
        case .data: "The folder of keys, ledger and what services said; a whole path"
        case .ledger: "The ledger: a file, or the address of a database that stations share"
        case .currency: "The currency of a new ledger; an old one in another is refused"
        case .timeout: "Seconds to wait for a card"
        case .cashier: "Who works here; the history names them"
        case .paymentLifetime:
            "Seconds for which an interrupted payment can still be booked by another tap"
        case .activationURL: "Activation service address; not used until set or confirmed"
        case .lotteryURL: "Lottery address (draws and tickets); not used until set or confirmed"
        case .mastermindURL: "Mastermind service address; not used until set or confirmed"
        case .caFile: "Certificates in PEM that the services are believed by, besides the system's"
        case .ticketPrice: "What a ticket costs"
        case .prizes: "What a ticket wins"
        case .topPrizeUnit: "What the lottery's number counts: `whole` or `minor` units"
        case .lotteryBalls: "How many balls are drawn"
        case .lotteryHighest: "The highest number on a ball"
        case .paymentWithoutAsking: "The largest payment that needs no confirmation"
        case .topUpWithoutAsking: "The largest top-up that needs no confirmation"
        case .balanceWithoutAsking: "The largest balance that a top-up may lead to without one"
        case .paymentLimit: "The largest payment, whatever is confirmed"
        case .topUpLimit: "The largest top-up, whatever is confirmed"
        case .balanceLimit: "The largest balance that a top-up or a prize may lead to"
        case .offlinePayments:
            "Whether payments are taken while the database of the ledger is offline"
        case .offlineCardLimit: "The most that a card may pay here before the ledger is back"
        case .offlineStationLimit: "The most that this station may take before the ledger is back"
        case .offlineSnapshotAge: "Seconds for which the snapshot of the cards counts"
        case .presets: "One to six payments that the till page offers with one touch"
        case .topUpPresets: "The same for top-ups"
        case .cardAddress:
            "The page that phones open by an NTAG 424 that is made here, such as "
                + "`https://cards.example.org/c`"
        case .customers:
            "The IPv4 address and port at which `tapcard serve` shows customers their balance"
        case .customersName: "The name under which phones know that page"
        case .customersCertificate: "The certificate of that page (PEM)"
        case .customersCertificateKey: "The certificate's key (PEM)"
        case .customersKeys: "The key file of that page, which `tapcard keys customers` makes"
        case .json: "Print one JSON document"
        case .quiet: "Print only errors, and where new keys were stored"
        case .verbose: "Say what is done, step by step"
        case .noColor: "Print without colour"
        }
    }
}

extension CommandTable {
    /// The content of docs/SETTINGS.md.
    package static func settingsPage() -> String {
        let rows = Settings.Name.allCases.map { name in
            "| `\(name.rawValue)` | `\(name.variable)` | \(name.isOption ? "yes" : "") | "
                + "\(name.help) | \(name.builtInWords) |"
        }
        let currencies = Currency.known.map { currency in
            "| \(currency.code) | "
                + ceilings(of: currency).map(\.description).joined(separator: " | ") + " |"
        }
        return [
            settingsStart, Topic.precedence, settingsTable + rows.joined(separator: "\n"),
            Topic.secrets, "## A simulated station", Topic.simulation, "## Ceilings",
            Topic.ceilings, ceilingsTable + currencies.joined(separator: "\n"),
            "## Decimal comma", Topic.decimalComma,
        ].joined(separator: "\n\n") + "\n"
    }

    /// The settings as rows of the help, where a table of five columns is too wide.
    static var settingRows: [HelpPart.Row] {
        Settings.Name.allCases.map { name in
            let option = name.isOption ? ", --\(name.rawValue)" : ""
            return (
                name.rawValue,
                "\(name.help). \(name.variable)\(option); built in: \(name.builtInWords)"
            )
        }
    }

    /// The ceilings on payment, top-up and balance that a confirmation lifts, and the limits.
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

        Every setting of a station, for whoever runs it. `make docs` makes this page from the table
        in the program: change that instead.
        """

    private static let settingsTable = """
        | name | variable | flag | meaning | built in |
        |---|---|---|---|---|

        """

    private static let ceilingsTable = """
        | currency | payment | top-up | balance | payment, most | top-up, most | balance, most |
        |---|---|---|---|---|---|---|

        """
}

extension Topic {
    static let precedence = """
        A flag beats a variable, a variable beats the file, the file beats what is built in.
        `tapcard config` shows what is in force and where it comes from; `tapcard config get KEY`
        prints one setting, `tapcard config set KEY VALUE` writes it into the file, and without
        VALUE takes it out.

        The file is `~/.config/tapcard/config.json`, below `XDG_CONFIG_HOME` where that is set: a
        JSON object with the names below. Unknown names in it, and unknown variables that begin with
        `TAPCARD_`, have no effect and are named at each command. What makes no sense is refused, so
        that no money moves under a setting that nobody meant; so is a link that leads nowhere.
        """

    static let secrets = """
        Passwords are only ever variables, and are never shown: `TAPCARD_MASTERMIND_PASSWORD`,
        `TAPCARD_CASHIER_PASSWORD`, `TAPCARD_TABLE_PASSPHRASE`.
        """

    static let simulation = """
        With `sim` or `sim:FILE` as its reader a station plays: its keys, its ledger and its settings
        lie in folders of their own, `~/.local/share/tapcard/simulated` and
        `~/.config/tapcard/simulated/config.json`, so that play money never enters the real books;
        with `data` or `TAPCARD_DATA`, in `simulated` below that folder. The first use makes them, in
        USD; `tapcard --reader sim init --currency EUR` makes them in another currency. `ledger` and
        `TAPCARD_LEDGER` have no effect there: only `--ledger FILE` puts a simulated reader on another
        ledger, and each command says so. A file that itself names a simulated reader is the settings
        of that one. A ledger that is missing next to its keys is not made again, as on a real
        station.
        """

    static let ceilings = """
        An amount above `confirm-payment-above`, `confirm-top-up-above` or, for what is on the card
        afterwards, `confirm-balance-above` is refused (exit status 4, `confirmation-needed`) until
        it is confirmed: `--yes` on the command line, `"confirmed": true` in the API. Above
        `payment-limit`, `top-up-limit` and `balance-limit` nothing helps (`limit-exceeded`). What
        a new card begins with is a top-up, a ticket is a payment. Refunds, payouts and
        replacements have no ceiling: that money was let through before. A prize needs no
        confirmation, since nobody types it, but has to leave the balance below `balance-limit`; it
        can be paid out by hand. A request that is repeated is not asked again.

        Without a setting they are about 100, 200 and 500 dollars, and a hundred times as much: what
        is sold at a till is below the lower line, and the same amount without its decimal point
        above it. By currency:
        """

    static let decimalComma = """
        Amounts are read with a point, and `.50` is 0.50. A comma before exactly two final digits is a
        decimal comma: `3,50`. Where people who pay in the ledger's currency write one (EUR, CZK, PLN,
        HUF, SEK, NOK, DKK), or where the station's language does (`LC_ALL`, `LC_NUMERIC`, `LANG`), it
        may precede any number of decimals. A comma never separates thousands: `1,500` is refused in a
        currency with two decimals. What programs write always has a point.
        """
}
