import Glibc

/// Paths for the tests' files.
package enum TestPath {
    /// The folder is in memory if there is room: on disk, a ledger waits at each step, and a
    /// database may wait for seconds while the output of a build is still being written.
    static let folder: String = {
        var status = statvfs()
        let (room, withoutPrograms): (UInt, UInt) = (1 << 30, 8)
        guard unsafe access("/dev/shm", W_OK) == 0, unsafe statvfs("/dev/shm", &status) == 0,
            // Tests run programs that they have written.
            status.f_flag & withoutPrograms == 0,
            status.f_bavail * status.f_frsize >= room
        else { return "/tmp" }
        return "/dev/shm"
    }()

    /// A unique path that does not exist yet.
    package static func new(_ name: String) -> String {
        "\(folder)/tapcard-\(name)-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    }
}
