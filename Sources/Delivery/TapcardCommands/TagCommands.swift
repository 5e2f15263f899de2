import DurableFile
import TapcardCore
import TapcardDomain
import TextCodecs
import Type2Tag

extension Command {
    static let tagCommands: [Command] = [
        Command(
            "tag info", group: .tags, "Show what a tag says of itself, whoever wrote it",
            discussion: "A true signature proves who made the chip, not that the card is no copy.",
            example: "tapcard tag info"
        ) { session throws(TapcardError) in try await session.tagInfo() },
        Command(
            "tag dump", group: .tags, "Print a tag's memory as text, or keep it in a file",
            discussion: "A Flipper's .nfc file and a Proxmark3's JSON show a page that could not "
                + "be read only behind all those that could.",
            arguments: [
                CommandArgument(
                    name: "FILE", help: "Where to keep it; must not exist", isRequired: false,
                    completesFiles: true)
            ],
            options: [
                CommandOption(
                    name: "format", value: "FORMAT",
                    help: "tapcard's own text, or a file for a Flipper Zero or a Proxmark3",
                    choices: TagDump.Format.allCases.map(\.rawValue))
            ],
            example: "tapcard tag dump card.nfc --format flipper"
        ) { session throws(TapcardError) in try await session.dump() },
        Command(
            "tag restore", group: .tags, "Put the user pages of a dump back onto a tag",
            discussion: "Lock bits, capability container, configuration and passwords are never "
                + "written. An old state of a card that is put back is found out at the next tap.",
            arguments: [
                CommandArgument(
                    name: "FILE", help: "The dump: tapcard's own, a Flipper's or a Proxmark3's",
                    completesFiles: true)
            ],
            options: [.overwrite], example: "tapcard tag restore card.txt --overwrite"
        ) { session throws(TapcardError) in try await session.restore() },
        Command(
            "tag format", group: .tags, "Make a tag blank again",
            discussion: "Refused for a card that is in use: pay it out with tapcard close first.",
            options: [.overwrite], example: "tapcard tag format"
        ) { session throws(TapcardError) in
            let uid = try await session.station()
                .format(overwriting: session.command.flag("overwrite"))
            return Report(
                [JSONMember(key: "uid", value: .text(uid))], ["Tag \(uid) is blank"])
        },
    ]
}

extension Session {
    fileprivate func tagInfo() async throws(TapcardError) -> Report {
        let info = try await station().tagInfo()
        func yes(_ value: Bool) -> String { value ? "yes" : "no" }
        let version = info.version.map(Hexadecimal.encode)
        return Report(
            [
                JSONMember(key: "uid", value: .text(info.uid)),
                JSONMember(key: "chip", value: .string(info.chip.name)),
                JSONMember(key: "version", value: .text(version)),
                JSONMember(key: "originality", value: .string(info.originality.rawValue)),
                JSONMember(key: "pages", value: .number(info.chip.pageCount)),
                JSONMember(key: "ndef", value: .string(info.ndef)),
                JSONMember(key: "locked", value: .bool(info.isLocked)),
                JSONMember(key: "protected", value: .bool(info.isProtected)),
                JSONMember(key: "counter", value: .number(info.counter)),
            ],
            [
                "\(info.chip.name), number \(info.uid)",
                "\(info.chip.pageCount) pages of 4 bytes, \(info.chip.userPages.count) for users",
                "Maker's signature: \(info.originality.rawValue) "
                    + "(it proves who made the chip, not that the card is no copy)",
                "Holds: \(info.ndef)",
                "Locked: \(yes(info.isLocked)); protected by a password: \(yes(info.isProtected))",
            ])
    }

    fileprivate func dump() async throws(TapcardError) -> Report {
        let path = command.argument("FILE")
        if let path { try requireNew(path) }
        let dump = try await station().dump()
        let format = command.option("format").flatMap(TagDump.Format.init) ?? .text
        let text: String
        do throws(Type2Error) {
            text = try dump.written(as: format)
        } catch {
            throw TapcardError(
                .failed, "The format \(format.rawValue) cannot tell \(error.detail).",
                meaning: "No dump was made.", advice: "Use --format text.")
        }
        guard let path else {
            return Report(
                [
                    JSONMember(key: "uid", value: .string(Hexadecimal.encode(dump.uid))),
                    JSONMember(key: "chip", value: .string(dump.chip.name)),
                    JSONMember(key: "dump", value: .string(text)),
                ], [String(text.dropLast())], isPlain: true)
        }
        try writing(path) { file throws(FileError) in try file.write(Array(text.utf8)) }
        return Report(
            [
                JSONMember(key: "uid", value: .string(Hexadecimal.encode(dump.uid))),
                JSONMember(key: "chip", value: .string(dump.chip.name)),
                JSONMember(key: "file", value: .string(path)),
            ], ["Dumped \(dump.chip.name) \(Hexadecimal.encode(dump.uid)) to \(path)"])
    }

    fileprivate func restore() async throws(TapcardError) -> Report {
        let path = command.argument("FILE") ?? ""
        let dump: TagDump
        do {
            dump = try TagDump.reading(try content(of: path)).dump
        } catch let error as TapcardError {
            throw error
        } catch {
            throw TapcardError(
                .fileUnusable,
                "\(path) is no dump: \((error as? Type2Error)?.detail ?? "\(error)").",
                meaning: "Nothing was written to a tag.")
        }
        let uid = try await station().restore(dump, overwriting: command.flag("overwrite"))
        return Report(
            [JSONMember(key: "uid", value: .text(uid))], ["Restored \(path) onto tag \(uid)"])
    }

    /// A file that someone named; missing is an error here.
    func content(of path: String) throws(TapcardError) -> [UInt8] {
        do {
            if let bytes = try DurableFile(path).read() { return bytes }
        } catch {
            throw TapcardError(
                .fileUnusable, "The file cannot be read: \(error.detail).",
                meaning: "Nothing was done.")
        }
        throw missing(path)
    }

    func requireFile(_ path: String) throws(TapcardError) {
        guard (try? DurableFile(path).permissions()) != nil else { throw missing(path) }
    }

    private func missing(_ path: String) -> TapcardError {
        TapcardError(.fileUnusable, "There is no file \(path).", meaning: "Nothing was done.")
    }

    /// Nothing is written over silently.
    func requireNew(_ path: String) throws(TapcardError) {
        guard (try? DurableFile(path).permissions()) == nil else {
            throw TapcardError(
                .fileUnusable, "\(path) exists already.", meaning: "Nothing was done.",
                advice: "Name another file.")
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard (try? DurableFile(folder).permissions()) != nil else {
            throw TapcardError(
                .fileUnusable, "There is no folder \(folder) for \(path).",
                meaning: "Nothing was done.", advice: "Make it, or name another file.")
        }
    }

    func writing(
        _ path: String, _ body: (DurableFile) throws(FileError) -> Void
    ) throws(TapcardError) {
        do {
            try body(DurableFile(path))
        } catch {
            throw TapcardError(
                .fileUnusable, "The file cannot be written: \(error.detail).",
                meaning: "No such file was made.")
        }
    }
}
