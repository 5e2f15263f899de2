import ServiceSandbox
import TapcardCore
import TapcardDomain
import TextCodecs
import TillServer
import Verbs
import WebServer

extension Parameter<String?> {
    fileprivate static var fail: Self {
        .option("fail", "FAILURE", .word, "Failure to turn on at the start")
    }
}

extension Parameter<Int?> {
    fileprivate static var drawEvery: Self {
        .option(
            "draw-every", "SECONDS", .wholeNumber(1...86_400, orSay: SandboxCommand.notStarted),
            "Seconds between new draws (default: no new draws)")
    }
}

extension Command {
    private static let failures = """
        FAILURE is `[SERVICE:]NAME[=SECONDS][*TIMES]`, such as `lottery:slow`, `slow=20`, or \
        `cut-off*1`. SERVICE is `activation`, `lottery`, or `mastermind`; SECONDS (0 to 3600, \
        default 60) applies only to `slow`; TIMES is the number of requests that fail.

        All services: `slow`, `cut-off`, `huge`, `huge-unannounced`, `not-json`, `wrong-shape`, \
        `redirect`, `400`, `404`, `500`, `503`. Activation: `wrong-version`, `bad-version`, \
        `empty-version`. Lottery: `bad-balls`, `duplicate-balls`, `bad-date`. Mastermind: \
        `expired-token`. A failure that can never have an effect is refused; docs/SERVICES.md \
        explains them all.
        """

    static let sandbox =
        Command(
            "sandbox", group: .simulation,
            "Simulate the activation, lottery, and Mastermind services",
            discussion: "The output gives the addresses as `export` lines, the Mastermind "
                + "password, and a `curl` command that turns failures on and off. The services "
                + "listen on 127.0.0.1 until you press Ctrl-C, and they store nothing.\n\n"
                + failures,
            takes: .port(orSay: SandboxCommand.notStarted), .fail, .drawEvery, .tlsCertificate,
            .tlsKey, answers: .sandbox, example: "tapcard sandbox --fail lottery:slow",
            run: SandboxCommand.runServices)
}

enum SandboxCommand {
    fileprivate static let notStarted = "The sandbox was not started."

    private static func settings(
        in session: Session
    ) throws(TapcardError) -> ServiceSandbox.Settings {
        var settings = ServiceSandbox.Settings()
        // With port 0, the system chooses a free port.
        settings.port = session[.port(orSay: notStarted)] ?? 0
        let failure = session[.fail]
        settings.drawEvery = session[.drawEvery].map { .seconds($0) }
        let tls = try TLSFiles(session[.tlsCertificate], session[.tlsKey], orSay: notStarted)
        if let failure {
            guard let known = SandboxSwitch(failure) else {
                throw TapcardError(
                    .usage, "\(SandboxSwitch.refusal(failure)).", meaning: notStarted,
                    advice: "See: tapcard sandbox --help")
            }
            settings.failure = known
        }
        settings.tls = try tls?.read(orSay: notStarted)
        return settings
    }

    /// Runs the sandbox until the command is stopped.
    static func runServices(in session: Session) async throws(TapcardError) -> Report {
        let settings = try settings(in: session)
        let sandbox = try translating(ServiceSandbox.start(settings, now: Wiring.now)) {
            TapcardError($0, "The sandbox server could not start.", meaning: notStarted)
        }
        // If the addresses could not be printed, nobody can use the services, so there is no point
        // in waiting.
        if session.show(started(sandbox, in: session)) { await session.waitUntilStopped() }
        await sandbox.stop()
        let count = sandbox.requestCount
        let requestsText = count == 1 ? "1 request" : "\(count) requests"
        // The JSON document has already been printed, and only one may be printed.
        guard !session.outputOptions.isJSON else { return Report.nothing.whenStopped }
        return Report([:], ["Sandbox stopped after \(requestsText)"], isPlain: true).whenStopped
    }

    private static func started(_ sandbox: ServiceSandbox, in session: Session) -> Report {
        Report(
            [
                "activation": .string(sandbox.address(of: .activation)),
                "lottery": .string(sandbox.address(of: .lottery)),
                "mastermind": .string(sandbox.address(of: .mastermind)),
                "control": .string(sandbox.control), "password": .string(ServiceSandbox.password),
            ],
            ["Sandbox running at \(sandbox.address)"] + session.settings.simulatedReader + [
                "export TAPCARD_ACTIVATION_URL=\(sandbox.address(of: .activation))",
                "export TAPCARD_LOTTERY_URL=\(sandbox.address(of: .lottery))",
                "export TAPCARD_MASTERMIND_URL=\(sandbox.address(of: .mastermind))",
                "Mastermind accepts any user name with the password \(ServiceSandbox.password)",
                "To simulate a failure: curl -X PUT -d cut-off \(sandbox.control)/failure",
                "To stop it, press Ctrl-C",
            ])
    }
}

extension Settings {
    /// The shell command that selects the same simulated reader in another terminal.
    fileprivate var simulatedReader: [String] {
        guard readerIsSimulated, let reader else { return [] }
        return ["export TAPCARD_READER=\(reader)"]
    }
}
