import Glibc

/// The user and groups of a process that wants to open a device. Tests supply their own.
public struct Credentials: Sendable, Hashable {
    public let uid: UInt32
    public let groups: Set<UInt32>

    public init(uid: UInt32, groups: Set<UInt32>) {
        self.uid = uid
        self.groups = groups
    }

    /// Whether a file's mode alone allows this user to read and write it.
    func mayOpen(owner: UInt32, group: UInt32, mode: UInt32) -> Bool {
        // The mode does not restrict root.
        if uid == 0 { return true }
        let bits: UInt32 =
            // As in the kernel, only the first class that applies counts: an owner without access
            // does not get it through the group.
            if uid == owner {
                mode >> 6
            } else if groups.contains(group) {
                mode >> 3
            } else {
                mode
            }
        return bits & 0o6 == 0o6
    }
}

/// Looks up the names of users and groups. If there is no name, the number is used.
enum AccountNames {
    private static let bufferInBytes = 65_536

    static func user(_ uid: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: bufferInBytes)
        let name = unsafe buffer.withUnsafeMutableBufferPointer { storage -> String? in
            guard let start = storage.baseAddress,
                unsafe getpwuid_r(uid, &entry, start, storage.count, &found) == 0,
                let found = unsafe found
            else { return nil }
            return unsafe String(cString: found.pointee.pw_name)
        }
        return name ?? String(uid)
    }

    static func group(_ gid: UInt32) -> String {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: bufferInBytes)
        let name = unsafe buffer.withUnsafeMutableBufferPointer { storage -> String? in
            guard let start = storage.baseAddress,
                unsafe getgrgid_r(gid, &entry, start, storage.count, &found) == 0,
                let found = unsafe found
            else { return nil }
            return unsafe String(cString: found.pointee.gr_name)
        }
        return name ?? String(gid)
    }
}
