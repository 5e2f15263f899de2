import TapcardCore
import TextCodecs

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
            options: [
                CommandOption(
                    name: "port", value: "N", help: "The port (default: any that is free)"),
                CommandOption(
                    name: "fail", value: "FAILURE", help: "What goes wrong from the beginning"),
                CommandOption(
                    name: "draw-every", value: "SECONDS",
                    help: "Let the lottery draw again and again"),
                CommandOption(
                    name: "max-age", value: "SECONDS",
                    help: "How long the lottery's answers may be kept without asking "
                        + "(default: 60)"),
                .tlsCertificate, .tlsKey,
            ],
            answers: .sandbox,
            example: "tapcard sandbox --fail lottery:slow"
        ) { session throws(TapcardError) in
            try await session.playServices(try session.sandboxRequest())
        }
    ]
}

extension Session {
    private static let longestDrawPause = 86_400
    private static let longestAge = 31_536_000

    fileprivate func sandboxRequest() throws(TapcardError) -> SandboxRequest {
        var request = SandboxRequest()
        let nothing = "Nothing is played."
        request.port = UInt16(
            try number("port", in: 0...Int(UInt16.max), orSay: nothing) ?? 0)
        request.failure = command.option("fail")
        request.drawEvery = try number(
            "draw-every", in: 1...Session.longestDrawPause, orSay: nothing
        ).map { .seconds($0) }
        request.maxAge = try number("max-age", in: 0...Session.longestAge, orSay: nothing)
        request.tls = try tlsFiles(orSay: nothing)
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
