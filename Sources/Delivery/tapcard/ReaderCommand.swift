import OperatingSystem
import RemoteReader
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

extension Parameter<String?> {
    fileprivate static var server: Self {
        .option(
            "server", "URL", .word,
            "The server's URL, such as https://till.example; separate several with commas")
    }
    fileprivate static var code: Self {
        .option("code", "CODE", .word, "The code from `tapcard tills add` or `tapcard tills code`")
    }
}

extension Parameter<Bool> {
    fileprivate static var install: Self {
        .flag("install", "Install a systemd service that runs `tapcard reader` after every boot")
    }
}

extension Command {
    /// The `reader` command, which drives a reader for a server.
    static let reader = Command(
        "reader", group: .readers, "Connect this machine's reader to a server",
        discussion: "To connect for the first time, run `tapcard tills add` on the server, and "
            + "use its code here with `--server` and `--code`. From then on, run `tapcard reader` "
            + "without them. This machine needs no keys, no settings, and no ledger, because it "
            + "only relays messages between the server and the card. It makes only outgoing "
            + "connections, so you need not open a port. If the connection is lost during a "
            + "tap, the next tap resolves the interrupted operation.\n\n"
            + "If the servers' addresses change, use `--server` without `--code`. The new ones are "
            + "saved once the reader has connected to one of them. If you use your own "
            + "certificate authority, set `ca-file`, or use a code with the key of the server's "
            + "certificate (`tapcard tills add --pin`). With `--install`, the command asks the "
            + "servers whether they accept the reader, writes a systemd service, starts it, and "
            + "ends. The service belongs to your user, needs no root, and runs even if nobody is "
            + "logged in.",
        takes: .server, .code, .install, answers: .connectedReader,
        example: "tapcard reader --server https://till.example --code 4T8K-9M2X-QW7P",
        run: ReaderCommand.run)
}

enum ReaderCommand {
    private static let notConnected = "The reader is not connected."

    static func run(in session: Session) async throws(TapcardError) -> Report {
        let file = ConnectionFile(in: session.settings.dataFolder)
        let given = try session[.server].map { text throws(TapcardError) in try addresses(text) }
        let known = try file.connection(of: session.settings.readerText)
        guard let servers = given ?? known?.servers else { throw try notEnrolled(file) }
        var connection: AgentConnection
        let line: HTTPAgentLine
        if let code = session[.code] {
            (connection, line) = try await enroll(with: code, at: servers, file, in: session)
        } else {
            guard let known else { throw try notEnrolled(file) }
            connection = known
            connection.servers = servers
            line = try HTTPAgentLine(connection, session.settings)
        }
        if session[.install] {
            // Otherwise, a refusal would appear only in the service's log.
            try await MachineConnections.ask([connection], session.settings)
                .requireAcceptance(at: Wiring.now())
            try file.save(connection)
            return try await ReaderUnit.install(for: session.settings, line.server)
        }
        try await serve(line, in: session) { [connection] () throws(TapcardError) in
            // Addresses are saved only once they work, because they may be mistyped.
            if given != nil, session[.code] == nil { try file.save(connection) }
        }
        guard !session.outputOptions.isJSON else { return Report.nothing.whenStopped }
        return Report([:], ["Reader disconnected"], isPlain: true).whenStopped
    }

    /// Connects this machine's reader to the till with this code, and saves the connection.
    private static func enroll(
        with text: String, at servers: [String], _ file: ConnectionFile, in session: Session
    ) async throws(TapcardError) -> (AgentConnection, HTTPAgentLine) {
        guard let (code, pins) = EnrollmentCode.parts(of: text) else {
            throw TapcardError(
                .usage, "The part of the code after the dot is wrong or incomplete.",
                meaning: notConnected,
                advice: "Copy all of the code. After the dot, capital and small letters count.")
        }
        // The token is saved before it is used, because the same one must be sent again if the
        // response is lost. The current token is kept, because the code may be wrong.
        let hash = Hexadecimal.encode(EnrollmentCode.hash(of: code))
        let reader = session.settings.readerText
        let unconfirmed = AgentConnection.unconfirmed(reader)
        let pending = try file.connection(of: unconfirmed)
        let token =
            if let pending, pending.code == hash {
                pending.token
            } else {
                AgentToken.text(session.dependencies.random(AgentToken.randomBytes))
            }
        var connection = AgentConnection(
            reader: unconfirmed, servers: servers, token: token, code: hash, pins: pins)
        let line = try HTTPAgentLine(connection, session.settings)
        try session.makeDataFolder()
        try file.save(connection)
        let till = try await line.enroll(code)
        connection.reader = reader
        try file.save(connection)
        session.say("tapcard: This is now the reader of till \(till.shown)\n")
        return (connection, line)
    }

    private static func notEnrolled(_ file: ConnectionFile) throws(TapcardError) -> TapcardError {
        // A connection belongs to the reader that `--reader` named when it was made.
        let others = try file.connections().map { connection in
            let reader = connection.reader
            return "tapcard " + (reader.isEmpty ? "" : "--reader \(reader.asShellWord) ")
                + "reader"
        }
        let advice =
            others.isEmpty ? "" : "For one that has, run: \(others.joined(separator: " or ")). "
        return TapcardError(
            .usage, "This reader has not been connected to a server yet.", meaning: notConnected,
            advice: advice
                + "To connect it, get a code on the server with tapcard tills add NAME. "
                + "Then run here: tapcard reader --server URL --code CODE")
    }

    /// Parses the servers' URLs, and drops trailing slashes. Plain HTTP is allowed only for a
    /// server on this machine.
    private static func addresses(_ text: String) throws(TapcardError) -> [String] {
        let all = text.split(separator: ",").map { part in
            String(part.hasSuffix("/") ? part.dropLast() : part)
        }
        for address in all {
            let isUnadorned = address.utf8.allSatisfy { !"@?# \\".utf8.contains($0) }
            let isLocal = ["http://127.0.0.1", "http://localhost"].contains { start in
                address == start
                    || address.hasPrefix(start + ":")
                        && address.dropFirst(start.count + 1).allSatisfy(\.isNumber)
            }
            let rest = address.dropFirst("https://".count)
            let isSecure = address.hasPrefix("https://") && !rest.isEmpty && !rest.contains("/")
            guard isUnadorned, isLocal || isSecure else {
                throw TapcardError(
                    .usage, "\(address.debugDescription) is not the address of a server.",
                    meaning: notConnected, advice: "Use an address such as https://till.example")
            }
        }
        guard !all.isEmpty else {
            throw TapcardError(.usage, "The server's address is empty.", meaning: notConnected)
        }
        return all
    }

    /// Drives the reader until the user stops the command. Throws if the server rejects the agent.
    /// Calls `save` each time the reader has connected.
    private static func serve(
        _ line: HTTPAgentLine, in session: Session,
        whenConnected save: @escaping @Sendable () throws(TapcardError) -> Void
    ) async throws(TapcardError) {
        let reader = try await session.tillReader()
        let random = session.dependencies.random
        let agent = ReaderAgent(
            reader, isSimulated: session.settings.readerIsSimulated, line,
            release: Release.version, random: { random($0) },
            clock: LineClock { .milliseconds(SystemClock.millisecondsSinceBoot) },
            report: { event in
                switch event {
                case .attached:
                    session.say("tapcard: Connected to \(line.server)\n")
                    do throws(TapcardError) { try save() } catch { session.show(error) }
                case .offline(let reason):
                    session.say("tapcard: Not connected, retrying: \(reason.shown)\n")
                }
            })
        let isShown = session.show(
            Report(
                ["server": .string(line.server)],
                ["Connecting to \(line.server)", "To stop, press Ctrl-C"]))
        guard isShown, let rejection = await agent.run() else { return }
        switch rejection {
        case .removed(let reason):
            throw TapcardError(
                .service(.unauthorized), "The server does not accept this till: \(reason)",
                meaning: notConnected,
                advice: "On the server, get a code with tapcard tills code NAME or, if the till "
                    + "was removed, with tapcard tills add NAME. Then run here: "
                    + "tapcard reader --code CODE")
        case .replaced:
            throw TapcardError(
                .service(.refused), "Another machine has connected as this till.",
                meaning: notConnected,
                advice: "If it is not yours, run on the server: tapcard tills remove NAME")
        case .outdated:
            throw TapcardError(
                .service(.refused), "This version of tapcard is too old for the server.",
                meaning: notConnected, advice: "Update tapcard on this machine.")
        }
    }
}
