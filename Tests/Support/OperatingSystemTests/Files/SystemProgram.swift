import Glibc

/// Another process, to check this one from outside.
enum SystemProgram {
    struct NotStarted: Error {
        let number: Int32
    }

    /// Runs a program of the system to its end and returns its exit status.
    static func run(_ program: String, _ arguments: String...) throws -> Int32 {
        var process: pid_t = 0
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        let number = unsafe posix_spawnp(&process, program, nil, nil, &words, environ)
        guard number == 0 else { throw NotStarted(number: number) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw NotStarted(number: errno) }
        }
        return status >> 8 & 0xFF
    }
}
