import CustomerServer
import Ledger
import StationFiles
import TapcardCore
import TextCodecs
package import Verbs

/// Hooks for the process that runs the server.
package struct ServingProcess: Sendable {
    let prepare: @Sendable () -> Void
    let whenServing: @Sendable (ServedPages) -> Void
    let whenStopping: @Sendable () -> Void
    /// Connects to other servers, given the certificates of additional authorities.
    let peers: @Sendable (_ authorities: String?) -> (any PeerLine)?

    package init(
        prepare: @escaping @Sendable () -> Void = {},
        whenServing: @escaping @Sendable (ServedPages) -> Void = { _ in },
        whenStopping: @escaping @Sendable () -> Void = {},
        peers: @escaping @Sendable (_ authorities: String?) -> (any PeerLine)? = { _ in nil }
    ) {
        (self.prepare, self.whenServing) = (prepare, whenServing)
        (self.whenStopping, self.peers) = (whenStopping, peers)
    }
}

extension Parameter<[String]> {
    fileprivate static var readers: Self {
        .options("reader", "NAME", .reader, "Reader for a till; repeat for up to 16 tills")
    }
}

extension Parameter<[WebOrigin]> {
    fileprivate static var allowedOrigins: Self {
        .options(
            "allow-origin", "ORIGIN", .origin(orSay: TillService.unserved),
            "Origin of web pages that may use API tokens; repeatable")
    }
}

extension Parameter<String?> {
    fileprivate static var listen: Self {
        .option("listen", "ADDRESS", .word, "Address to listen on (default 127.0.0.1)")
    }
    fileprivate static var names: Self {
        .option("name", "HOST", .word, "Accepted host names, separated by commas")
    }
    fileprivate static var peerAddress: Self {
        .option(
            "peer-address", "URL", .word,
            "Address at which other servers of this ledger reach this one")
    }
}

extension Parameter<Bool> {
    fileprivate static var demoPace: Self {
        .flag("demo-pace", "Show payment progress for six seconds")
    }
    fileprivate static var noReader: Self {
        .flag("no-reader", "Serve only the tills added with `tapcard tills add`")
    }
    fileprivate static var insecure: Self {
        .flag("insecure", "Allow `--listen` without a certificate or cashiers")
    }
}

extension Command {
    /// The `serve` command, with hooks for its process.
    package static func serve(in process: ServingProcess = ServingProcess()) -> Command {
        Command(
            "serve", group: .station, "Serve the till page, and optionally the customer page",
            discussion: "By default, the till page can be reached only from this machine; "
                + "`--listen` with another address needs a certificate and at least one cashier. "
                + "Repeat `--reader` to serve several tills, one reader each. With `--customers` "
                + "or the `customers` setting, a phone that reads an NTAG 424 card shows the "
                + "card's balance and recent activity but cannot change anything. With "
                + "`--no-till`, only the customer page is served; its metrics are at `/metrics` on "
                + "127.0.0.1, and `--port` sets their port.\n\nPages from other origins need "
                + "`--allow-origin` and a token from `tapcard tokens add`.",
            takes: .readers, .port(orSay: TillService.unserved), .demoPace, .listen,
            .tlsCertificate,
            .tlsKey, .names, .peerAddress, .insecure, .customers, .customersName,
            .customersCertificate,
            .customersCertificateKey, .customersKeys, .noTill, .noReader, .allowedOrigins,
            answers: .served, example: "tapcard --reader sim serve"
        ) { session throws(TapcardError) in
            try await ServeCommand.serve(in: process, session)
        }
    }
}

enum ServeCommand {
    static func serve(
        in process: ServingProcess, _ session: Session
    ) async throws(TapcardError) -> Report {
        // The options are checked first, so that nothing is open yet if one is refused.
        let plan = try CustomerPlan(session.settings)
        guard plan != nil || !session[.noTill] else {
            throw TapcardError(
                .usage,
                "There is nothing to serve: --no-till leaves out the till page, and there is no "
                    + "customer page.",
                meaning: TillService.unserved,
                advice: "Add the customer page: --customers ADDRESS")
        }
        var till: (settings: TillService.Settings, runners: TillRunners)?
        if !session[.noTill] { till = (try settings(in: session), try await runners(in: session)) }
        let customers = try await plan?.opened(by: session)
        process.prepare()
        var service: TillService?
        if let till {
            service = try await TillService.start(
                till.settings, till.runners, customers: customers?.watch,
                peers: process.peers(try session.settings.authorities)
            ) { session.say($0) }
        }
        let pages: ServedPages
        var counts: MetricsServer?
        // If one page cannot be served, the other must not keep listening.
        do throws(TapcardError) {
            if service == nil, let customers,
                let port = session[.port(orSay: TillService.unserved)]
            {
                counts = try MetricsServer.start(at: port, customers.watch)
            }
            pages = ServedPages(service, try customers?.start(), counts)
        } catch {
            await service?.stop()
            await counts?.stop()
            throw error
        }
        process.whenServing(pages)
        let isShown = session.show(report(of: pages))
        // If the address could not be printed, nobody can open the page, so there is no point in
        // waiting.
        if isShown { await session.waitUntilStopped() }
        process.whenStopping()
        await pages.stop()
        let page = service == nil ? "Customer" : "Till"
        guard !session.outputOptions.isJSON else { return Report.nothing.whenStopped }
        return Report([:], ["\(page) page stopped"], isPlain: true).whenStopped
    }

    private static func report(of pages: ServedPages) -> Report {
        let tills = pages.service?.severalTills ?? []
        let (till, customers) = (pages.service?.address, pages.customers?.server.address)
        var members: Members = ["address": .text(till)]
        if let customers { members += ["customers": .string(customers)] }
        if let counts = pages.counts { members += ["metrics": .string(counts.address)] }
        if !tills.isEmpty {
            members += [
                "tills": .array(
                    tills.map { number, reader, address in
                        [
                            "number": .number(number), "reader": .string(reader),
                            "address": .string(address),
                        ]
                    })
            ]
        }
        return Report(
            members,
            (till.map { ["Till page: \($0)"] } ?? [])
                + tills.map { "Till \($0.number): \($0.address), with reader \($0.reader)" }
                + (customers.map { ["Customer page: \($0)"] } ?? [])
                + (pages.counts.map { ["Metrics of the customer page: \($0.address)"] } ?? [])
                + ["To stop it, press Ctrl-C"])
    }

    private static func settings(in session: Session) throws(TapcardError) -> TillService.Settings {
        var request = TillService.Settings()
        request.port = session[.port(orSay: TillService.unserved)] ?? 0
        request.demoPace = session[.demoPace]
        request.tls = try TLSFiles(
            session[.tlsCertificate], session[.tlsKey], orSay: TillService.unserved)
        request.names = try ServedAddress.names(session[.names])
        request.allowedOrigins = session[.allowedOrigins]
        request.peerAddress = try session[.peerAddress].map { text throws(TapcardError) in
            try translating(ServiceAddress(text)) { (error: ServiceError) in
                TapcardError(
                    .usage, "The address in --peer-address cannot be used: \(error.detail).",
                    meaning: TillService.unserved,
                    advice: "Use an address such as https://a.example")
            }
        }
        if let address = session[.listen] {
            request.address = try ServedAddress.checked(address)
        }
        // Only this machine can connect, so neither TLS nor a login is required.
        guard !request.isLoopback else { return request }
        try ServedAddress.requireName(request.address, request.names, "--name")
        let isInsecure = session[.insecure]
        request.mustLogIn = !isInsecure
        guard isInsecure else {
            try requireSafe(request, in: session)
            return request
        }
        let reading = request.tls == nil ? "read the traffic, including passwords, and " : ""
        let needsNoLogin = try session.settings.cashierFile.load().isEmpty
        // With TLS and cashiers, there is nothing to warn about: no one can listen in or charge a
        // card.
        guard needsNoLogin || request.tls == nil else { return request }
        session.say(
            "tapcard: With --insecure, anyone who can reach \(request.address) can "
                + "\(reading)charge, top up, and pay out cards.\n")
        return request
    }

    private static func requireSafe(
        _ request: TillService.Settings, in session: Session
    ) throws(TapcardError) {
        guard request.tls != nil else {
            throw TapcardError(
                .usage,
                "The till page at \(request.address) would be served to other computers "
                    + "without TLS, so anyone on the network could read the traffic and make "
                    + "payments.",
                meaning: TillService.unserved,
                advice:
                    "Specify a certificate with --tls-certificate and --tls-key, or leave out "
                    + "--listen.")
        }
        guard try !session.settings.cashierFile.load().isEmpty else {
            throw TapcardError(
                .usage,
                "No cashiers have been added, so anyone on the network who can reach "
                    + "\(request.address) could make payments.",
                meaning: TillService.unserved,
                advice: "To add one, run: tapcard cashiers add NAME")
        }
    }

    /// Creates the server's own runner and one for each of its readers. Runners for tills with
    /// readers on other machines are created later.
    private static func runners(in session: Session) async throws(TapcardError) -> TillRunners {
        let names = session[.readers]
        let one = session.settings
        if session[.noReader], !names.isEmpty {
            throw TapcardError(
                .usage, "--no-reader cannot be used together with --reader.",
                meaning: TillService.unserved)
        }
        let all = try names.count > 1 ? one.forReaders(names, orSay: TillService.unserved) : [one]
        let ledger = try await LedgerAccess(session).awaited()
        // The keys are loaded before the tills are opened, so that lost or unusable keys are
        // reported at once.
        _ = try await session.keys(beside: ledger)
        let place = try one.ledgerPlace
        let isFile = if case .file = place { true } else { false }
        var local: [TillRunner] = []
        for (index, settings) in all.enumerated() where !session[.noReader] {
            let till = session.using(settings.atTill(String(index + 1)))
            // Each till has its own database connection, because a connection handles only one
            // transaction at a time. With a ledger file, one connection is enough, because only one
            // change at a time is possible anyway.
            let own =
                isFile || index == 0
                ? ledger : try await LedgerAccess(till).awaited(isQuiet: true)
            local.append(TillRunner(till, try await till.tillReader(), own))
        }
        let shared = SharedLedgers(ledger) {
            isFile ? nil : try? await LedgerAccess(session).awaited(isQuiet: true)
        }
        let server = local.first ?? TillRunner(session, TakenReader(), ledger)
        return TillRunners(server: server, local: local) { till, reader in
            TillRunner(
                session.using(
                    one.atRemoteTill(till.name.text, isReaderTrusted: till.isTrusted)), reader,
                await shared.next())
        }
    }
}

/// The database connections shared by tills with readers on other machines. Each of the first tills
/// opens one; later tills reuse them.
private actor SharedLedgers {
    private static let maximumCount = 8

    private let server: any LedgerStore
    private let open: @Sendable () async -> (any LedgerStore)?
    private var ledgers: [any LedgerStore] = []
    private var count = 0

    /// `open` returns nil if no other connection can or need be opened, as with a ledger file.
    init(_ server: any LedgerStore, open: @escaping @Sendable () async -> (any LedgerStore)?) {
        (self.server, self.open) = (server, open)
    }

    /// The connection for a new till.
    func next() async -> any LedgerStore {
        count += 1
        if count <= SharedLedgers.maximumCount, let ledger = await open() { ledgers.append(ledger) }
        return ledgers.isEmpty ? server : ledgers[count % ledgers.count]
    }
}
