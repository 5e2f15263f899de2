import Glibc

/// A symbolic link that gives the terminal a stable name. The terminal's own number is different
/// each time.
struct DeviceLink {
    private static let terminals = "/dev/pts/"
    private static let maximumTargetLength = 4_096

    let path: String

    /// Throws an error if anything except a link to a terminal exists at the path.
    func check() throws(EmulatorError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .last(path) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFLNK, target?.hasPrefix(DeviceLink.terminals) == true
        else {
            throw EmulatorError(.occupied, "\(path) exists and is not a link to a terminal")
        }
    }

    /// Creates the link or replaces it, in one atomic step.
    func point(to terminal: String) throws(EmulatorError) {
        // rename() is atomic, so a client finds either the old link or the new one.
        let temporary = path + "." + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        guard unsafe symlink(terminal, temporary) == 0 else { throw .last(temporary) }
        guard unsafe rename(temporary, path) == 0 else {
            let error = EmulatorError.last(path)
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Removes the link if it still points to this terminal; another emulator may have replaced it.
    func remove(from terminal: String) {
        if target == terminal { unsafe unlink(path) }
    }

    private var target: String? {
        var bytes = [CChar](repeating: 0, count: DeviceLink.maximumTargetLength)
        let count = unsafe readlink(path, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
