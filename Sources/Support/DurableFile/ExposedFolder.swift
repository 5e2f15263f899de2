import Glibc

/// A folder on the way to a file in which somebody else could put another file in its place.
public struct ExposedFolder: Sendable, Hashable {
    public let path: String
    public let permissions: UInt32
    /// Whether the folder belongs to somebody else; otherwise its permissions let others write.
    public let isForeign: Bool

    /// Whether it is meant for many users: each can only remove files of their own (the sticky bit).
    public var isShared: Bool { permissions & DurableFile.sticky != 0 }
}

extension DurableFile {
    private static let groupOrOthersWrite: UInt32 = 0o022
    private static let othersWrite: UInt32 = 0o002
    fileprivate static let sticky: UInt32 = 0o1000
    static let root: UInt32 = 0
    /// The owner of all that has none in this namespace, such as a volume of a container's host.
    private static let unmapped: UInt32 = 65_534

    /// The nearest folder in which somebody else could put another file in the place of this one;
    /// nil where only root, this user and the file's owner could. A link counts where it lies and
    /// where it leads to.
    ///
    /// With `mayShare` the file's group may write to the folder that holds it.
    public func exposedFolder(mayShare: Bool = false) -> ExposedFolder? {
        var owners: Set = [DurableFile.root, DurableFile.unmapped, geteuid()]
        // Of a file that is not there yet, its folder is all that can be judged.
        if let number = try? owner() { owners.insert(number) }
        let real = (try? resolved()) ?? self
        // A sticky folder keeps the files in it, but lets others put a journal next to them.
        let writing = mayShare ? DurableFile.othersWrite : DurableFile.groupOrOthersWrite
        for holder in [folder, real.folder] {
            if let status = try? FileStatus.of(holder), status.isFolder,
                let exposed = status.exposed(holder, to: writing, owners)
            {
                return exposed
            }
        }
        let ways = [folder, real.folder].flatMap { holder in
            [holder, (try? DurableFile(holder).resolved().path) ?? holder]
        }
        for parent in ways.flatMap(DurableFile.parents) {
            // Groups are let be above: with some distributions every user has one of their own.
            guard let status = try? FileStatus.of(parent), status.isFolder,
                status.permissions & DurableFile.sticky == 0,
                let exposed = status.exposed(parent, to: DurableFile.othersWrite, owners)
            else { continue }
            return exposed
        }
        return nil
    }

    /// The folders above a folder, the nearest first, as its path names them.
    private static func parents(of folder: String) -> [String] {
        var (parents, last) = ([String](), folder)
        while true {
            let next = DurableFile(last).folder
            guard next != last else { return parents }
            parents.append(next)
            last = next
        }
    }
}

extension DurableFile {
    /// Whether a folder has this name.
    public var isFolder: Bool {
        get throws(FileError) { try FileStatus.of(path)?.isFolder ?? false }
    }
}

extension FileStatus {
    /// The folder with this status where others may write to it so, or it is none of these owners'.
    fileprivate func exposed(
        _ path: String, to writing: UInt32, _ owners: Set<UInt32>
    ) -> ExposedFolder? {
        let isForeign = !owners.contains(owner)
        guard isForeign || permissions & writing != 0 else { return nil }
        return ExposedFolder(path: path, permissions: permissions, isForeign: isForeign)
    }
}
