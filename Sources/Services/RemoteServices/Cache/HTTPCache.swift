import BlockingLane
package import DurableFile
import Glibc
package import TapcardDomain
import TextCodecs

/// A disk cache of answers from services, one file for each address.
///
/// A file is replaced as a whole but not forced to the disk: damage from a power cut is detected by
/// its checksum, and the answer is fetched again.
package actor HTTPCache {
    /// The limits of the cache size.
    package struct Limits: Hashable, Sendable {
        package let entries: Int
        package let bytes: Int

        package init(entries: Int = 16, bytes: Int = 4_194_304) {
            (self.entries, self.bytes) = (entries, bytes)
        }
    }

    private let folder: String
    private let limits: Limits
    private nonisolated let lane = BlockingLane(label: "tapcard.http-cache")

    /// The most bytes in a file: a body and some metadata.
    private static let longestFile = AnswerSink.longestBody + AnswerSink.longestHead * 2
    private static let suffix = ".cache"
    /// The age after which a temporary file counts as left over from a killed process.
    private static let leftOverAge: Int64 = 3_600_000

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// The folder is created with the first entry.
    package init(folder: String, limits: Limits = Limits()) {
        (self.folder, self.limits) = (folder, limits)
    }

    /// The entry of this address, if it exists.
    package func entry(for url: String) throws(CacheDamage) -> CacheEntry? {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try file(for: url).read(limit: HTTPCache.longestFile)
        } catch {
            throw .unreadable(error.detail)
        }
        guard let bytes else { return nil }
        let entry = try CacheEntry(parsing: bytes)
        guard entry.url == url else { throw .ofAnotherAddress }
        return entry
    }

    /// Stores an entry, and removes others to make room.
    package func store(_ entry: CacheEntry, at now: Timestamp) throws(FileError) {
        try DurableFile.makeFolder(folder)
        try file(for: entry.url).write(entry.bytes, mode: 0o600, durable: false)
        removeOldest(keeping: name(for: entry.url), at: now)
    }

    package func remove(_ url: String) throws(FileError) {
        try file(for: url).remove()
    }

    private func name(for url: String) -> String {
        Checksum.of(url.utf8) + HTTPCache.suffix
    }

    private func file(for url: String) -> DurableFile {
        DurableFile("\(folder)/\(name(for: url))")
    }

    private struct Kept {
        let name: String
        let size: Int
        let written: Timestamp
    }

    private func removeOldest(keeping newest: String, at now: Timestamp) {
        let files = names().compactMap(kept)
        var count = 0
        var bytes = 0
        let entries = files.filter { $0.name.hasSuffix(HTTPCache.suffix) }.sorted { left, right in
            left.name == newest || (right.name != newest && left.written > right.written)
        }
        for entry in entries {
            count += 1
            bytes += entry.size
            let fits = count <= limits.entries && bytes <= limits.bytes
            if !fits, entry.name != newest { discard(entry.name) }
        }
        for file in files where !file.name.hasSuffix(HTTPCache.suffix) {
            let age = now.millisecondsSince(file.written)
            if age > HTTPCache.leftOverAge || now < file.written { discard(file.name) }
        }
    }

    private func discard(_ name: String) {
        // A file that remains only takes room, and the next store tries again.
        try? DurableFile("\(folder)/\(name)").remove()
    }

    /// A cache file or its temporary file. Nil for any other file.
    private func kept(_ name: String) -> Kept? {
        let stem = name.prefix(Checksum.digits)
        let rest = name.dropFirst(Checksum.digits)
        guard stem.utf8.count == Checksum.digits, stem.allSatisfy(\.isHexDigit),
            rest == HTTPCache.suffix
                || (rest.hasPrefix(HTTPCache.suffix + ".") && rest.hasSuffix(".new"))
        else { return nil }
        var status = stat()
        guard unsafe lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let written =
            Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        return Kept(
            name: name, size: Int(status.st_size), written: Timestamp(milliseconds: written))
    }

    private func names() -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                    unsafe bytes.withMemoryRebound(
                        to: CChar.self,
                        capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)
                    ) { unsafe String(cString: $0) }
                })
        }
        return names
    }
}
