import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain

/// A file given on the command line; `-` is standard input or output.
struct NamedFile {
    let path: String

    init(_ path: String) { self.path = path }

    var isStream: Bool { path == DurableFile.standardStream }

    /// The file's name, for use in a sentence.
    var displayName: String { isStream ? "standard input" : path }

    /// The contents of the file. Throws if the file does not exist.
    func content() throws(TapcardError) -> [UInt8] {
        do {
            if let bytes = try DurableFile(path).readStream() { return bytes }
        } catch {
            // Reading from standard input can block until the user presses Ctrl-C.
            if error.kind == .cancelled {
                throw TapcardError(.cancelled, "Canceled.", meaning: "Nothing was done.")
            }
            throw TapcardError(
                .fileUnusable, "The file cannot be read: \(error.detail).",
                meaning: "Nothing was done.")
        }
        throw missing
    }

    func write(_ text: String) throws(TapcardError) {
        try translating(DurableFile(path).write(Array(text.utf8))) { (error: FileError) in
            TapcardError.unwritten("The file", error, meaning: "No file was created.")
        }
    }

    /// Requires the file to exist.
    func requireExisting() throws(TapcardError) {
        guard isStream || (try? DurableFile(path).permissions()) != nil else { throw missing }
    }

    private var missing: TapcardError {
        TapcardError(
            .fileUnusable, "The file \(path) does not exist.", meaning: "Nothing was done.")
    }

    /// Refuses to overwrite an existing file.
    func requireAbsent() throws(TapcardError) {
        if isStream { return }
        guard (try? DurableFile(path).permissions()) == nil else {
            throw TapcardError(
                .fileUnusable, "The file \(path) already exists.", meaning: "Nothing was done.",
                advice: "Choose another name.")
        }
        // If this were not checked here, a missing folder would go unnoticed until after a tag had
        // been read or keys created.
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard (try? DurableFile(folder).permissions()) != nil else {
            throw TapcardError(
                .fileUnusable, "The folder \(folder) does not exist.",
                meaning: "Nothing was done.", advice: "Create the folder, or choose another name.")
        }
    }

    /// Refuses `--json` if the contents go to standard output, because the contents and a JSON
    /// document cannot both go there.
    func requireOutput(_ what: String, _ outputOptions: OutputOptions) throws(TapcardError) {
        guard isStream, outputOptions.isJSON else { return }
        throw TapcardError.usage(
            "\(what) and a JSON document cannot both go to standard output.",
            advice: "Leave out --json, or specify a file.")
    }
}

extension DurableFile {
    /// Whether the file exists; also true if that cannot be determined.
    var mayExist: Bool {
        do {
            return try permissions() != nil
        } catch {
            // A file that cannot be examined must not be treated as missing.
            return true
        }
    }
}
