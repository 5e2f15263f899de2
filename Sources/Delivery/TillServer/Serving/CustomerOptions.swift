import CardCryptography
import CustomerServer
import Ledger
import OperatingSystem
import TapcardCore
import TextCodecs
import Verbs
import WebServer

extension Parameter<String?> {
    static var customers: Self {
        .option("customers", "ADDRESS", .word, "Customer page address, as IPv4:PORT")
    }
    static var customersName: Self {
        .option("customers-name", "HOST", .word, "Host names for the customer page")
    }
    static var customersCertificate: Self {
        .option(
            "customers-tls-certificate", "FILE", .file, "TLS certificate for the customer page")
    }
    static var customersCertificateKey: Self {
        .option("customers-tls-key", "FILE", .file, "TLS private key for the customer page")
    }
    static var customersKeys: Self {
        .option("customers-keys", "FILE", .file, "Key file made by `tapcard keys customers`")
    }
}

extension Parameter<Bool> {
    static var noTill: Self {
        .flag("no-till", "Serve only the customer page")
    }
}

/// The options for the customer page, checked as far as possible before anything is opened.
struct CustomerPlan {
    fileprivate let place: CustomerServer.Place
    fileprivate let files: TLSFiles?
    fileprivate let keys: CustomerKeys

    /// Opens the page with a separate connection to the ledger, so that many customers do not delay
    /// a till.
    func opened(by session: Session) async throws(TapcardError) -> OpenedCustomers {
        let ledger = try await LedgerAccess(session).awaited(isQuiet: true)
        let clocks = session.dependencies
        let log = TillLog(now: { LocalTime.iso(clocks.now()) }, write: { session.say($0) })
        let uptime: @Sendable () -> Int64 = { Int64(SystemClock.uptimeMilliseconds) }
        let watch = CustomerWatch(uptime: uptime, say: { log.say($0) })
        return OpenedCustomers(
            plan: self, log: log, watch: watch,
            routes: CustomerRoutes(
                keys: keys, ledger: CustomerLedger(ledger),
                clocks: CustomerRoutes.Clocks(now: { clocks.now() }, uptime: uptime),
                watch: watch, takesOfflinePayments: session.settings.isOn(.offlinePayments)))
    }
}

extension TillLog {
    /// Logs an event that the operator of the customer page must act on.
    fileprivate func say(_ event: CustomerWatch.Event) {
        switch event {
        case .ledgerLost(let error):
            say("customers-ledger-lost", ["error": .string(TapcardError(error).kind.word)])
        case .ledgerBack(let failed):
            say("customers-ledger-back", ["failed": .number(failed)])
        case .codesRefused(let count, let seconds):
            say("customers-codes-refused", ["codes": .number(count), "seconds": .number(seconds)])
        }
    }
}

/// The customer page, ready to listen.
struct OpenedCustomers {
    fileprivate let plan: CustomerPlan
    fileprivate let log: TillLog
    let watch: CustomerWatch
    fileprivate let routes: CustomerRoutes

    func start() throws(TapcardError) -> CustomerListener {
        let server = try translating(CustomerServer.start(at: plan.place, routes)) {
            TapcardError(
                $0, "The customer page cannot be served.", meaning: TillService.unserved,
                otherwiseAdvise: "Choose another address or port with --customers.")
        }
        return CustomerListener(server, plan.files, log)
    }
}

extension CustomerPlan {
    /// Checks the options. Returns nil if no address is set for the customer page.
    init?(_ settings: Settings) throws(TapcardError) {
        guard let text = settings.text(of: .customers) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        // UInt16 would also accept a sign, as in "+443".
        guard parts.count == 2, let port = UInt16(parts[1]), parts[1].allSatisfy(\.isNumber) else {
            throw TapcardError(
                .usage,
                "The address \(text.debugDescription) of the customer page is not valid.",
                meaning: TillService.unserved, advice: "Add a port, as in 192.168.1.5:443")
        }
        let address = try ServedAddress.checked(String(parts[0]))
        let names = try ServedAddress.names(settings.text(of: .customersName))
        let files = try TLSFiles(
            settings.text(of: .customersCertificate), settings.text(of: .customersCertificateKey),
            of: "customers-", orSay: TillService.unserved)
        let tls = try files?.read(orSay: TillService.unserved)
        let place = CustomerServer.Place(address: address, port: port, names: names, tls: tls)
        // On a loopback address, a proxy on this machine can provide TLS.
        guard place.isLoopback || tls != nil else {
            throw TapcardError(
                .usage,
                "The customer page at \(address) would be served to other computers without TLS, "
                    + "so anyone on the network could read customers' balances.",
                meaning: TillService.unserved,
                advice:
                    "Specify a certificate with --customers-tls-certificate and "
                    + "--customers-tls-key, or use 127.0.0.1 behind a proxy that has one.")
        }
        try ServedAddress.requireName(address, names, "--customers-name")
        guard let path = settings.text(of: .customersKeys) else {
            throw TapcardError(
                .usage, "The key file for the customer page is missing.",
                meaning: TillService.unserved,
                advice:
                    "Make one with tapcard keys customers FILE, then specify it with "
                    + "--customers-keys."
            )
        }
        keys = try CustomerKeyFile(path: path).load(orSay: TillService.unserved)
        (self.place, self.files) = (place, files)
    }
}
