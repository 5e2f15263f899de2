import Ledger
import StationFiles
import TapcardCore
import TextCodecs
package import Verbs

/// Hooks of the process around the server.
package struct ServingProcess: Sendable {
    let prepare: @Sendable () -> Void
    let whenServing: @Sendable (Kiosk) -> Void
    let whenStopping: @Sendable () -> Void

    package init(
        prepare: @escaping @Sendable () -> Void = {},
        whenServing: @escaping @Sendable (Kiosk) -> Void = { _ in },
        whenStopping: @escaping @Sendable () -> Void = {}
    ) {
        (self.prepare, self.whenServing) = (prepare, whenServing)
        self.whenStopping = whenStopping
    }
}

extension Parameter<[String]> {
    fileprivate static var readers: Self {
        .options(
            "reader", "NAME", .reader,
            "The reader, as tapcard readers names it; several times for as many counters")
    }
}

extension Parameter<String?> {
    fileprivate static var listen: Self {
        .option(
            "listen", "ADDRESS", .word,
            "The IPv4 address to listen at; 0.0.0.0, all of them, needs --name "
                + "(default: 127.0.0.1)")
    }
    fileprivate static var names: Self {
        .option(
            "name", "HOST", .word,
            "The name under which browsers know this machine; several with commas between them")
    }
}

extension Parameter<Bool> {
    fileprivate static var demoPace: Self {
        .flag("demo-pace", "Let the page show a payment for six seconds")
    }
    fileprivate static var insecure: Self {
        .flag(
            "insecure",
            "Let other machines in without certificate and password: anyone in the network can "
                + "read along, and pay")
    }
}

extension Command {
    /// The `serve` command, with the hooks of its process.
    package static func serve(in process: ServingProcess = ServingProcess()) -> Command {
        Command(
            "serve", group: .station, "Serve the counter page: the readers in a browser",
            discussion: "Prints the page's address, and goes on until Ctrl-C: then nothing new is "
                + "begun, and what runs comes to its end. The reader may be plugged in later.\n\n"
                + "Each --reader is a counter of its own, numbered in their order: the page asks "
                + "which one it is, and each has an address. The setting names one reader only; "
                + "several are named on this command line: tapcard serve --reader "
                + "pn532_uart:/dev/ttyUSB0 --reader acr122_usb:001:004\n\n"
                + "Where there are cashiers (tapcard cashiers add), the page asks who it is, and "
                + "how often somebody may try is limited. Only this machine can reach it, unless "
                + "--listen names another address: for that a certificate and a cashier are "
                + "needed. With --insecure they are not, and then anyone in the network can read "
                + "along, and pay.",
            takes: .readers, .port(orSay: Kiosk.unserved), .demoPace, .listen, .tlsCertificate,
            .tlsKey,
            .names, .insecure,
            answers: .served, example: "tapcard --reader sim serve"
        ) { session throws(TapcardError) in try await session.serve(in: process) }
    }
}

extension Session {
    fileprivate func serve(
        in process: ServingProcess
    ) async throws(TapcardError) -> Report {
        let settings = try kioskSettings()
        let desks = try await counterDesks()
        process.prepare()
        let page = try await Kiosk.start(settings, desks) { say($0) }
        process.whenServing(page)
        let isShown = show(Session.report(of: page))
        // Without the printed address the page could not be opened.
        if isShown { await waitUntilStopped() }
        process.whenStopping()
        await page.stop()
        let end = isJSON ? .nothing : Report([:], ["The counter page is gone"], isPlain: true)
        return end.whenStopped
    }

    private static func report(of page: Kiosk) -> Report {
        let counters = page.severalCounters
        var members: Members = ["address": .string(page.address)]
        if !counters.isEmpty {
            members += [
                "counters": .array(
                    counters.map { number, reader, address in
                        [
                            "number": .number(number), "reader": .string(reader),
                            "address": .string(address),
                        ]
                    })
            ]
        }
        return Report(
            members,
            ["The counter page is at \(page.address)"]
                + counters.map { "Counter \($0.number) is at \($0.address): \($0.reader)" }
                + ["Ctrl-C ends it"])
    }

    private static let longestName = 253

    private func kioskSettings() throws(TapcardError) -> Kiosk.Settings {
        var request = Kiosk.Settings()
        request.port = try self[.port(orSay: Kiosk.unserved)] ?? 0
        request.demoPace = self[.demoPace]
        request.tls = try tlsFiles(orSay: Kiosk.unserved)
        request.names = try servedNames()
        if let address = try self[.listen] {
            guard Session.isIPv4(address) else {
                throw TapcardError(
                    .usage,
                    "\(address.debugDescription) is not a valid address to listen at: write four "
                        + "numbers such as 192.168.1.5, or 0.0.0.0 for all.",
                    meaning: Kiosk.unserved)
            }
            request.address = address
        }
        guard !request.isLoopback else { return request }
        guard request.address != "0.0.0.0" || !request.names.isEmpty else {
            throw TapcardError(
                .usage, "All addresses of this machine have no name that a browser could ask for.",
                meaning: Kiosk.unserved,
                advice: "Name the address or the name by which others know it: --name HOST.")
        }
        let isInsecure = self[.insecure]
        request.mustLogIn = !isInsecure
        if isInsecure {
            sayWhatIsRisked(request)
        } else {
            try requireSafe(request)
        }
        return request
    }

    private func requireSafe(_ request: Kiosk.Settings) throws(TapcardError) {
        guard request.tls != nil else {
            throw TapcardError(
                .usage,
                "Other machines can reach \(request.address), and anyone in the network could read "
                    + "along, and pay.", meaning: Kiosk.unserved,
                advice: "Name a certificate with --tls-certificate and --tls-key, or leave "
                    + "--listen out.")
        }
        guard try !cashierFile.load().isEmpty else {
            throw TapcardError(
                .usage,
                "Other machines can reach \(request.address), and there is no cashier: anyone in "
                    + "the network could pay.", meaning: Kiosk.unserved,
                advice: "Add one with tapcard cashiers add NAME.")
        }
    }

    private func sayWhatIsRisked(_ request: Kiosk.Settings) {
        let reading = request.tls == nil ? "read along, passwords too, and " : ""
        say(
            "tapcard: insecure: anyone who reaches \(request.address) can \(reading)pay, add funds "
                + "and empty cards.\n")
    }

    private func servedNames() throws(TapcardError) -> [String] {
        guard let text = try self[.names] else { return [] }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for name in names {
            let isName =
                !name.isEmpty && name.utf8.count <= Session.longestName
                && name.utf8.allSatisfy {
                    switch $0 {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                        UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
            guard isName else {
                throw TapcardError(
                    .usage,
                    "\(name.debugDescription) is not a valid machine name: write it like "
                        + "counter.example, without scheme and port.", meaning: Kiosk.unserved)
            }
        }
        return names
    }

    /// Whether the text is an IPv4 address without leading zeros, which some programs read as
    /// octal.
    private static func isIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// A desk for each reader.
    private func counterDesks() async throws(TapcardError) -> CounterDesks {
        let names = try self[.readers]
        let all = try names.count > 1 ? settings.forReaders(names, orSay: Kiosk.unserved) : []
        let ledger = try await awaitedLedger()
        _ = try await keys(beside: ledger)
        let session = all.first.map(using) ?? self
        let first = CounterDesk(session, try await session.counterReader(), ledger)
        let place = try settings.ledgerPlace
        let isFile = if case .file = place { true } else { false }
        var others: [CounterDesk] = []
        for settings in all.dropFirst() {
            let session = using(settings)
            // A connection to a database has one transaction at a time, with its round trips. A file
            // takes one change at a time anyway.
            let ledger = isFile ? ledger : try await session.awaitedLedger(isTold: true)
            others.append(CounterDesk(session, try await session.counterReader(), ledger))
        }
        return CounterDesks(first: first, others: others)
    }
}
