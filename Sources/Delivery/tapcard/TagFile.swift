import DurableFile
import SimulatedField
import TapcardCore
import TapcardDomain
import Type2Tag
import Verbs

/// The file of an emulated tag: it keeps what is written to the tag for the next run. A dump of
/// another program's format is read-only, because it cannot express all states of a tag.
struct TagFile {
    private static let writable: UInt32 = 0o222
    private static let nothing = "Nothing is played."

    let tag: TagMemory
    /// Whether changes of the tag are saved.
    let isKept: Bool
    private let file: DurableFile
    private let mode: UInt32

    /// Refuses incomplete dumps and write-protected files.
    init(_ path: String) throws(TapcardError) {
        file = DurableFile(path)
        (tag, isKept, mode) = try TagFile.read(file)
        guard !isKept || mode & TagFile.writable != 0 else {
            throw TapcardError(
                .fileUnusable,
                "\(path) may not be written, and what is written to a tag goes there.",
                meaning: TagFile.nothing, advice: "chmod u+w it, or play a copy.")
        }
    }

    /// Saves the tag with the current permissions of its file.
    func save(_ world: Simulation, _ complain: @Sendable (String) -> Void) {
        guard let tag = world.tag(tag.uid) else { return }
        let text = TagDump(memory: tag, withSecrets: true).text
        do {
            // The permissions may have changed in the meantime, or the file may be gone.
            let mode = try file.permissions() ?? mode
            // Not durable: a write lost in a power cut is like a torn tag.
            try file.write(Array(text.utf8), mode: mode, durable: false)
        } catch {
            complain("The tag's file cannot be written: \(error.detail).")
        }
    }

    private static func read(
        _ file: DurableFile
    ) throws(TapcardError) -> (tag: TagMemory, isKept: Bool, mode: UInt32) {
        let found: (bytes: [UInt8]?, mode: UInt32?)
        do throws(FileError) {
            let isStream = file.path == DurableFile.standardStream
            found = (
                try file.readStream(limit: TagDump.longestText),
                isStream ? 0 : try file.permissions()
            )
        } catch {
            throw TapcardError(
                .fileUnusable, "The tag's file cannot be read: \(error.detail).",
                meaning: nothing, advice: "Name a dump that you may read and write.")
        }
        guard let bytes = found.bytes, let mode = found.mode else {
            throw TapcardError(
                .fileUnusable, "There is no file \(file.path).", meaning: nothing,
                advice: "Name a dump, or a chip: \(Chip.listed).")
        }
        do throws(Type2Error) {
            let (dump, format) = try TagDump.reading(bytes)
            let isKept = format == .text && file.path != DurableFile.standardStream
            return (try dump.memory(), isKept, mode)
        } catch {
            let reason =
                error.kind == .unreadPage ? "\(error.detail) could not be read" : error.detail
            let name = file.path == DurableFile.standardStream ? "Standard input" : file.path
            throw TapcardError(
                .fileUnusable, "\(name) is no dump of a whole tag: \(reason).",
                meaning: nothing, advice: "tapcard tag dump makes one.")
        }
    }
}
