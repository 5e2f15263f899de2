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
                CommandOption(name: "port", value: "N", help: "The port: any that is free"),
                CommandOption(
                    name: "fail", value: "FAILURE", help: "What goes wrong from the beginning"),
                CommandOption(
                    name: "draw-every", value: "SECONDS",
                    help: "Let the lottery draw again and again"),
                CommandOption(
                    name: "max-age", value: "SECONDS",
                    help: "How long the lottery's answers may be kept without asking: 60"),
                CommandOption(
                    name: "password", value: "TEXT",
                    help: "What Mastermind lets everybody in with: sandbox"),
                CommandOption(
                    name: "tls-certificate", value: "FILE",
                    help: "Answer by HTTPS, with this certificate (PEM)", completesFiles: true),
                CommandOption(
                    name: "tls-key", value: "FILE", help: "The certificate's key (PEM)",
                    completesFiles: true),
            ],
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
        request.port = UInt16(try number("port", 0...Int(UInt16.max)) ?? 0)
        request.failure = command.option("fail")
        request.drawEvery = try number("draw-every", 1...Session.longestDrawPause).map {
            .seconds($0)
        }
        request.maxAge = try number("max-age", 0...Session.longestAge)
        request.password = command.option("password")
        (request.certificate, request.key) =
            (command.option("tls-certificate"), command.option("tls-key"))
        guard request.password != "" else {
            throw TapcardError(
                .usage, "--password needs a password.", meaning: "Nothing is played.",
                advice: "Leave it out: then it is the word sandbox.")
        }
        guard (request.certificate == nil) == (request.key == nil) else {
            throw TapcardError(
                .usage, "A certificate needs its key, and a key its certificate.",
                meaning: "Nothing is played.",
                advice: "Name both, with --tls-certificate and --tls-key.")
        }
        return request
    }

    /// The whole number given with an option.
    private func number(
        _ name: String, _ range: ClosedRange<Int>
    ) throws(TapcardError) -> Int? {
        guard let text = command.option(name) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else {
            throw TapcardError(
                .usage,
                "--\(name) cannot be \(text.debugDescription): write a whole number, "
                    + "\(range.lowerBound) to \(range.upperBound).",
                meaning: "Nothing is played.")
        }
        return number
    }

    /// Plays them until somebody stops it.
    fileprivate func playServices(_ request: SandboxRequest) async throws(TapcardError) -> Report {
        let sandbox = try await drivers.standIns.start(request)
        _ = show(started(sandbox))
        await sandbox.waitForCancellation()
        await sandbox.stop()
        guard !isJSON else { return .nothing }
        return Report(
            [], ["The sandbox is gone. Requests it had: \(sandbox.requestCount)"], isPlain: true)
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
            [
                "The sandbox answers at \(sandbox.address)",
                "export TAPCARD_ACTIVATION_URL=\(sandbox.activation)",
                "export TAPCARD_LOTTERY_URL=\(sandbox.lottery)",
                "export TAPCARD_MASTERMIND_URL=\(sandbox.mastermind)",
                "Mastermind's password, whoever logs in: \(sandbox.password)",
                "What is to go wrong: curl -X PUT -d cut-off \(sandbox.control)/failure",
                "Ctrl-C ends it",
            ])
    }
}
