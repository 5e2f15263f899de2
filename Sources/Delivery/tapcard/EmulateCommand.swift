import Glibc
import OperatingSystem
import PN532Emulator
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The speed of an emulated reader.
private enum Pace: String, CaseIterable, Sendable {
    case immediate, real
}

extension Parameter<String?> {
    fileprivate static var tag: Self {
        .option("tag", "FILE|CHIP", .file, "Dump, or \(Chip.choice) (default: a blank NTAG213)")
    }
    fileprivate static var link: Self {
        .option("link", "PATH", .file, "Symbolic link to the device; no colon in the path")
    }
    fileprivate static var control: Self {
        .option("control", "PATH", .file, "Control socket (default: `LINK.control` with `--link`)")
    }
    fileprivate static var tell: Self {
        .option("tell", "LINE", .word, "Send LINE to the emulator at `--link` or `--control`")
    }
}

extension Parameter<Pace?> {
    fileprivate static var pace: Self {
        .option(
            "pace", "PACE", .choice(Pace.self), "Speed of the reader: immediate (default) or real")
    }
}

extension Command {
    private static let lines = """
        You control the emulator with lines on standard input or with `--tell`; it answers each \
        line with a line of JSON.

        Tags: `present [TAG|CHIP ...]`, `remove [TAG]`, `dump [TAG]`, `add TAG|CHIP|classic|type4` \
        (the last two are cards that tapcard does not use). Faults: `fault write 3 torn mix 7` as \
        in `tapcard sim tear`, `fault data 2 lose-reply` on the link, `fault none`. Reader: \
        `stall`, `resume`, `unplug`, `plug`, `status`, `counters`, `reset`. docs/READERS.md \
        explains all of them.
        """

    static let emulate =
        Command(
            "emulate", group: .simulation, "Emulate a PN532 reader on a pseudo-terminal",
            discussion: "The output shows the device, the value for `--reader`, and "
                + "`LIBNFC_DEFAULT_DEVICE` for other programs such as `nfc-list`. Changes to a tag "
                + "from a text dump are written back to that file. The emulator runs until you "
                + "press Ctrl-C and then prints its counters.\n\n"
                + lines,
            takes: .tag, .link, .control, .pace, .tell, answers: .emulation,
            example: "tapcard emulate --tag NTAG213 --link /tmp/reader", run: EmulateCommand.emulate
        )
}

enum EmulateCommand {
    private static func controlPath(in session: Session) -> String? {
        if let control = session[.control] { return control }
        return session[.link].map { $0 + ".control" }
    }

    /// Refuses values that cannot be file names and link names that libnfc could not open.
    private static func checkNames(in session: Session) throws(TapcardError) {
        for name in [Parameter.tag, .link, .control] where session[name] == "" {
            throw TapcardError.usage(
                "The option --\(name.row.name) needs a value.",
                advice: "Add one, or leave out the option.")
        }
        let stream = DurableFile.standardStream
        for name in [Parameter.link, .control] where session[name] == stream {
            throw TapcardError.usage(
                "The option --\(name.row.name) does not accept - as its value.",
                advice: "For a file with that name, write its path: ./-")
        }
        // In a connection string, a colon separates the device from its speed.
        guard session[.link]?.contains(":") != true else {
            throw TapcardError.usage(
                "The value of --link cannot contain a colon, because libnfc cuts the name off "
                    + "there.",
                advice: "Choose a path without a colon.")
        }
    }

    private static func sendControlLine(
        _ line: String, in session: Session
    ) throws(TapcardError) -> Report {
        guard let socket = controlPath(in: session) else {
            throw TapcardError.usage(
                "The emulator's path is missing.", advice: "Specify it with --link or --control.")
        }
        guard !session.command.isGiven(.tag), !session.command.isGiven(.pace) else {
            throw TapcardError.usage(
                "The option --tell talks to an emulator that is already running, so it cannot be "
                    + "used with --tag or --pace.",
                advice: "Leave out --tag and --pace.")
        }
        let answer = try EmulatedReader.answer(to: line, at: socket)
        // A dump is printed as text, because it is meant for a file; other responses are printed as
        // JSON.
        let text = answer["dump"]?.string.map { String($0.dropLast()) }
        return Report(
            ["answer": answer], [text ?? answer.text], isPlain: true)
    }

    /// Emulates a reader until the command is stopped, or sends a control line to an emulator that
    /// is already running.
    static func emulate(in session: Session) async throws(TapcardError) -> Report {
        try checkNames(in: session)
        if let line = session[.tell] { return try sendControlLine(line, in: session) }
        var options = EmulatedReader.Options()
        (options.link, options.controlPath) = (session[.link], controlPath(in: session))
        options.pace = session[.pace] == .real ? .real : .immediate
        let (console, output) = (session.console, session.output)
        options.input = EmulatedReader.Input(descriptor: STDIN_FILENO) { output.write($0 + "\n") }
        let reader = try EmulatedReader.start(with: session[.tag], options) {
            console.writeError("tapcard: \($0.shown)\n")
        }
        defer { reader.stop() }
        // If the name could not be printed, nobody can open the reader, so there is no point in
        // waiting.
        if session.show(started(reader, options)) { await session.waitUntilStopped() }
        // The JSON document has already been printed, and only one may be printed.
        guard !session.outputOptions.isJSON else { return Report.nothing.whenStopped }
        let counts = (reader.counters.document.members ?? []).map { member in
            "  \(member.key): \(member.value.text)"
        }
        return Report([:], ["Emulator stopped"] + counts, isPlain: true)
            .whenStopped
    }

    private static func started(
        _ reader: EmulatedReader, _ options: EmulatedReader.Options
    ) -> Report {
        let device = reader.devicePath ?? ""
        let connection = reader.connectionString ?? ""
        let name = options.link ?? device
        let controlCommand = options.link.map { "tapcard emulate --link \($0) --tell status" }
        return Report(
            [
                "device": .string(device), "link": .text(options.link),
                "connection": .string(connection), "control": .text(options.controlPath),
            ],
            [
                "Emulating a PN532 at \(name)",
                "To use it: tapcard read --reader pn532_uart:\(name)",
                "LIBNFC_DEFAULT_DEVICE=\(connection) nfc-list",
                controlCommand.map { "To control it, type control lines here, or run: \($0)" }
                    ?? "To control it, type control lines here",
                "To stop it, press Ctrl-C",
            ])
    }
}
