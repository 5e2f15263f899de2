import OperatingSystem
import TapcardCore
import TextCodecs

/// The file that holds a station's Mastermind data. The file is rejected if anyone but its owner
/// can access it.
struct MastermindFile: Sendable {
    private let file: PrivateFile
    private let note: @Sendable (String) -> Void

    /// `note` is called with a message for the user if a damaged file has been moved aside.
    init(path: String, note: @escaping @Sendable (String) -> Void) {
        file = PrivateFile(
            path: path, secret: .games, kind: .fileUnusable, name: "The Mastermind games file",
            meaning: "Mastermind cannot be played without this file.",
            unchanged: "The file was not changed.")
        self.note = note
    }

    func load() throws(TapcardError) -> MastermindBook {
        if let book = try loadIfIntact() { return book }
        // The file is read again under the lock, because another process may have moved it aside or
        // rewritten it.
        return try file.withExclusiveLock(loadOrSetAside)
    }

    /// Reads the file, lets the body change its contents, and writes it back, while holding a lock
    /// that keeps other processes from changing it.
    func change<Success>(
        _ body: (inout MastermindBook) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try file.withExclusiveLock { () throws(TapcardError) in
            let old = try loadOrSetAside()
            var book = old
            let success = try body(&book)
            if book != old { try file.write(book.document.text + "\n") }
            return success
        }
    }

    /// The stored data; nil if the file is damaged.
    private func loadIfIntact() throws(TapcardError) -> MastermindBook? {
        try file.requirePrivate()
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try DurableFile(file.path).read(limit: JSONValue.sizeLimit)
        } catch {
            // tapcard never writes a file this large.
            if error.kind == .tooLarge { return nil }
            throw file.unreadable(error)
        }
        guard let bytes else { return MastermindBook() }
        guard let document = try? JSONValue.parsing(bytes) else { return nil }
        // A file from a newer version is not damaged, so it must not be moved aside.
        if let format = document["format"]?.string, format != MastermindBook.format,
            format.hasPrefix(MastermindBook.formatPrefix)
        {
            throw file.refusal(
                "\(file.named) is from a newer version of tapcard.", .useNewerVersion(.games))
        }
        return MastermindBook(document)
    }

    private func loadOrSetAside() throws(TapcardError) -> MastermindBook {
        if let book = try loadIfIntact() { return book }
        let other = file.path + ".damaged"
        try translating(DurableFile(file.path).move(to: other)) { (error: FileError) in
            file.refusal(
                "\(file.named) is damaged and could not be moved aside: \(error.detail).",
                .restore(.games))
        }
        note(
            "The damaged Mastermind games file was moved to \(other). The service still has the "
                + "games; log in again to continue them.")
        return MastermindBook()
    }
}
