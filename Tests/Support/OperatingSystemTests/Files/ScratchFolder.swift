import Glibc
import OperatingSystem

/// A folder for one test, removed with its files when the test ends.
final class ScratchFolder {
    let path: String

    init() throws {
        path = "/tmp/tapcard-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try DurableFile.makeFolder(path)
    }

    deinit {
        _ = try? SystemProgram.run("rm", "-rf", path)
    }

    func path(_ name: String) -> String { path + "/" + name }

    /// The names in the folder, in order.
    func names() -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
