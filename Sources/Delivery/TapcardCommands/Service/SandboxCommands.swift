import TapcardCore
import TextCodecs

extension Parameter<String?> {
    fileprivate static var fail: Self {
        .option("fail", "FAILURE", .word, "What goes wrong from the beginning")
    }
}

extension Parameter<Int?> {
    fileprivate static var drawEvery: Self {
        .option(
            "draw-every", "SECONDS", .wholeNumber(1...86_400, orSay: Session.unplayed),
            "Let the lottery draw again and again")
    }
    fileprivate static var maxAge: Self {
        .option(
            "max-age", "SECONDS", .wholeNumber(0...31_536_000, orSay: Session.unplayed),
            "How long the lottery's answers may be kept without asking (default: 60)")
    }
}

extension Command {
    private static let failures = """
        A failure is one of slow, cut-off, huge, huge-unannounced, not-json, wrong-shape, \
        redirect, 400, 404, 500, 503; wrong-version, bad-version, empty-version; bad-balls, \
        duplicate-balls, bad-date; expired-token. In front of it may stand a service: \
        lottery:slow; behind it a time in seconds: slow=20; and how many requests it befalls: \
        cut-off*1. docs/SANDBOX.md explains them all, and how to switch them while it runs.
        """

    static let sandboxCommands: [Command] = [
        Command(
            "sandbox", group: .simulation, "Stand in for the three services on this machine",
            discussion: "Activation, lottery and Mastermind answer under the addresses that are "
                + "printed, until Ctrl-C. Nothing they do is kept.\n\n" + failures,
            takes: .port(orSay: Session.unplayed), .fail, .drawEvery, .maxAge, .tlsCertificate,
            .tlsKey,
            answers: .sandbox,
            example: "tapcard sandbox --fail lottery:slow"
        ) { session throws(TapcardError) in
            try await session.playServices(try session.sandboxRequest())
        }
    ]
}

extension Session {
    fileprivate static let unplayed = "Nothing is played."

    fileprivate func sandboxRequest() throws(TapcardError) -> SandboxRequest {
        var request = SandboxRequest()
        request.port = try self[.port(orSay: Session.unplayed)] ?? 0
        request.failure = try self[.fail]
        request.drawEvery = try self[.drawEvery].map { .seconds($0) }
        request.maxAge = try self[.maxAge]
        request.tls = try tlsFiles(orSay: Session.unplayed)
        return request
    }

    /// Plays them until somebody stops it.
    fileprivate func playServices(_ request: SandboxRequest) async throws(TapcardError) -> Report {
        let sandbox = try await drivers.standIns.start(request)
        // Without its addresses nobody could use it.
        if show(started(sandbox)) { await sandbox.waitForCancellation() }
        await sandbox.stop()
        guard !isJSON else { return Report.nothing.whenStopped }
        return Report(
            [], ["The sandbox is gone. Requests it had: \(sandbox.requestCount)"], isPlain: true
        ).whenStopped
    }

    /// The line that gives another terminal the same simulated reader.
    private var simulatedReader: [String] {
        guard settings.readerIsSimulated, let reader = settings.reader else { return [] }
        return ["export TAPCARD_READER=\(reader)"]
    }

    private func started(_ sandbox: any RunningSandbox) -> Report {
        Report(
            [
                JSONMember(key: "activation", value: .string(sandbox.activation)),
                JSONMember(key: "lottery", value: .string(sandbox.lottery)),
                JSONMember(key: "mastermind", value: .string(sandbox.mastermind)),
                JSONMember(key: "control", value: .string(sandbox.control)),
                JSONMember(key: "password", value: .string(sandbox.password)),
            ],
            ["The sandbox answers at \(sandbox.address)"] + simulatedReader + [
                "export TAPCARD_ACTIVATION_URL=\(sandbox.activation)",
                "export TAPCARD_LOTTERY_URL=\(sandbox.lottery)",
                "export TAPCARD_MASTERMIND_URL=\(sandbox.mastermind)",
                "Mastermind's password, whoever logs in: \(sandbox.password)",
                "What is to go wrong: curl -X PUT -d cut-off \(sandbox.control)/failure",
                "Ctrl-C ends it",
            ])
    }
}
