import Glibc

/// A way in which another user could use a file.
public enum FileExposure: Sendable, Hashable {
    /// The file belongs to another user, who can grant himself any permission.
    case foreign
    /// These are its permissions.
    case permitted(UInt32)

    /// The danger to a file that only its user may write, as the end of a sentence.
    public var words: String {
        switch self {
        case .foreign: "it belongs to another user"
        case .permitted(let mode): "other users can write to it (mode \(String(mode, radix: 8)))"
        }
    }
}

/// A folder on the way to a file in which another user could replace the file.
public struct ExposedFolder: Sendable, Hashable {
    public let path: String
    public let permissions: UInt32
    /// Whether the folder belongs to another user; otherwise its permissions let others write.
    public let isForeign: Bool

    /// Whether it is shared by many users, who can each remove only their own files (the sticky
    /// bit).
    public var isShared: Bool { permissions & DurableFile.sticky != 0 }
}

extension DurableFile {
    private static let groupOrOthersWrite: UInt32 = 0o022
    private static let othersWrite: UInt32 = 0o002
    fileprivate static let sticky: UInt32 = 0o1000
    static let root: UInt32 = 0
    /// The user number of files whose owner is unknown in this namespace, such as a volume of a
    /// container's host.
    static let unmapped: UInt32 = 65_534

    /// The nearest folder in which another user could replace this file. `nil` if only root and
    /// this user could. A link is checked both where it is and where it leads to.
    ///
    /// With `mayShare` the file's group may write to the folder of the file.
    public func exposedFolder(mayShare: Bool = false) -> ExposedFolder? {
        let real = (try? resolved()) ?? self
        // A sticky folder protects the files in it, but lets others put a journal next to them.
        let writing = mayShare ? DurableFile.othersWrite : DurableFile.groupOrOthersWrite
        // Where the link is, somebody could replace the link; where it leads, the file.
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
            // Groups of parent folders are ignored: on some distributions every user has one of
            // their own.
            guard let status = try? FileStatus.of(parent), status.isFolder,
                status.permissions & DurableFile.sticky == 0,
                let exposed = status.exposed(parent, to: DurableFile.othersWrite)
            else { continue }
            return exposed
        }
        return nil
    }

    /// The parents of a folder, the nearest first, as its path names them.
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
    /// Whether the path is that of a folder.
    public var isFolder: Bool {
        get throws(FileError) { try FileStatus.of(path)?.isFolder ?? false }
    }
}

extension FileStatus {
    /// The folder with this status, if others may write to it or it belongs to another user.
    fileprivate func exposed(_ path: String, to writing: UInt32) -> ExposedFolder? {
        guard !isOurs || permissions & writing != 0 else { return nil }
        return ExposedFolder(path: path, permissions: permissions, isForeign: !isOurs)
    }
}
