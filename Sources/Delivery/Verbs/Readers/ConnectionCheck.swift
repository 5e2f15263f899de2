import ReaderDiagnosis
package import TapcardCore
package import TapcardDomain

/// The result of asking servers whether they accept this machine's readers. Asking attaches no
/// reader.
package struct ConnectionCheck: Sendable {
    let servers: [CheckedServer]
    /// The environment variable that sets a proxy, and the proxy without its password; nil if none
    /// is set.
    let proxy: (variable: String, place: String)?

    package init(
        _ servers: [CheckedServer] = [], proxy: (variable: String, place: String)? = nil
    ) {
        (self.servers, self.proxy) = (servers, proxy)
    }

    /// The findings. `now` is the time that this machine's clock shows.
    func findings(at now: Timestamp) -> [Finding] {
        servers.flatMap { [$0.finding(at: now), $0.clock].compactMap(\.self) }
            + [proxyFinding].compactMap(\.self)
    }

    private var proxyFinding: Finding? {
        guard let proxy, !servers.isEmpty else { return nil }
        return Finding(
            .proxy, .note,
            "The variable \(proxy.variable) is set, so this machine connects to servers through "
                + "the proxy \(proxy.place), except to those listed in the variable no_proxy.")
    }

    /// Requires that at least one server accepts the reader.
    package func requireAcceptance(at now: Timestamp) throws(TapcardError) {
        guard let last = servers.last, !servers.contains(where: \.isAccepted) else { return }
        throw last.error(at: now)
    }
}

/// The result of asking one server.
package struct CheckedServer: Sendable {
    /// A server's answer.
    package enum Answer: Sendable {
        /// The reader belongs to the till with this name.
        case accepted(till: String)
        /// The server refused the token or the code. `word` is the code of the error.
        case refused(word: String, title: String)
        /// There was no usable answer.
        case failed(ServiceError)
    }

    let address: String
    package let answer: Answer
    /// How far the server's clock is ahead of this machine's, in milliseconds; nil if unknown.
    let clockLead: Int64?

    package init(_ address: String, _ answer: Answer, clockLead: Int64? = nil) {
        (self.address, self.answer, self.clockLead) = (address, answer, clockLead)
    }

    fileprivate var isAccepted: Bool {
        if case .accepted = answer { true } else { false }
    }

    fileprivate func finding(at now: Timestamp) -> Finding {
        switch answer {
        case .accepted(let till):
            Finding(
                .server, .ok,
                "The server \(address) accepts this machine's reader for till \(till).")
        case .refused(let word, let title):
            Finding(
                .serverRefusal, .problem,
                TapcardError.sentence(
                    "The server \(address) does not accept this machine's reader: \(title)"),
                remedy: CheckedServer.remedy(forRefusal: word))
        case .failed(let error):
            Finding(
                error.kind == .certificate ? .serverCertificate : .serverOffline, .problem,
                TapcardError.sentence("The server \(address) cannot be used: \(error.detail)"),
                remedy: remedy(for: error, at: now))
        }
    }

    /// The largest clock difference that is not reported, in milliseconds. This machine needs its
    /// clock only for the dates in certificates.
    private static let maximumClockError: Int64 = 60_000

    fileprivate var clock: Finding? {
        guard let clockLead, abs(clockLead) > CheckedServer.maximumClockError else { return nil }
        return Finding(
            .clock, .note,
            "This machine's clock is \(abs(clockLead) / 1_000) s "
                + "\(clockLead > 0 ? "behind" : "ahead of") the clock of \(address).",
            remedy: CheckedServer.clockSteps)
    }

    private static let clockSteps: [Finding.Step] = [
        .say("To sync it with NTP:"), .run("timedatectl set-ntp true"),
    ]

    private static let newCodeSteps: [Finding.Step] = [
        .say("Then run here:"), .run("tapcard reader --server URL --code CODE"),
    ]

    private static func remedy(forRefusal word: String) -> [Finding.Step] {
        switch word {
        case "stale-token":
            [
                .say("On the server, get a new code; if the till was removed, add it again:"),
                .run("tapcard tills code NAME"), .run("tapcard tills add NAME"),
            ] + newCodeSteps
        case "wrong-state":
            [
                .say("If this till is in use, the owner has to run on the server:"),
                .run("tapcard tills confirm NAME"),
            ]
        case "wrong-reader":
            [
                .say(
                    "Use a real reader with a server for real money. With a server for play money, "
                        + "use a simulated reader:"),
                .run("tapcard --reader sim reader --server URL --code CODE"),
            ]
        case "too-many-attempts": [.say("Wait a minute, then try again.")]
        default:
            [
                .say("Try again in a few minutes. If that does not help, run on the server:"),
                .run("tapcard doctor"),
            ]
        }
    }

    private func remedy(for error: ServiceError, at now: Timestamp) -> [Finding.Step] {
        let place = address.drop { $0 != "/" }.drop { $0 == "/" }
        // An IPv6 address contains colons itself, and is in brackets.
        let host =
            place.hasPrefix("[")
            ? String(place.dropFirst().prefix { $0 != "]" }) : String(place.prefix { $0 != ":" })
        switch (error.cause, error.kind) {
        case (.hostName?, _):
            return [
                .say("Check the address. To see whether this machine can look up the name:"),
                .run("getent hosts \(host)"),
            ]
        case (.connection?, _):
            return [
                .say(
                    "On the server, check that `tapcard serve` is running with this address and "
                        + "port. Then check the network, and any firewall in between.")
            ]
        case (.proxy?, _):
            return [
                .say("Check the proxy, or connect to the server without it:"),
                .run("export no_proxy=\(host)"),
            ]
        case (.certificateDates?, _):
            return [.say("Check this machine's clock, which shows \(LocalTime.text(now)).")]
                + CheckedServer.clockSteps
                + [.say("If the clock is right, renew the server's certificate.")]
        case (.pinnedKey?, _):
            return [
                .say(
                    "Another machine may be answering in the server's place. If the server has a "
                        + "new key, get a new code there:"),
                .run("tapcard tills code NAME --pin CERT"),
            ] + CheckedServer.newCodeSteps
        case (_, .certificate):
            return [
                .say("If your own authority issued the server's certificate, trust it here:"),
                .run("tapcard config set ca-file FILE"),
                .say("Or get a code with the certificate's key, on the server:"),
                .run("tapcard tills code NAME --pin CERT"),
            ] + CheckedServer.newCodeSteps
        case (_, .broken): return [.say("Run on the server:"), .run("tapcard doctor")]
        case (_, .noClient): return [.run("sudo apt install libcurl4")]
        default:
            return [
                .say(
                    "Check the address. Something else may be answering there, such as a network's "
                        + "login page.")
            ]
        }
    }

    /// The answer as an error, for a command that needs this server.
    package func error(at now: Timestamp) -> TapcardError {
        let finding = finding(at: now)
        let steps = finding.remedy.map { step in
            switch step {
            case .say(let text): text
            // On one line, a command must not run into the next sentence.
            case .run(let command): command + "."
            }
        }
        var kind = ServiceError.Kind.refused
        var sent = ""
        if case .failed(let error) = answer {
            kind = error.kind
            if error.isUnsent { sent = "Nothing was sent. " }
        }
        return TapcardError(
            .service(kind), finding.what,
            meaning: sent + "The reader is not connected; cards and money are unchanged.",
            advice: steps.joined(separator: " "))
    }
}
