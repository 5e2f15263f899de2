/// A file in /dev, and whether this user is allowed to open it.
public struct DeviceNode: Sendable, Hashable {
    /// This user's access to the file.
    public enum Access: Sendable, Hashable {
        case readAndWrite
        /// The user has read-only access or none, so the reader cannot be used.
        case denied
        /// The file does not exist, even though the device is plugged in.
        case missing
    }

    public var path: String
    public var access: Access
    public var owner: String
    public var group: String
    /// The permission bits of the mode.
    public var mode: UInt16

    public init(path: String, access: Access, owner: String, group: String, mode: UInt16) {
        self.path = path
        self.access = access
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// The mode in the form that chmod accepts.
    public var octalMode: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// The program or kernel driver that is using a reader.
public enum ReaderHolder: Sendable, Hashable {
    /// A kernel module is bound to the reader.
    case kernel(driver: String)
    case program(pid: Int, name: String)
    /// A program has claimed the reader, but this user is not allowed to see which one.
    case unknownProgram
}
