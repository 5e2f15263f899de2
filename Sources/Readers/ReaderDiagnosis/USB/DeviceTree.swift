import Glibc

/// The kernel's and udev's folders, under a root that tests can choose. Only names, links, and
/// attributes are read; nothing is written, and no device is opened.
struct DeviceTree: Sendable {
    /// The maximum number of names read from a folder. Real folders contain fewer.
    private static let maximumNamesPerFolder = 65_536
    /// The size of a memory page, which a sysfs attribute cannot exceed.
    private static let maximumAttributeSize = 4_096

    /// The root, without a trailing slash; empty for the machine itself.
    private let root: String

    init(root: String) {
        self.root = root.last == "/" ? String(root.dropLast()) : root
    }

    var isSystemRoot: Bool { root.isEmpty }

    /// The sorted names in a folder; empty if the folder does not exist or cannot be read.
    func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(root + folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while names.count < Self.maximumNamesPerFolder, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                unsafe bytes.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)
                ) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The text of an attribute, without trailing whitespace; `nil` if the attribute cannot be
    /// read.
    func text(_ path: String) -> String? {
        let descriptor = unsafe open(root + path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumAttributeSize)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count >= 0 else { return nil }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return String(text.reversed().drop { $0.isWhitespace }.reversed())
    }

    func number(_ path: String, radix: Int = 10) -> Int? {
        text(path).flatMap { Int($0, radix: radix) }
    }

    /// The target of a link, exactly as stored in the link.
    func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(root + link, &bytes, bytes.count - 1)
        guard count >= 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path with all links resolved; unchanged if the path does not exist.
    func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(root + path, nil) else { return path }
        defer { unsafe free(real) }
        let path = unsafe String(cString: real)
        // In a test's tree, a link may lead to a path outside that tree.
        return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count)) : path
    }

    func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

    func isCharacterDevice(_ path: String) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFCHR } ?? false
    }

    func status(_ path: String) -> stat? {
        var status = stat()
        guard unsafe stat(root + path, &status) == 0 else { return nil }
        return status
    }

    /// Whether the kernel would let this process read and write the file. This takes into account
    /// the ACLs that logind sets on devices, which the mode bits do not reflect.
    func mayOpen(_ path: String) -> Bool { unsafe access(root + path, R_OK | W_OK) == 0 }
}
