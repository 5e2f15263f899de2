import Glibc
import ReaderDiagnosis
package import RemoteServices
import Tags
import TapcardCore
package import Verbs

extension Parameter<[String]> {
    static var readers: Self {
        .options("reader", "NAME", .reader, "Reader to watch; repeat for up to 16 readers")
    }
    fileprivate static var arguments: Self {
        .arguments(
            "ARGUMENT", .word, "Arguments of the command after `--exec`", isRequired: false,
            page: .never)
    }
}

extension Parameter<Bool> {
    static var allReaders: Self {
        .flag("all-readers", "Watch every contactless reader that is ready")
    }
    static var withBalance: Self {
        .flag("with-balance", "Add the name and the balance of your own cards")
    }
}

extension Parameter<String?> {
    fileprivate static var format: Self {
        .option("format", "TEXT", .word, "Print TEXT for each tag, such as '{uid} {text}'")
    }
    fileprivate static var exec: Self {
        .option("exec", "COMMAND", .word, "Run COMMAND for each event, without a shell")
    }
    fileprivate static var keyboardPattern: Self {
        .option(
            "keyboard-pattern", "REGEX", .word,
            "Type the tag's text instead, if all of it matches REGEX (as in `grep -E`)")
    }
}

extension Parameter<TapEvent.Trust?> {
    fileprivate static var execTrust: Self {
        .option(
            "exec-trust", "TRUST", .choice(TapEvent.Trust.self),
            "Run the command only for tags with this trust or more")
    }
}

extension Parameter<KeyboardOutput.End?> {
    fileprivate static var keyboard: Self {
        .option(
            "keyboard", "KEY", .choice(KeyboardOutput.End.self),
            "Type the UID of each tag on a virtual keyboard, then press KEY")
    }
}

extension Command {
    /// The `watch` command. `transport` returns a new client each time. A direct client never uses
    /// a proxy.
    package static func watch(
        through transport: @escaping WatchCommand.Transport
    ) -> Command {
        Command(
            "watch", group: .tags, "Report every tag that arrives or leaves, to your own program",
            discussion: "Nothing is ever written to a tag or to the ledger, and no setup is "
                + "needed. Each event says how far its UID can be trusted: `uid` (anyone can "
                + "copy it), `sealed` (one of your cards, with a valid seal), or `proved` (one of "
                + "your NTAG 424 cards). With `--json`, each event is a line of JSON.\n\n"
                + "The command after `--exec` gets the event as JSON on standard input and in the "
                + "variables `TAPCARD_EVENT`, `_ID`, `_TIME`, `_READER_NAME`, `_UID`, `_KIND`, "
                + "`_TRUST`, `_TEXT`, and `_URL`; put `--` before arguments that begin with a "
                + "hyphen. It runs at most once for an event and at most 10 seconds. "
                + "`--webhook` posts each event in the format of Standard Webhooks, and `--mqtt` "
                + "publishes it. Both deliver in "
                + "order and at least once; events wait in a queue on disk until they are "
                + "accepted. Dropped events are reported as a `gap`. `--mqtt` also adds the reader "
                + "to Home Assistant. `--keyboard` types on a US keyboard.\n\n"
                + "`--from` receives taps from a `tapcard serve` that uses the reader, so that "
                + "commands run without access to the keys. To create a token, run `tapcard "
                + "tokens add NAME --may watch` on the server.",
            takes: .readers, .allReaders, .from, .tokenFile, .format, .withBalance, .exec,
            .execTrust, .webhook, .webhookSecret, .mqtt, .topic, .mqttLogin, .maximumAge,
            .keyboard, .keyboardPattern, .arguments,
            answers: .tapEvent,
            example: "tapcard watch --format '{time} {uid} {text}'"
        ) { session throws(TapcardError) in
            try await WatchCommand.watch(in: session, through: transport)
        }
    }
}

package enum WatchCommand {
    /// Creates an HTTP client that also trusts these CA certificates.
    package typealias Transport =
        @Sendable (_ authorities: String?, _ isDirect: Bool) -> any HTTPStreaming

    static let notStarted = "The watch was not started."
    private static let execLimit = Duration.seconds(10)
    private static let defaultTrustedAge = 10

    fileprivate static func watch(
        in session: Session, through transport: Transport
    ) async throws(TapcardError) -> Report {
        try requireUse(of: session)
        // All options are checked and all outputs opened before the first event.
        let feed = try feed(in: session, through: transport)
        let sessions = try await feed == nil ? sessions(session) : []
        let outputs = try await outputs(in: session, through: transport)
        var stations: [(reader: String, station: Station)] = []
        for own in sessions {
            let station = try await translating(awaiting: await own.watchOnlyStation()) {
                (error: TapcardError) in error.withoutMoney
            }
            stations.append((own.settings.readerText, station))
        }
        let deliver = { @Sendable (event: TapEvent) in
            await session.waiting.stop()
            var isTaken = true
            for output in outputs where !(await output.take(event)) { isTaken = false }
            guard isTaken else { return false }
            session.waiting.show("Hold a tag to the reader")
            return true
        }
        if session.console.isErrorTerminal, !session.outputOptions.isQuiet {
            let names = session[.from] ?? stations.map(\.reader).joined(separator: ", ")
            session.say("tapcard: Watching \(names.shown). Press Ctrl-C to stop.\n")
        }
        let problem = await feed?.run(deliver)
        await withTaskGroup { group in
            for (reader, station) in stations {
                group.addTask {
                    await watch(
                        station,
                        TapEvents(
                            at: reader, showingCards: session[.withBalance],
                            session.dependencies), session, deliver)
                }
            }
            // The first watch to end means that a reader is unusable or an output has failed.
            await group.next()
            group.cancelAll()
        }
        for output in outputs { await output.end() }
        if let problem { throw problem }
        return Report.nothing.whenStopped
    }

    /// Watches one reader until the task is canceled or an output has failed.
    private static func watch(
        _ station: Station, _ events: TapEvents, _ session: Session,
        _ take: (TapEvent) async -> Bool
    ) async {
        var events = events
        let isNamed = !events.reader.isEmpty
        func updateName() async {
            // A reader that was not named is known only once it is open.
            if !isNamed { events.reader = await station.reader.name }
        }
        func deliver(_ event: TapEvent?) async -> Bool {
            guard let event else { return true }
            return await take(event)
        }
        @Sendable func readsAll() -> Bool { true }
        // `watchTags` returns if the reader can never work. The caller then ends the other watches.
        // Events contain no next steps.
        await station.watchTags(advising: false, reading: readsAll) { tag, reading, error in
            await updateName()
            return await deliver(events.event(for: tag, reading, error))
        } _: { report in
            var report = report
            if case .card(let summary) = report {
                report = .card(session.journal.subtractingUnbooked(summary))
            }
            await updateName()
            return await deliver(events.event(for: report))
        }
    }

    /// Returns one session per reader.
    private static func sessions(_ session: Session) async throws(TapcardError) -> [Session] {
        var names = session[.readers]
        if session[.allReaders] {
            guard names.isEmpty else {
                throw refusal("--reader cannot be used with --all-readers", "Leave one out.")
            }
            guard !session.settings.readerIsSimulated else {
                throw refusal(
                    "--all-readers cannot be used while a simulated reader is set",
                    "Leave out --all-readers, or unset TAPCARD_READER.")
            }
            names = await session.drivers.readers.survey(naming: nil).contactlessReaders.map(\.text)
            guard !names.isEmpty else { throw TapcardError(ReaderError(.noReader)).withoutMoney }
        } else if names.count < 2 {
            return [session]
        }
        return try session.settings.forReaders(names, orSay: notStarted).map(session.using)
    }

    /// Rejects options that would have no effect.
    private static func requireUse(of session: Session) throws(TapcardError) {
        func require(_ isUsed: Bool, _ option: String, _ other: String) throws(TapcardError) {
            if isUsed { return }
            throw refusal(
                "The option --\(option) has no effect without --\(other)",
                "Add --\(other), or leave out --\(option).")
        }
        let hasExec = session[.exec] != nil
        let hasMQTT = session[.mqtt] != nil
        let hasDelivery = session[.webhook] != nil || hasMQTT || hasExec
        try require(hasExec || session[.execTrust] == nil, "exec-trust", "exec")
        try require(
            session[.webhook] != nil || session[.webhookSecret] == nil, "webhook-secret", "webhook")
        try require(hasMQTT || session[.topic] == nil, "topic", "mqtt")
        try require(hasMQTT || session[.mqttLogin] == nil, "mqtt-login", "mqtt")
        try require(
            hasDelivery || session[.maximumAge] == nil, "max-age", "webhook, --mqtt, or --exec")
        try require(
            session[.keyboard] != nil || session[.keyboardPattern] == nil, "keyboard-pattern",
            "keyboard")
        try require(session[.from] != nil || session[.tokenFile] == nil, "token-file", "from")
        guard session[.format] == nil || !session.outputOptions.isJSON else {
            throw refusal("The options --format and --json cannot be combined", "Leave one out.")
        }
    }

    // MARK: - Outputs

    private static func outputs(
        in session: Session, through transport: Transport
    ) async throws(TapcardError) -> [any EventOutput] {
        var outputs: [any EventOutput] = [LineOutput(try style(in: session), session.output)]
        let dependencies = session.dependencies
        let stamp = { @Sendable in TapEvent.Stamp(dependencies) }
        let say = { @Sendable (text: String) in session.say("tapcard: \(text)\n") }
        let arguments = session[.arguments]
        if let program = session[.exec] {
            guard !program.isEmpty else { throw refusal("The command after --exec is empty") }
            let command = ChildCommand([program] + arguments, limit: execLimit)
            guard command.canStart else {
                throw refusal(
                    "The command \(program.quotation) does not exist or cannot be run",
                    program.contains(" ")
                        ? "No shell is used: its arguments follow as separate words, after --."
                        : program.contains("/") ? "" : "It is searched in \(ChildCommand.path).")
            }
            // A door must not open for someone who left minutes ago.
            let ownAge = session[.execTrust] == nil ? nil : defaultTrustedAge
            outputs.append(
                ExecOutput(
                    command, requiring: session[.execTrust],
                    maximumAge: (session[.maximumAge] ?? ownAge).map { .seconds($0) }, stamp,
                    say: say))
        } else if let extra = arguments.first {
            throw refusal(
                "tapcard watch got one argument too many: \(extra.debugDescription)",
                "To run a command for each event, write --exec before it.")
        }
        if let keyboard = try keyboard(in: session, say: say) { outputs.append(keyboard) }
        outputs += try await queuedOutputs(in: session, through: transport, stamp, say: say)
        return outputs
    }

    private static func keyboard(
        in session: Session, say: @escaping @Sendable (String) -> Void
    ) throws(TapcardError) -> KeyboardOutput? {
        guard let end = session[.keyboard] else { return nil }
        let pattern = session[.keyboardPattern].map(TextPattern.init)
        if case .some(nil) = pattern {
            throw refusal(
                "The value of --keyboard-pattern is not valid",
                "Use an extended regular expression, as in grep -E, without \\1 to \\9.")
        }
        guard let device = UInputDevice() else { throw noKeyboard(errno) }
        return KeyboardOutput(
            device, typing: pattern ?? nil, then: end,
            sleep: session.dependencies.sleep, say: say)
    }

    private static func noKeyboard(_ number: Int32) -> TapcardError {
        let reason = unsafe String(cString: strerror(number))
        let isForbidden = [EACCES, EPERM].contains(number)
        return TapcardError(
            .fileUnusable, "The virtual keyboard cannot be created with /dev/uinput: \(reason).",
            meaning: notStarted,
            advice: isForbidden
                ? "See docs/BRIDGE.md for how to allow it." : "Run: sudo modprobe uinput")
    }

    private static func style(in session: Session) throws(TapcardError) -> LineOutput.Style {
        if session.outputOptions.isJSON { return .json }
        guard let text = session[.format] else {
            return session.outputOptions.isQuiet ? .none : .sentences
        }
        guard let format = EventFormat(text) else {
            let names = EventFormat.Placeholder.allCases.map { "{\($0.rawValue)}" }
            throw refusal(
                "The value of --format contains an unknown placeholder",
                "Use \(names.joined(separator: ", ")).")
        }
        return .format(format)
    }

    static func refusal(_ what: String, _ advice: String = "") -> TapcardError {
        TapcardError(.usage, "\(what).", meaning: notStarted, advice: advice)
    }
}
