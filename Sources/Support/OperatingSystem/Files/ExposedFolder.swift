import Glibc

/// A way in which another user could use a file.
public enum FileExposure: Sendable, Hashable {
    /// The file belongs to another user, who can grant themselves any permission.
    case foreign
    /// Its permissions are these.
    case permitted(UInt32)

    /// The danger to a file that only its user should be able to write, as the end of a sentence.
    public var words: String {
        switch self {
        case .foreign: "it belongs to another user"
        case .permitted(let mode): "other users can write to it (mode \(String(mode, radix: 8)))"
        }
    }
}

/// A folder on the path to a file in which another user could replace the file.
public struct ExposedFolder: Sendable, Hashable {
    public let path: String
    public let permissions: UInt32
    /// Whether the folder belongs to another user; otherwise its permissions let others write.
    public let isForeign: Bool

    /// Whether it is shared by many users, each of whom can remove only their own files (the sticky
    /// bit).
    public var isShared: Bool { permissions & DurableFile.sticky != 0 }
}

extension DurableFile {
    private static let groupOrOthersWrite: UInt32 = 0o022
    private static let othersWrite: UInt32 = 0o002
    fileprivate static let sticky: UInt32 = 0o1000
    static let root: UInt32 = 0
    /// The user ID of files whose owner is unknown in this namespace, such as those on a volume
    /// from a container's host.
    static let unmapped: UInt32 = 65_534

    /// The nearest folder in which another user could replace this file. `nil` if only root and
    /// this user could. A link is checked both where it is and where it leads.
    ///
    /// With `mayShare`, the file's group may write to the file's folder.
    public func exposedFolder(mayShare: Bool = false) -> ExposedFolder? {
        let real = (try? resolved()) ?? self
        // A sticky folder protects the files in it, but allows others to put a journal next to
        // them.
        let writing = mayShare ? DurableFile.othersWrite : DurableFile.groupOrOthersWrite
        // Where the link is, someone could replace the link; where it leads, the file.
        for holder in [folder, real.folder] {
            if let status = try? FileStatus.of(holder), status.isFolder,
                let exposed = status.exposed(holder, to: writing)
            {
                return exposed
            }
        }
        let ways = [folder, real.folder].flatMap { holder in
            [holder, (try? DurableFile(holder).resolved().path) ?? holder]
        }
        for parent in ways.flatMap(DurableFile.parents) {
            // The groups of parent folders are ignored: on some distributions, every user has their
            // own group.
            guard let status = try? FileStatus.of(parent), status.isFolder,
                status.permissions & DurableFile.sticky == 0,
                let exposed = status.exposed(parent, to: DurableFile.othersWrite)
            else { continue }
            return exposed
        }
        return nil
    }

    /// The parents of a folder, nearest first, as they appear in its path.
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
    /// Whether the path leads to a folder.
    public var isFolder: Bool {
        get throws(FileError) { try FileStatus.of(path)?.isFolder ?? false }
    }
}

extension FileStatus {
    /// The folder with this status, if others may write to it or if it belongs to another user.
    fileprivate func exposed(_ path: String, to writing: UInt32) -> ExposedFolder? {
        guard !isOurs || permissions & writing != 0 else { return nil }
        return ExposedFolder(path: path, permissions: permissions, isForeign: !isOurs)
    }
}
