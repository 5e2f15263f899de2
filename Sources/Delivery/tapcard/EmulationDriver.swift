import CardCryptography
import DurableFile
import Glibc
import PN532Emulator
import SimulatedField
import TapcardCommands
import TapcardCore
import TextCodecs
import Type2Tag

/// Lets the command line play readers.
struct EmulationDriver: ReaderEmulation {
    func start(
        _ request: EmulationRequest, answer: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) throws(TapcardError) -> any PluggedEmulation {
        var options = EmulatedReader.Options()
        options.link = request.link
        options.controlPath = request.control
        options.pace = request.isPaced ? .real : .immediate
        options.input = EmulatedReader.Input(descriptor: STDIN_FILENO, answer: answer)
        let world: Simulation
        if let name = request.tag, Type2Chip(named: name.uppercased()) == nil {
            let file = DurableFile(name)
            let tag = try EmulationDriver.tag(file)
            world = Simulation([tag], onReader: [tag.uid])
            options.whenTagsChange = { EmulationDriver.save($0, tag.uid, file, complain) }
        } else {
            var drawer = Simulation()
            let chip = request.tag.flatMap { Type2Chip(named: $0.uppercased()) } ?? .ntag213
            if let tag = drawer.addTag(chip, random: RandomBytes.make) { drawer.put([tag.uid]) }
            world = drawer
        }
        do {
            return Plugged(reader: try EmulatedReader.start(world, options))
        } catch {
            throw EmulationDriver.refusal(error)
        }
    }

    func tell(_ line: String, _ socket: String) throws(TapcardError) -> JSONValue {
        let answer: JSONValue
        do {
            let text = try EmulatedReader.tell(line, at: socket)
            answer = try JSONValue.parsing(Array(text.utf8))
        } catch let error as EmulatorError {
            throw EmulationDriver.refusal(error)
        } catch {
            throw TapcardError(
                .failed, "What listens at \(socket) is no emulated reader.",
                meaning: "Nothing is known of what it did.")
        }
        guard answer["result"]?.string != "failed" else {
            throw TapcardError(
                .usage, "The reader refused: \(answer["message"]?.string ?? "").",
                meaning: "Nothing was changed.", advice: "tapcard emulate --help shows the lines.")
        }
        return answer
    }

    private struct Plugged: PluggedEmulation {
        let reader: EmulatedReader
        var device: String { reader.devicePath ?? "" }
        var connectionString: String { reader.connectionString ?? "" }
        var counters: JSONValue { reader.counters.document }
        func stop() { reader.stop() }

        func waitForCancellation() async {
            let aDay = Duration.seconds(86_400)
            while !Task.isCancelled {
                // It throws when the task is cancelled, which is what is waited for.
                try? await Task.sleep(for: aDay)
            }
        }
    }

    private static func tag(_ file: DurableFile) throws(TapcardError) -> TagMemory {
        let reason: String
        do {
            guard let bytes = try file.read(limit: TagDump.longestText) else {
                throw TapcardError(
                    .fileUnusable, "There is no file \(file.path).",
                    meaning: "Nothing is played.",
                    advice: "Name a dump, or a chip: NTAG213, NTAG215, NTAG216.")
            }
            return try TagDump(parsing: String(decoding: bytes, as: UTF8.self)).memory()
        } catch let error as TapcardError {
            throw error
        } catch {
            reason = "\(error)"
        }
        throw TapcardError(
            .fileUnusable, "\(file.path) is no dump of a tag: \(reason).",
            meaning: "Nothing is played.")
    }

    /// The tag lives in its file: what is written to it is found there by the next run.
    private static func save(
        _ world: Simulation, _ uid: [UInt8], _ file: DurableFile,
        _ complain: @Sendable (String) -> Void
    ) {
        guard let tag = world.tag(uid) else { return }
        let text = TagDump(memory: tag, withSecrets: true).text
        do {
            // Not durable: a tag that forgets on a power cut is a tag that was torn.
            try file.write(Array(text.utf8), mode: 0o600, durable: false)
        } catch {
            complain("The tag's file cannot be written: \(error.detail).")
        }
    }

    private static func refusal(_ error: EmulatorError) -> TapcardError {
        let kind: TapcardError.Kind =
            switch error.kind {
            case .busy: .readerBusy
            case .occupied: .fileUnusable
            case .control: .usage
            case .system, .stopped: .failed
            }
        return TapcardError(
            kind, "The emulated reader is not to be had: \(error.detail).",
            meaning: "Nothing was done.")
    }
}
