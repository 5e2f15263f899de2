import ServiceSandbox
import TapcardCore
import TextCodecs
import TillServer
import Verbs
import WebServer

extension Parameter<String?> {
    fileprivate static var fail: Self {
        .option("fail", "FAILURE", .word, "Failure to switch on from the start")
    }
}

extension Parameter<Int?> {
    fileprivate static var drawEvery: Self {
        .option(
            "draw-every", "SECONDS", .wholeNumber(1...86_400, orSay: Session.unplayed),
            "Seconds between new draws (default: no new draws)")
    }
}

extension Command {
    private static let failures = """
        FAILURE is `[SERVICE:]NAME[=SECONDS][*TIMES]`, such as `lottery:slow`, `slow=20` or \
        `cut-off*1`. SERVICE is `activation`, `lottery` or `mastermind`; SECONDS (0 to 3600, \
        default 60) is for `slow` only; TIMES is how many requests fail.

        All services: `slow`, `cut-off`, `huge`, `huge-unannounced`, `not-json`, `wrong-shape`, \
        `redirect`, `400`, `404`, `500`, `503`. Activation: `wrong-version`, `bad-version`, \
        `empty-version`. Lottery: `bad-balls`, `duplicate-balls`, `bad-date`. Mastermind: \
        `expired-token`. A failure that can never have an effect is refused; docs/SERVICES.md \
        explains them all.
        """

    static let sandbox =
        Command(
            "sandbox", group: .simulation,
            "Simulate the activation, lottery and Mastermind services",
            discussion: "The output gives the addresses as `export` lines, the Mastermind "
                + "password, and a `curl` command that switches failures. The services listen on "
                + "127.0.0.1 until Ctrl-C and keep nothing.\n\n"
                + failures,
            takes: .port(orSay: Session.unplayed), .fail, .drawEvery, .tlsCertificate, .tlsKey,
            answers: .sandbox, example: "tapcard sandbox --fail lottery:slow"
        ) { session throws(TapcardError) in
            try await session.playServices()
        }
}

extension Session {
    fileprivate static let unplayed = "Nothing is played."

    private func sandboxSettings() throws(TapcardError) -> ServiceSandbox.Settings {
        var settings = ServiceSandbox.Settings()
        settings.port = try self[.port(orSay: Session.unplayed)] ?? 0
        let failure = try self[.fail]
        settings.drawEvery = try self[.drawEvery].map { .seconds($0) }
        let tls = try tlsFiles(orSay: Session.unplayed)
        if let failure {
            guard let known = SandboxSwitch(failure) else {
                throw TapcardError(
                    .usage, "\(SandboxSwitch.refusal(failure)).", meaning: Session.unplayed,
                    advice: "See: tapcard sandbox --help")
            }
            settings.failure = known
        }
        settings.tls = try tls?.read(orSay: Session.unplayed)
        return settings
    }

    /// Runs the sandbox until the command is stopped.
    fileprivate func playServices() async throws(TapcardError) -> Report {
        let settings = try sandboxSettings()
        let sandbox: ServiceSandbox
        do throws(WebServerError) {
            sandbox = try ServiceSandbox.start(settings, now: Wiring.now)
        } catch {
            throw TapcardError(error, "The sandbox cannot be played.", meaning: Session.unplayed)
        }
        // Without the printed addresses the services could not be used.
        if show(started(sandbox)) { await waitUntilStopped() }
        await sandbox.stop()
        guard !manner.isJSON else { return Report.nothing.whenStopped }
        return Report(
            [:], ["The sandbox is gone. Requests it had: \(sandbox.requestCount)"], isPlain: true
        ).whenStopped
    }

    /// The shell command that gives another terminal the same simulated reader.
    private var simulatedReader: [String] {
        guard settings.readerIsSimulated, let reader = settings.reader else { return [] }
        return ["export TAPCARD_READER=\(reader)"]
    }

    private func started(_ sandbox: ServiceSandbox) -> Report {
        Report(
            [
                "activation": .string(sandbox.address(of: .activation)),
                "lottery": .string(sandbox.address(of: .lottery)),
                "mastermind": .string(sandbox.address(of: .mastermind)),
                "control": .string(sandbox.control), "password": .string(ServiceSandbox.password),
            ],
            ["The sandbox answers at \(sandbox.address)"] + simulatedReader + [
                "export TAPCARD_ACTIVATION_URL=\(sandbox.address(of: .activation))",
                "export TAPCARD_LOTTERY_URL=\(sandbox.address(of: .lottery))",
                "export TAPCARD_MASTERMIND_URL=\(sandbox.address(of: .mastermind))",
                "Mastermind's password, whoever logs in: \(ServiceSandbox.password)",
                "What is to go wrong: curl -X PUT -d cut-off \(sandbox.control)/failure",
                "Ctrl-C ends it",
            ])
    }
}
