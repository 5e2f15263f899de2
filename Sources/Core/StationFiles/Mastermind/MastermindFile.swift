import OperatingSystem
import TapcardCore
import TextCodecs

/// The file for a station's data of Mastermind: readable by its owner only, or refused.
struct MastermindFile: Sendable {
    private static let mode: UInt32 = 0o600
    private static let othersMayRead: UInt32 = 0o077

    let path: String
    /// The callback for messages to a person: that the file was damaged, and its new place.
    let note: @Sendable (String) -> Void

    func load() throws(TapcardError) -> MastermindBook {
        if let book = try loadIfSound() { return book }
        return try alone { () throws(TapcardError) in try loadOrSetAside() }
    }

    /// Reads the file, lets the body change its content, and writes it, while no other process does
    /// so.
    func change<Success>(
        _ body: (inout MastermindBook) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try alone { () throws(TapcardError) in
            let old = try loadOrSetAside()
            var book = old
            let success = try body(&book)
            if book != old { try save(book) }
            return success
        }
    }

    /// Nil for a damaged file.
    private func loadIfSound() throws(TapcardError) -> MastermindBook? {
        let file = DurableFile(path)
        let bytes: [UInt8]
        do {
            switch try file.exposure(MastermindFile.othersMayRead) {
            case .permitted(let mode):
                throw refusal(
                    "The file \(path) can be read by others (mode \(String(mode, radix: 8))).",
                    .makePrivate(.games, path))
            case .foreign:
                throw refusal(
                    "The file \(path) belongs to another user.", .letOwnerRun(.games))
            case nil: break
            }
            guard let found = try file.read(limit: JSONValue.sizeLimit) else {
                return MastermindBook()
            }
            bytes = found
        } catch let error as TapcardError {
            throw error
        } catch let error as FileError {
            if error.kind == .tooLarge { return nil }
            throw refusal(
                "The file of your games cannot be read: \(error.detail).",
                .letOwnerRun(.games))
        } catch {
            throw refusal("The file of your games cannot be read: \(error).")
        }
        guard let document = try? JSONValue.parsing(bytes) else { return nil }
        if let format = document["format"]?.string, format != MastermindBook.format,
            format.hasPrefix(MastermindBook.formatPrefix)
        {
            throw refusal(
                "The file \(path) was written by a newer tapcard.",
                .useNewerVersion(.games))
        }
        return MastermindBook(document)
    }

    private func loadOrSetAside() throws(TapcardError) -> MastermindBook {
        if let book = try loadIfSound() { return book }
        let other = path + ".damaged"
        do {
            try DurableFile(path).move(to: other)
        } catch {
            throw refusal(
                "The file \(path) is damaged and cannot be set aside: \(error.detail).",
                .restore(.games))
        }
        note(
            "The file of your Mastermind games was damaged: it lies at \(other) now. The games "
                + "that were in it are still at the service; log in again.")
        return MastermindBook()
    }

    private func alone<Success>(
        _ body: () throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try FileLock.holding(
            path + ".lock",
            orThrow: { error in
                refusal(
                    "The file of your games cannot be locked: \(error.detail).",
                    .makeRoom(.games))
            }, body)
    }

    private func save(_ book: MastermindBook) throws(TapcardError) {
        do {
            try DurableFile(path).write(
                Array((book.document.text + "\n").utf8), mode: MastermindFile.mode)
        } catch {
            throw refusal(
                "The file of your games cannot be written: \(error.detail).",
                .makeRoom(.games))
        }
    }

    private func refusal(_ what: String, _ step: NextStep.FileStep? = nil) -> TapcardError {
        TapcardError(
            .fileUnusable, what, meaning: "Without it tapcard plays no Mastermind.",
            next: step.map { [.file($0)] } ?? [])
    }
}
