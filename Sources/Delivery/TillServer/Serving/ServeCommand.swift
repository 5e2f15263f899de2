import CustomerServer
import Ledger
import StationFiles
import TapcardCore
import TextCodecs
package import Verbs

/// Hooks of the process around the server.
package struct ServingProcess: Sendable {
    let prepare: @Sendable () -> Void
    let whenServing: @Sendable (ServedPages) -> Void
    let whenStopping: @Sendable () -> Void

    package init(
        prepare: @escaping @Sendable () -> Void = {},
        whenServing: @escaping @Sendable (ServedPages) -> Void = { _ in },
        whenStopping: @escaping @Sendable () -> Void = {}
    ) {
        (self.prepare, self.whenServing) = (prepare, whenServing)
        self.whenStopping = whenStopping
    }
}

extension Parameter<[String]> {
    fileprivate static var readers: Self {
        .options("reader", "NAME", .reader, "Reader of a till; repeat for up to 16 tills")
    }
}

extension Parameter<String?> {
    fileprivate static var listen: Self {
        .option("listen", "ADDRESS", .word, "Address to listen on (default 127.0.0.1)")
    }
    fileprivate static var names: Self {
        .option("name", "HOST", .word, "Accepted host names, separated by commas")
    }
}

extension Parameter<Bool> {
    fileprivate static var demoPace: Self {
        .flag("demo-pace", "Show payment progress for six seconds")
    }
    fileprivate static var insecure: Self {
        .flag("insecure", "Allow `--listen` without certificate and login")
    }
}

extension Command {
    /// The `serve` command, with the hooks of its process.
    package static func serve(in process: ServingProcess = ServingProcess()) -> Command {
        Command(
            "serve", group: .station, "Serve the till page, and optionally the customers' page",
            discussion: "The till page can be reached only from this machine; `--listen` with "
                + "another address needs a certificate and at least one cashier. Repeat `--reader` "
                + "to serve several tills, one reader each. With `--customers`, or the setting, a "
                + "phone that reads an NTAG 424 card shows its balance and recent activity, but "
                + "can change nothing. With `--no-till`, only this page is served, and `--port` is "
                + "the port of its counts: `/metrics` on 127.0.0.1.",
            takes: .readers, .port(orSay: TillService.unserved), .demoPace, .listen,
            .tlsCertificate,
            .tlsKey, .names, .insecure, .customers, .customersName, .customersCertificate,
            .customersCertificateKey, .customersKeys, .noTill,
            answers: .served, example: "tapcard --reader sim serve"
        ) { session throws(TapcardError) in try await session.serve(in: process) }
    }
}

extension Session {
    fileprivate func serve(
        in process: ServingProcess
    ) async throws(TapcardError) -> Report {
        let plan = try customerPlan()
        guard plan != nil || !self[.noTill] else {
            throw TapcardError(
                .usage, "Without the till there is nothing to serve.",
                meaning: TillService.unserved,
                advice: "Name an address for the customers' page: --customers ADDRESS.")
        }
        var till: (settings: TillService.Settings, runners: TillRunners)?
        if !self[.noTill] { till = (try serviceSettings(), try await tillRunners()) }
        let customers = try await plan?.opened(by: self)
        process.prepare()
        var service: TillService?
        if let till {
            service = try await TillService.start(
                till.settings, till.runners, customers: customers?.watch
            ) { say($0) }
        }
        let pages: ServedPages
        var counts: CountServer?
        do throws(TapcardError) {
            if service == nil, let customers,
                let port = try self[.port(orSay: TillService.unserved)]
            {
                counts = try CountServer.start(at: port, customers.watch)
            }
            pages = ServedPages(service, try customers?.start(), counts)
        } catch {
            await service?.stop()
            await counts?.stop()
            throw error
        }
        process.whenServing(pages)
        let isShown = show(Session.report(of: pages))
        // Without the printed address the page could not be opened.
        if isShown { await waitUntilStopped() }
        process.whenStopping()
        await pages.stop()
        let page = service == nil ? "customers'" : "till"
        let end =
            manner.isJSON ? .nothing : Report([:], ["The \(page) page is gone"], isPlain: true)
        return end.whenStopped
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
            (till.map { ["The till page is at \($0)"] } ?? [])
                + tills.map { "Till \($0.number) is at \($0.address): \($0.reader)" }
                + (customers.map { ["The customers' page is at \($0)"] } ?? [])
                + (pages.counts.map { ["Its counts are at \($0.address)"] } ?? [])
                + ["Ctrl-C ends it"])
    }

    private func serviceSettings() throws(TapcardError) -> TillService.Settings {
        var request = TillService.Settings()
        request.port = try self[.port(orSay: TillService.unserved)] ?? 0
        request.demoPace = self[.demoPace]
        request.tls = try tlsFiles(orSay: TillService.unserved)
        request.names = try servedNames(try self[.names])
        if let address = try self[.listen] {
            request.address = try checkedAddress(address)
        }
        guard !request.isLoopback else { return request }
        try requireName(request.address, request.names, "--name")
        let isInsecure = self[.insecure]
        request.mustLogIn = !isInsecure
        if isInsecure {
            sayWhatIsRisked(request)
        } else {
            try requireSafe(request)
        }
        return request
    }

    private func requireSafe(_ request: TillService.Settings) throws(TapcardError) {
        guard request.tls != nil else {
            throw TapcardError(
                .usage,
                "Other machines can reach \(request.address), and anyone in the network could read "
                    + "along, and pay.", meaning: TillService.unserved,
                advice: "Name a certificate with --tls-certificate and --tls-key, or leave "
                    + "--listen out.")
        }
        guard try !settings.cashierFile.load().isEmpty else {
            throw TapcardError(
                .usage,
                "Other machines can reach \(request.address), and there is no cashier: anyone in "
                    + "the network could pay.", meaning: TillService.unserved,
                advice: "Add one with tapcard cashiers add NAME.")
        }
    }

    private func sayWhatIsRisked(_ request: TillService.Settings) {
        let reading = request.tls == nil ? "read along, passwords too, and " : ""
        say(
            "tapcard: insecure: anyone who reaches \(request.address) can \(reading)pay, top up "
                + "and empty cards.\n")
    }

    /// A till for each reader.
    private func tillRunners() async throws(TapcardError) -> TillRunners {
        let names = try self[.readers]
        let all = try names.count > 1 ? settings.forReaders(names, orSay: TillService.unserved) : []
        let ledger = try await LedgerAccess(self).awaited()
        _ = try await keys(beside: ledger)
        let session = all.first.map(using) ?? self
        let first = TillRunner(session, try await session.tillReader(), ledger)
        let place = try settings.ledgerPlace
        let isFile = if case .file = place { true } else { false }
        var others: [TillRunner] = []
        for settings in all.dropFirst() {
            let session = using(settings)
            // A connection to a database has one transaction at a time, with its round trips. A
            // file takes one change at a time anyway.
            let ledger = isFile ? ledger : try await LedgerAccess(session).awaited(isTold: true)
            others.append(TillRunner(session, try await session.tillReader(), ledger))
        }
        return TillRunners(first: first, others: others)
    }
}
