import Ledger
import StationFiles
import TagReading
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
            "serve", group: .station, "Serve the counter page: the reader in a browser",
            discussion: "Prints the page's address, and goes on until Ctrl-C: then nothing new is "
                + "begun, and what runs comes to its end. The reader may be plugged in later.\n\n"
                + "Where there are cashiers (tapcard cashiers add), the page asks who it is, and "
                + "how often somebody may try is limited. Only this machine can reach it, unless "
                + "--listen names another address: for that a certificate and a cashier are "
                + "needed. With --insecure they are not, and then anyone in the network can read "
                + "along, and pay.",
            takes: .port(orSay: Kiosk.unserved), .demoPace, .listen, .tlsCertificate, .tlsKey,
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
        let desk = try await counterDesk()
        process.prepare()
        let page = try await Kiosk.start(settings, desk) { say($0) }
        process.whenServing(page)
        let isShown = show(
            Report(
                ["address": .string(page.address)],
                ["The counter page is at \(page.address)", "Ctrl-C ends it"]))
        // Without the printed address the page could not be opened.
        if isShown { await waitUntilStopped() }
        process.whenStopping()
        await page.stop()
        let end = isJSON ? .nothing : Report([:], ["The counter page is gone"], isPlain: true)
        return end.whenStopped
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

    private func counterDesk() async throws(TapcardError) -> CounterDesk {
        let ledger: any LedgerStore
        do throws(TapcardError) {
            ledger = try await self.ledger()
        } catch {
            // A counter opens without the server of its ledger, and waits for it.
            guard error.kind == .ledgerUnreachable, let late = try lateLedger() else { throw error }
            ledger = late
        }
        _ = try await keys(beside: ledger)
        let reader: any TagReader
        do throws(ReaderError) {
            reader = try await drivers.openReader(
                settings.reader, settings.simulatedFolder, .counter)
        } catch {
            throw settings.readerIsSimulated
                ? TapcardError(ofSimulation: error) : TapcardError(error)
        }
        return CounterDesk(self, reader, ledger)
    }
}
