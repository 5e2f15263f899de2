import OperatingSystem
import StationFiles
import TapcardCore

/// Caches a list file, which every request needs. Rereads the file only when it has changed.
struct KnownEntries<File: ListFile> {
    private var stamp: DurableFile.Stamp?
    private var entries: [File.Entry]?

    mutating func entries(in file: File) throws(TapcardError) -> [File.Entry] {
        let now = try file.stamp()
        if let entries, now == stamp { return entries }
        // If loading fails, the next call must not return the old entries.
        entries = nil
        // The stamp is taken before the file is read, so the next call notices a change in between.
        stamp = now
        let found = try file.load()
        entries = found
        return found
    }
}
