import OperatingSystem
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Verbs

/// The file that holds an emulated tag and keeps what is written to the tag for the next run. A
/// dump in another program's format is treated as read-only, because it cannot represent every
/// state of a tag.
struct TagFile {
    /// The permission bits for writing by the owner, the group, or others.
    private static let writable: UInt32 = 0o222
    private static let nothing = "The emulator was not started."

    /// The two kinds of tag that a file can hold.
    enum Content {
        case tag(TagMemory)
        case chip(NTAG424Memory)
    }

    private let content: Content
    /// Whether changes to the tag are saved.
    let savesChanges: Bool
    private let file: DurableFile
    private let mode: UInt32

    /// Refuses incomplete dumps and write-protected files.
    init(_ path: String) throws(TapcardError) {
        file = DurableFile(path)
        (content, savesChanges, mode) = try TagFile.read(file)
        guard !savesChanges || mode & TagFile.writable != 0 else {
            throw TapcardError(
                .fileUnusable,
                "The file \(path) is read-only, but changes to the tag are written to it.",
                meaning: TagFile.nothing,
                advice: "Use a copy, or make the file writable: chmod u+w \(path)")
        }
    }

    /// A simulation with the tag on the reader.
    var world: Simulation {
        switch content {
        case .tag(let tag): Simulation([tag], onReader: [tag.uid])
        case .chip(let chip): Simulation(chips: [chip], onReader: [chip.number])
        }
    }

    /// Saves the tag with the current permissions of its file.
    func save(_ world: Simulation, _ onProblem: @Sendable (String) -> Void) {
        let text: String
        switch content {
        case .tag(let tag):
            guard let tag = world.tag(tag.uid) else { return }
            // The dump includes the password, which would otherwise be lost before the next run.
            text = TagDump(memory: tag, withSecrets: true).text
        case .chip(let chip):
            guard let chip = world.chip(chip.number) else { return }
            text = chip.text
        }
        do {
            // The permissions may have changed since the start, or the file may be gone.
            let mode = try file.permissions() ?? mode
            // The file need not be durable, because losing a write in a power failure is like a
            // torn write on a tag.
            try file.write(Array(text.utf8), mode: mode, durable: false)
        } catch {
            onProblem("Changes to the tag could not be written: \(error.detail).")
        }
    }

    private static func read(
        _ file: DurableFile
    ) throws(TapcardError) -> (content: Content, savesChanges: Bool, mode: UInt32) {
        func unreadable(_ error: FileError) -> TapcardError {
            TapcardError(
                .fileUnusable, "The tag's file cannot be read: \(error.detail).",
                meaning: nothing, advice: "Specify a dump that you can read and write.")
        }
        let isStream = file.path == DurableFile.standardStream
        let content = try translating(
            file.readStream(limit: TagDump.maximumTextBytes), into: unreadable)
        let mode = isStream ? 0 : try translating(file.permissions(), into: unreadable)
        guard let bytes = content, let mode else {
            throw TapcardError(
                .fileUnusable, "The file \(file.path) does not exist.", meaning: nothing,
                advice: "Specify a dump or a chip: \(Chip.listed).")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // An NTAG 424 has no pages, so its file has a different format.
        if text.hasPrefix(NTAG424Memory.heading) {
            guard let chip = NTAG424Memory(parsing: text) else {
                throw TapcardError(
                    .fileUnusable,
                    "The NTAG 424 file \(file.path) is incomplete: lines are missing or were "
                        + "changed.",
                    meaning: nothing,
                    advice: "To make a complete one, run: tapcard emulate --tell dump")
            }
            return (.chip(chip), !isStream, mode)
        }
        do throws(Type2Error) {
            let (dump, format) = try TagDump.reading(bytes)
            return (.tag(try dump.memory()), format == .text && !isStream, mode)
        } catch {
            let reason =
                error.kind == .unreadPage ? "\(error.detail) could not be read" : error.detail
            let name = file.path == DurableFile.standardStream ? "Standard input" : file.path
            throw TapcardError(
                .fileUnusable, "\(name) is not a complete dump: \(reason).",
                meaning: nothing, advice: "To make a complete one, run: tapcard tag dump")
        }
    }
}
