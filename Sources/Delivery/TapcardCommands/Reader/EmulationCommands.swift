import DurableFile
import StyledText
import TapcardCore
import TextCodecs

extension Command {
    private static let lines = """
        Control lines are typed on standard input or sent with --tell: remove; present, or \
        present NTAG215, present classic, present type4, present felica; add, for one more; \
        fault write 3 torn mix 7, fault data 2 lose-reply, fault none; stall and resume; unplug \
        and plug; status, counters, reset, dump. docs/EMULATOR.md explains them all.
        """

    static let emulationCommands: [Command] = [
        Command(
            "emulate", group: .simulation, "Play a PN532 reader on a serial device",
            discussion: "Other programs find it under the name that is printed, until Ctrl-C. "
                + lines,
            options: [
                CommandOption(
                    name: "tag", value: "FILE|CHIP",
                    help: "The tag on it: a dump, which is kept up to date if it is tapcard's "
                        + "own, or NTAG213, NTAG215, NTAG216", completesFiles: true),
                CommandOption(
                    name: "link", value: "PATH", help: "A name for the device that stays the same",
                    completesFiles: true),
                CommandOption(
                    name: "control", value: "PATH",
                    help: "The socket for control lines: that of the link with .control behind it",
                    completesFiles: true),
                CommandOption(
                    name: "pace", value: "PACE", help: "How fast it answers",
                    choices: ["immediate", "real"]),
                CommandOption(
                    name: "tell", value: "LINE",
                    help: "Send a control line to the one that runs, instead of playing another"),
            ],
            answers: .emulation,
            example: "tapcard emulate --tag NTAG213 --link /tmp/reader"
        ) { session throws(TapcardError) in
            try session.checkNames()
            if let line = session.command.option("tell") { return try session.tell(line) }
            return try await session.emulate()
        }
    ]
}

extension Session {
    private var controlPath: String? {
        command.option("control") ?? command.option("link").map { $0 + ".control" }
    }

    /// Refuses names that no file can have, and those under which libnfc would not find a device.
    fileprivate func checkNames() throws(TapcardError) {
        for name in ["tag", "link", "control"] where command.option(name) == "" {
            throw TapcardError(
                .usage, "--\(name) needs a name.", meaning: "Nothing was done.",
                advice: "See: tapcard emulate --help")
        }
        for name in ["link", "control"] where command.option(name) == DurableFile.standardStream {
            throw TapcardError(
                .usage, "--\(name) cannot be standard input or output.",
                meaning: "Nothing was done.", advice: "Name a path, such as ./-")
        }
        // In a connection string the colon stands between the device and its speed.
        guard command.option("link")?.contains(":") != true else {
            throw TapcardError(
                .usage, "A link cannot have a colon in its name: libnfc would cut it off there.",
                meaning: "Nothing was done.", advice: "Choose a name without one.")
        }
    }

    fileprivate func tell(_ line: String) throws(TapcardError) -> Report {
        guard let socket = controlPath else {
            throw TapcardError(
                .usage, "Which emulated reader is meant?", meaning: "Nothing was done.",
                advice: "Name it with --link or --control.")
        }
        guard command.option("tag") == nil, command.option("pace") == nil else {
            throw TapcardError(
                .usage, "--tell goes to a reader that runs already.",
                meaning: "Nothing was done.", advice: "Leave out --tag and --pace.")
        }
        let answer = try drivers.emulation.tell(line, socket)
        // A dump is for a file, everything else for a person's eyes or a program.
        let text = answer["dump"]?.string.map { String($0.dropLast()) }
        return Report(
            [JSONMember(key: "answer", value: answer)], [text ?? answer.text], isPlain: true)
    }

    /// Plays the reader until somebody stops it.
    fileprivate func emulate() async throws(TapcardError) -> Report {
        let request = EmulationRequest(
            tag: command.option("tag"), link: command.option("link"), control: controlPath,
            isPaced: command.option("pace") == "real")
        let (console, output) = (console, output)
        let reader = try drivers.emulation.start(
            request, answer: { output.write($0 + "\n") },
            complain: { console.writeError("tapcard: \($0.shown)\n") })
        defer { reader.stop() }
        // Without its name nobody could open it.
        if show(started(reader, request)) { await reader.waitForCancellation() }
        guard !isJSON else { return Report.nothing.whenStopped }
        let counts = (reader.counters.members ?? []).map { member in
            "  \(member.key): \(member.value.text)"
        }
        return Report([], ["The reader is gone. It counted:"] + counts, isPlain: true)
            .whenStopped
    }

    private func started(_ reader: any PluggedEmulation, _ request: EmulationRequest) -> Report {
        let name = request.link ?? reader.device
        let telling = request.link.map { "tapcard emulate --link \($0) --tell status" }
        return Report(
            [
                JSONMember(key: "device", value: .string(reader.device)),
                JSONMember(key: "link", value: .text(request.link)),
                JSONMember(key: "connection", value: .string(reader.connectionString)),
                JSONMember(key: "control", value: .text(request.control)),
            ],
            [
                "A PN532 answers at \(name)",
                "tapcard read --reader pn532_uart:\(name)",
                "LIBNFC_DEFAULT_DEVICE=\(reader.connectionString) nfc-list",
                telling.map { "Control lines here, or: \($0)" } ?? "Control lines here",
                "Ctrl-C ends it",
            ])
    }
}
