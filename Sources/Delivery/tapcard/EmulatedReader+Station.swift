import CardCryptography
import OperatingSystem
import PN532Emulator
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

extension EmulatedReader {
    /// Starts an emulated reader with a tag on it. `tag` is a chip or a file; the default is a
    /// blank NTAG213. `onProblem` receives warnings and errors about the tag's file.
    static func start(
        with tag: String?, _ options: Options, onProblem: @escaping @Sendable (String) -> Void
    ) throws(TapcardError) -> EmulatedReader {
        var options = options
        let simulation: Simulation
        // A chip name is never treated as a file name.
        if let name = tag, Simulation.isChip(typed: name) {
            var drawer = Simulation()
            if let chip = drawer.addChip(random: RandomBytes.make) { drawer.put([chip.number]) }
            simulation = drawer
        } else if let name = tag, Type2Chip(typed: name) == nil {
            let file = try TagFile(name)
            simulation = file.world
            if file.savesChanges {
                options.onTagsChange = { file.save($0, onProblem) }
            } else {
                let what =
                    name == DurableFile.standardStream
                    ? "Standard input is read-only"
                    : "\(name), a dump from another program, is treated as read-only"
                onProblem(
                    "\(what), so changes to the tag are lost when the emulator stops. To see the "
                        + "tag before then, use the control line dump.")
            }
        } else {
            var drawer = Simulation()
            let chip = tag.flatMap(Type2Chip.init(typed:)) ?? .ntag213
            if let tag = drawer.addTag(chip, random: RandomBytes.make) { drawer.put([tag.uid]) }
            simulation = drawer
        }
        return try translating(start(simulation, options)) { refusal($0) }
    }

    /// Sends a control line to a running emulator and returns the response.
    static func answer(
        to line: String, at socket: String
    ) throws(TapcardError) -> JSONValue {
        let text = try translating(tell(line, at: socket)) { refusal($0, line: line) }
        let answer = try translating(JSONValue.parsing(Array(text.utf8))) { (_: JSONError) in
            TapcardError(
                .failed, "The socket \(socket) belongs to another program.",
                meaning: "That program may have acted on the command.",
                advice: "Specify the --link or --control that the emulator was started with.")
        }
        guard answer["result"]?.string != "failed" else {
            throw TapcardError(
                .usage, "The emulator refused the line: \(answer["message"]?.string ?? "").",
                meaning: "Nothing was changed.",
                advice: "To list the control lines, run: tapcard emulate --help")
        }
        return answer
    }

    /// The error for the user. `line` is the control line; nil if the emulator could not start.
    private static func refusal(_ error: EmulatorError, line: String? = nil) -> TapcardError {
        let nothing = line == nil ? "" : "Nothing was changed."
        guard error.kind != .unanswered else {
            return TapcardError(
                .failed,
                "The command was sent to the emulator, but \(error.detail).",
                meaning: "The emulator may or may not have run the command.",
                advice: "Check in a moment with: --tell status")
        }
        let what =
            line == nil
            ? "The emulator could not be started: \(error.detail)."
            : "The emulator could not be reached: \(error.detail)."
        return switch error.kind {
        case .busy:
            TapcardError(
                .readerBusy, what, meaning: nothing,
                advice: "Stop that emulator, or choose another name with --link or --control.")
        case .occupied:
            TapcardError(
                .fileUnusable, what, meaning: nothing,
                advice: "Choose another name with --link or --control.")
        case .control:
            TapcardError(
                .usage, "The control line was not sent: \(error.detail).", meaning: nothing,
                advice: "To list the control lines, run: tapcard emulate --help")
        case .system, .unanswered:
            TapcardError(
                .failed, what, meaning: nothing,
                advice: line == nil
                    ? "Choose other folders for --link and --control, or make them writable."
                    : "Start it first, or specify the --link or --control that it was started with."
            )
        }
    }
}
