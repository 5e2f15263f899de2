import OperatingSystem
import StationFiles
import TapcardCore

/// A cache of a list's entries, because every request needs them. The file is reread when it
/// changes.
struct KnownEntries<File: ListFile> {
    private var stamp: DurableFile.Stamp?
    private var entries: [File.Entry]?

    mutating func entries(in file: File) throws(TapcardError) -> [File.Entry] {
        let now = try file.stamp()
        if let entries, now == stamp { return entries }
        // If loading fails, the old list must not be used in its place.
        entries = nil
        // The stamp was taken before the file is read, so a change made in between is noticed next
        // time.
        stamp = now
        let found = try file.load()
        entries = found
        return found
    }
}
