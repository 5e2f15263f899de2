import Glibc

/// The files that programs have open, as far as this user is allowed to see them. Only root can see
/// other users' open files.
struct OpenFiles: Sendable {
    private static let maximumProcesses = 65_536
    private static let maximumFilesPerProcess = 65_536

    let tree: DeviceTree

    /// For each of these files, the programs that have it open, not counting this process.
    func programs(holding paths: Set<String>) -> [String: [ReaderHolder]] {
        guard !paths.isEmpty else { return [:] }
        var found: [String: [ReaderHolder]] = [:]
        // In a test's tree, a process with this process's number is a different one.
        for pid in processes where !(tree.isSystemRoot && pid == Int(getpid())) {
            var seen: Set<String> = []
            let folder = "/proc/\(pid)/fd"
            for descriptor in tree.names(in: folder).prefix(Self.maximumFilesPerProcess) {
                // A program may have the same file open more than once.
                guard let path = tree.target(of: "\(folder)/\(descriptor)"), paths.contains(path),
                    seen.insert(path).inserted
                else { continue }
                found[path, default: []].append(.program(pid: pid, name: name(of: pid)))
            }
        }
        return found
    }

    /// The first process with this name.
    func process(named program: String) -> Int? { processes.first { name(of: $0) == program } }

    private var processes: [Int] {
        tree.names(in: "/proc").prefix(Self.maximumProcesses).compactMap { Int($0) }.sorted()
    }

    /// The name of a process, made safe to display, because processes choose their own names. The
    /// process may end before its name is read.
    private func name(of pid: Int) -> String {
        tree.text("/proc/\(pid)/comm")?.escapedForOneLine ?? "a program that has ended"
    }
}
