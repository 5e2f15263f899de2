import Glibc

/// How a file is exposed to another user.
public enum FileExposure: Sendable, Hashable {
    /// The file belongs to another user, who can grant themselves any permission.
    case foreign
    /// The file has these permissions, which let others access it.
    case permitted(UInt32)

    /// The exposure as the end of a sentence, for a file that only its owner should be able to
    /// write to.
    public var words: String {
        switch self {
        case .foreign: "it belongs to another user"
        case .permitted(let mode): "other users can write to it (mode \(String(mode, radix: 8)))"
        }
    }
}

/// A folder on a file's path that lets another user replace the file.
public struct ExposedFolder: Sendable, Hashable {
    public let path: String
    public let permissions: UInt32
    /// Whether the folder belongs to another user; if not, its permissions let others write to it.
    public let isForeign: Bool

    /// Whether the folder is shared by many users, each of whom can remove only their own files
    /// (the sticky bit).
    public var isShared: Bool { permissions & DurableFile.sticky != 0 }
}

extension DurableFile {
    private static let groupOrOthersWrite: UInt32 = 0o022
    private static let othersWrite: UInt32 = 0o002
    fileprivate static let sticky: UInt32 = 0o1000
    static let root: UInt32 = 0
    /// The user ID that is reported for an owner who is unknown in this namespace, as on a volume
    /// from a container's host.
    static let unmapped: UInt32 = 65_534

    /// The nearest folder that lets another user replace this file. `nil` if only root and this
    /// user could. For a link, both its own folder and its target's are checked.
    ///
    /// With `allowsGroup`, it is acceptable that the group can write to the file's folder.
    public func exposedFolder(allowsGroup: Bool = false) -> ExposedFolder? {
        let real = (try? resolved()) ?? self
        // Here, the sticky bit is not enough: it protects the files in the folder, but others can
        // put a journal next to them.
        let writing = allowsGroup ? DurableFile.othersWrite : DurableFile.groupOrOthersWrite
        // Someone could replace the link in its folder, or the file in the target's folder.
        for container in [folder, real.folder] {
            if let status = try? FileStatus.of(container), status.isFolder,
                let exposed = status.exposed(container, to: writing)
            {
                return exposed
            }
        }
        let starts = [folder, real.folder].flatMap { container in
            [container, (try? DurableFile(container).resolved().path) ?? container]
        }
        for parent in starts.flatMap(DurableFile.parents) {
            // Group permissions are ignored for parent folders, because on some distributions,
            // every user has their own group.
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
            // "/" and "." are their own parents.
            guard next != last else { return parents }
            parents.append(next)
            last = next
        }
    }
}

extension DurableFile {
    /// Whether there is a folder at this path.
    public var isFolder: Bool {
        get throws(FileError) { try FileStatus.of(path)?.isFolder ?? false }
    }
}

extension FileStatus {
    /// The folder with this status, if others can write to it or if it belongs to another user.
    fileprivate func exposed(_ path: String, to writing: UInt32) -> ExposedFolder? {
        guard !hasTrustedOwner || permissions & writing != 0 else { return nil }
        return ExposedFolder(path: path, permissions: permissions, isForeign: !hasTrustedOwner)
    }
}
