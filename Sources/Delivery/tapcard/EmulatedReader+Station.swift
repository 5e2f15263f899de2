import CardCryptography
import OperatingSystem
import PN532Emulator
import SimulatedReader
import Tags
import TapcardCore
import TextCodecs
import Verbs

extension EmulatedReader {
    /// Connects a reader with a tag on it: a chip, or a file; by default a blank NTAG213.
    /// `complain` receives errors of writing the tag's file.
    static func start(
        with tag: String?, _ options: Options, complain: @escaping @Sendable (String) -> Void
    ) throws(TapcardError) -> EmulatedReader {
        var options = options
        let world: Simulation
        if let name = tag, Simulation.isChip(typed: name) {
            var drawer = Simulation()
            if let chip = drawer.addChip(random: RandomBytes.make) { drawer.put([chip.number]) }
            world = drawer
        } else if let name = tag, Type2Chip(typed: name) == nil {
            let file = try TagFile(name)
            world = file.world
            if file.isKept {
                options.whenTagsChange = { file.save($0, complain) }
            } else {
                let what =
                    name == DurableFile.standardStream
                    ? "Standard input" : "\(name) is a dump of another program's and"
                complain(
                    "\(what) is only read: what is written to the tag ends with this reader. Its "
                        + "control line dump shows it.")
            }
        } else {
            var drawer = Simulation()
            let chip = tag.flatMap(Type2Chip.init(typed:)) ?? .ntag213
            if let tag = drawer.addTag(chip, random: RandomBytes.make) { drawer.put([tag.uid]) }
            world = drawer
        }
        do {
            return try start(world, options)
        } catch {
            throw refusal(error)
        }
    }

    /// Sends a control line to a running reader and returns the answer.
    static func answer(
        to line: String, at socket: String
    ) throws(TapcardError) -> JSONValue {
        let answer: JSONValue
        do {
            let text = try tell(line, at: socket)
            answer = try JSONValue.parsing(Array(text.utf8))
        } catch let error as EmulatorError {
            throw refusal(error, line: line)
        } catch {
            throw TapcardError(
                .failed, "What listens at \(socket) is no emulated reader.",
                meaning: "Nothing is known of what it did.",
                advice: "Name the emulated reader's own --link or --control.")
        }
        guard answer["result"]?.string != "failed" else {
            throw TapcardError(
                .usage, "The reader refused: \(answer["message"]?.string ?? "").",
                meaning: "Nothing was changed.", advice: "tapcard emulate --help shows the lines.")
        }
        return answer
    }

    /// The error for the user. `line` is the control line; nil for a reader that could not start.
    private static func refusal(_ error: EmulatorError, line: String? = nil) -> TapcardError {
        let nothing = "Nothing was done."
        guard error.kind != .unanswered else {
            return TapcardError(
                .failed, "The emulated reader was told, but \(error.detail).",
                meaning: "Whether the line was carried out is not known.",
                advice: "Ask with --tell status when the reader answers again.")
        }
        let what = "The emulated reader is not to be had: \(error.detail)."
        return switch error.kind {
        case .busy:
            TapcardError(
                .readerBusy, what, meaning: nothing,
                advice: "End the other one, or choose another name with --link or --control.")
        case .occupied:
            TapcardError(
                .fileUnusable, what, meaning: nothing,
                advice: "Choose another name with --link or --control.")
        case .control:
            TapcardError(
                .usage, what, meaning: nothing, advice: "tapcard emulate --help shows the lines.")
        case .system, .unanswered:
            TapcardError(
                .failed, what, meaning: nothing,
                advice: line == nil
                    ? "Look whether --link and --control lie in folders you can write to."
                    : "Look whether tapcard emulate runs with the same --link or --control.")
        }
    }
}
